// Scatters on the CPU.
//
// Two phases: indices become checked rows; then every thread owns a part of
// the output, a range of rows or of the columns of slices, and applies all
// updates that fall into it in their original order.  No element is written by
// two threads, so nothing is atomic and the bits do not depend on the number
// of threads.

#ifndef SCATTERD_CORE_BACKENDS_CPU_SCATTER_H_
#define SCATTERD_CORE_BACKENDS_CPU_SCATTER_H_

#include "absl/status/status.h"
#include "core/backends/backend.h"

namespace scatterd::cpu {

// See Backend::Run.
absl::Status RunScatter(const Plan& plan, const PlanOperands& operands,
                        Tensor& output, const RunContext& context);

}  // namespace scatterd::cpu

#endif  // SCATTERD_CORE_BACKENDS_CPU_SCATTER_H_
