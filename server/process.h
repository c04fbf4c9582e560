// What the server asks of, and sets for, its process.

#ifndef SCATTERD_SERVER_PROCESS_H_
#define SCATTERD_SERVER_PROCESS_H_

#include <cstdint>
#include <string>

#include "absl/status/status.h"

namespace scatterd {

// Keeps freed memory in the process and all threads in one heap, because a
// fresh page costs more than the copy that fills it: on large messages this is
// a factor of ten (docs/performance.md).  The process then holds on to its
// peak.  Call before the first large allocation.  False if the allocator
// refused a setting.
bool TuneMalloc();

// Bytes of memory that this process may use: what the machine has, or what
// its control group (v1 or v2) allows, whichever is less.  Never 0.
uint64_t AvailableMemory();

// The same, for the file systems below `root` ("" for the real ones).
uint64_t AvailableMemoryBelow(const std::string& root);

}  // namespace scatterd

#endif  // SCATTERD_SERVER_PROCESS_H_
