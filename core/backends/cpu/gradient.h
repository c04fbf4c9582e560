// Gradients on the CPU; see core/gradient.h for what they are.

#ifndef SCATTERD_CORE_BACKENDS_CPU_GRADIENT_H_
#define SCATTERD_CORE_BACKENDS_CPU_GRADIENT_H_

#include "absl/status/status.h"
#include "core/backends/backend.h"

namespace scatterd::cpu {

// See Backend::RunGradient.
absl::Status RunGradient(const GradientPlan& plan,
                         const GradientOperands& operands,
                         const GradientOutputs& outputs,
                         const RunContext& context);

}  // namespace scatterd::cpu

#endif  // SCATTERD_CORE_BACKENDS_CPU_GRADIENT_H_
