// Element functions of gradients: one destination with all its updates.

#ifndef SCATTERD_CORE_BACKENDS_CPU_GRADIENT_KERNELS_H_
#define SCATTERD_CORE_BACKENDS_CPU_GRADIENT_KERNELS_H_

#include <cstddef>
#include <cstdint>

#include "absl/types/span.h"
#include "core/backends/cpu/grouped.h"
#include "core/plan.h"

namespace scatterd::cpu {

// Rows of `columns` elements; data and updates are null where the reduction
// does not look at them.
struct GradientArguments {
  const std::byte* data;
  const std::byte* updates;
  const std::byte* grad_output;
  std::byte* grad_data;
  std::byte* grad_updates;
  int64_t columns;
  double scale;
};

// Writes the rows of grad_data that `updates` meet, and their rows of
// grad_updates.  `updates` is sorted (see SortByRow) and holds all updates of
// its rows.
using GradientKernel = void (*)(const Plan& forward,
                                const GradientArguments& arguments,
                                absl::Span<const RowUpdate> updates);

// For floating-point and complex dtypes.
GradientKernel GetGradientKernel(DType dtype, Reduction reduction,
                                 NanPolicy nan);

// Multiplies n elements by `scale`, in place; by 0 they become +0 whatever
// they were.
using ScaleKernel = void (*)(std::byte* elements, int64_t n, double scale);
ScaleKernel GetScaleKernel(DType dtype);

}  // namespace scatterd::cpu

#endif  // SCATTERD_CORE_BACKENDS_CPU_GRADIENT_KERNELS_H_
