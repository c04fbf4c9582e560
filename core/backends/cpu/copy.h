// Copies of whole tensors, on all threads.

#ifndef SCATTERD_CORE_BACKENDS_CPU_COPY_H_
#define SCATTERD_CORE_BACKENDS_CPU_COPY_H_

#include <cstddef>

#include "core/backends/backend.h"
#include "core/backends/cpu/parallel.h"

namespace scatterd::cpu {

// Copies `bytes` from `source` to `output`, or zeros if `source` is null, on
// the pool where that pays.
void CopyBytes(ThreadPool& pool, RunState& state, const std::byte* source,
               std::byte* output, size_t bytes);

// Writes `element` (element_bytes long) over `bytes`, a multiple of its size.
void FillElements(std::byte* output, size_t bytes, const std::byte* element,
                  size_t element_bytes);

}  // namespace scatterd::cpu

#endif  // SCATTERD_CORE_BACKENDS_CPU_COPY_H_
