#include <malloc.h>

#include <iostream>

#include "client/ctl/scatterctl.h"

namespace {

// Large messages are read in pieces that malloc would map and unmap one by
// one; fresh pages cost more than the copy that fills them.
void KeepFreedMemory() {
  mallopt(M_ARENA_MAX, 1);
  mallopt(M_MMAP_THRESHOLD, 32 << 20);
  mallopt(M_TRIM_THRESHOLD, 2047 << 20);
  mallopt(M_TOP_PAD, 64 << 20);
}

}  // namespace

int main(int argc, char** argv) {
  KeepFreedMemory();
  return scatterd::RunScatterctl(argc, argv, std::cout, std::cerr);
}
