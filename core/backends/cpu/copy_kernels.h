// Kernels that move slices: they know widths, not dtypes.

#ifndef SCATTERD_CORE_BACKENDS_CPU_COPY_KERNELS_H_
#define SCATTERD_CORE_BACKENDS_CPU_COPY_KERNELS_H_

#include <cstddef>
#include <cstdint>

#include "absl/status/status.h"
#include "core/backends/backend.h"
#include "core/backends/cpu/parallel.h"

namespace scatterd::cpu {

// output[i] = source[rows[i]] for i in [0, count), slices of `slice_bytes`.
// A skipped row (negative) receives `fill`, an element of fill_bytes repeated
// along the slice.
struct CopyBlock {
  const std::byte* source;
  std::byte* output;
  const int64_t* rows;
  int64_t count;
  size_t slice_bytes;
  const std::byte* fill;
  size_t fill_bytes;
};
void CopySlices(const CopyBlock& block);

// Writes `element` (element_bytes long) over `bytes`, a multiple of its size.
void FillElements(std::byte* output, size_t bytes, const std::byte* element,
                  size_t element_bytes);

// Copies `bytes` from `source` to `output`, or zeros if `source` is null, on
// the pool where that pays.
void CopyBytes(ThreadPool& pool, RunState& state, const std::byte* source,
               std::byte* output, size_t bytes);

}  // namespace scatterd::cpu

#endif  // SCATTERD_CORE_BACKENDS_CPU_COPY_KERNELS_H_
