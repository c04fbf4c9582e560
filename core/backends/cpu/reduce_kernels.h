// Kernels that apply updates to rows.
//
// Each works on a list of (row, update) pairs, in order, one typed loop per
// dtype and reduction; which pairs a list holds, and that no two threads touch
// the same element, is the caller's business (scatter.cc).

#ifndef SCATTERD_CORE_BACKENDS_CPU_REDUCE_KERNELS_H_
#define SCATTERD_CORE_BACKENDS_CPU_REDUCE_KERNELS_H_

#include <cstddef>
#include <cstdint>

#include "core/dtype.h"
#include "core/options.h"
#include "core/reduction.h"

namespace scatterd::cpu {

// Updates to apply: for i in [0, count), elements [column_begin, column_end)
// of slice positions[i] of `updates` meet those of slice rows[i] of `output`.
struct UpdateBlock {
  std::byte* output;
  const std::byte* updates;
  const int64_t* rows;       // none negative
  const int64_t* positions;  // parallel to rows
  int64_t count;
  int64_t slice_elements;
  int64_t column_begin;
  int64_t column_end;

  int64_t columns() const { return column_end - column_begin; }
};

// Element functions of one (dtype, reduction).  `apply` performs the
// reduction's update; MEAN's is ADD, followed once by `divide`.
struct ReduceKernels {
  void (*apply)(const UpdateBlock& block) = nullptr;
  // Sets the columns of rows[i], for all i, to the reduction's identity.
  void (*set_identity)(const UpdateBlock& block) = nullptr;
  // Divides n elements by `count` (MEAN only).
  void (*divide)(std::byte* elements, int64_t n, int64_t count) = nullptr;
};

// Kernels for a pair that planning allows, NONE excepted; `apply` is null for
// STRING ADD (core/backends/cpu/string_kernels.h), `set_identity` for STRING.
ReduceKernels GetReduceKernels(DType dtype, Reduction reduction, NanPolicy nan);

// NONE: the update's bytes replace the row's.  For slices of 1, 2, 4, 8 or 16
// bytes slice_elements is 1 element of that width; otherwise elements are
// bytes.
using AssignKernel = void (*)(const UpdateBlock& block);
struct AssignShape {
  AssignKernel apply;
  int64_t slice_elements;  // for UpdateBlock
  size_t element_bytes;
};
AssignShape GetAssignKernel(size_t slice_bytes);

}  // namespace scatterd::cpu

#endif  // SCATTERD_CORE_BACKENDS_CPU_REDUCE_KERNELS_H_
