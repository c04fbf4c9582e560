// The CPU backend with something in front of it.

#ifndef SCATTERD_TESTS_SERVER_WRAPPED_BACKEND_H_
#define SCATTERD_TESTS_SERVER_WRAPPED_BACKEND_H_

#include <memory>

#include "core/backends/backend.h"
#include "core/backends/cpu/cpu_backend.h"
#include "core/status_macros.h"

namespace scatterd::test {

class WrappedBackend : public Backend {
 public:
  absl::string_view device() const final { return cpu_->device(); }

  absl::Status Run(const Plan& plan, const PlanOperands& operands,
                   Tensor& output, const RunContext& context) final {
    SCATTERD_RETURN_IF_ERROR(BeforeRun(operands, output, context));
    return cpu_->Run(plan, operands, output, context);
  }

  absl::Status RunGradient(const GradientPlan& plan,
                           const GradientOperands& operands,
                           const GradientOutputs& outputs,
                           const RunContext& context) final {
    return cpu_->RunGradient(plan, operands, outputs, context);
  }

 private:
  // Comes before each Run; its error is the run's.
  virtual absl::Status BeforeRun(const PlanOperands& operands,
                                 const Tensor& output,
                                 const RunContext& context) = 0;

  const std::unique_ptr<Backend> cpu_ = MakeCpuBackend();
};

}  // namespace scatterd::test

#endif  // SCATTERD_TESTS_SERVER_WRAPPED_BACKEND_H_
