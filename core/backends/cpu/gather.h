// Gathers on the CPU.

#ifndef SCATTERD_CORE_BACKENDS_CPU_GATHER_H_
#define SCATTERD_CORE_BACKENDS_CPU_GATHER_H_

#include "absl/status/status.h"
#include "core/backends/backend.h"

namespace scatterd::cpu {

// See Backend::Run.
absl::Status RunGather(const Plan& plan, const PlanOperands& operands,
                       Tensor& output, const RunContext& context);

}  // namespace scatterd::cpu

#endif  // SCATTERD_CORE_BACKENDS_CPU_GATHER_H_
