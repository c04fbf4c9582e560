#include "core/backends/cpu/cpu_backend.h"

#include "core/backends/cpu/gather.h"
#include "core/backends/cpu/gradient.h"
#include "core/backends/cpu/scatter.h"

namespace scatterd {
namespace {

class CpuBackend : public Backend {
 public:
  absl::string_view device() const override { return "cpu"; }

  absl::Status Run(const Plan& plan, const PlanOperands& operands,
                   Tensor& output, const RunContext& context) override {
    return plan.is_scatter ? cpu::RunScatter(plan, operands, output, context)
                           : cpu::RunGather(plan, operands, output, context);
  }

  absl::Status RunGradient(const GradientPlan& plan,
                           const GradientOperands& operands,
                           const GradientOutputs& outputs,
                           const RunContext& context) override {
    return cpu::RunGradient(plan, operands, outputs, context);
  }
};

}  // namespace

std::unique_ptr<Backend> MakeCpuBackend() {
  return std::make_unique<CpuBackend>();
}

}  // namespace scatterd
