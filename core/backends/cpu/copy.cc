#include "core/backends/cpu/copy.h"

#include <cstring>

#include "core/backends/cpu/kernels/kernels.h"

namespace scatterd::cpu {

void CopyBytes(ThreadPool& pool, RunState& state, const std::byte* source,
               std::byte* output, size_t bytes) {
  const auto count = static_cast<int64_t>(bytes);
  ForEachRange(pool, state, count, 1, [&](int64_t begin, int64_t end) {
    const auto size = static_cast<size_t>(end - begin);
    const std::byte* from = source == nullptr ? nullptr : source + begin;
    if (bytes >= kStreamBytes) {
      GetKernels().stream(output + begin, from, size);
    } else if (from == nullptr) {
      std::memset(output + begin, 0, size);
    } else {
      std::memcpy(output + begin, from, size);
    }
  });
}

void FillElements(std::byte* output, size_t bytes, const std::byte* element,
                  size_t element_bytes) {
  for (size_t at = 0; at < bytes; at += element_bytes) {
    std::memcpy(output + at, element, element_bytes);
  }
}

}  // namespace scatterd::cpu
