// Backends: kernels plus memory on one device.

#ifndef SCATTERD_CORE_BACKENDS_BACKEND_H_
#define SCATTERD_CORE_BACKENDS_BACKEND_H_

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "core/cancellation.h"
#include "core/gradient.h"
#include "core/plan.h"
#include "core/tensor.h"
#include "core/thread_pool.h"

namespace scatterd {

// The tensors of one run.  They were made for the plan: dtypes and shapes fit.
struct PlanOperands {
  // A gather's source or a scatter's start.  Null: zeros (scatters only).
  // data->bytes() == output.bytes(): the scatter works in place.
  const Tensor* data = nullptr;
  const Tensor* indices = nullptr;
  const Tensor* updates = nullptr;     // scatters only
  const Tensor* fill_value = nullptr;  // rank 0; null: zero
};

// The tensors of one gradient.  They were made for the plan; indices and
// updates are expanded (see Plan).
struct GradientOperands {
  const Tensor* data = nullptr;  // null unless plan.needs_data
  const Tensor* indices = nullptr;
  const Tensor* updates = nullptr;  // null unless plan.needs_updates
  const Tensor* grad_output = nullptr;
  double scale = 1;  // multiplies both gradients; 0 gives exact zeros
};
struct GradientOutputs {
  Tensor* grad_data = nullptr;
  Tensor* grad_updates = nullptr;  // scatters only
};

struct RunContext {
  ThreadPool& pool;
  const Cancellation& cancellation;
};

// Thread-safe: runs of different calls may overlap.
class Backend {
 public:
  virtual ~Backend() = default;

  virtual absl::string_view device() const = 0;  // "cpu"

  // Runs `plan`, filling `output` (allocated for plan.output; STRING results
  // may gain blobs).  The result has the bits that applying the indices one
  // by one in row-major order gives, for any number of threads.
  //
  // OUT_OF_RANGE and INVALID_ARGUMENT name the first offending position in
  // row-major order; CANCELLED and DEADLINE_EXCEEDED come from the context.
  // After an error `output` holds no meaning.
  virtual absl::Status Run(const Plan& plan, const PlanOperands& operands,
                           Tensor& output, const RunContext& context) = 0;

  // Runs a gradient, filling the outputs, which are allocated for
  // plan.grad_data and plan.grad_updates.  Deterministic and with errors as
  // Run.
  virtual absl::Status RunGradient(const GradientPlan& plan,
                                   const GradientOperands& operands,
                                   const GradientOutputs& outputs,
                                   const RunContext& context) = 0;
};

}  // namespace scatterd

#endif  // SCATTERD_CORE_BACKENDS_BACKEND_H_
