// The dispatcher: what one operator call goes through, whatever transport it
// came by.
//
//   resolve operands -> resolve options -> plan -> check limits -> make the
//   output -> run on the backend -> statistics
//
// A call is first prepared, which touches no data and is cheap, then executed.
// A transport that wants to know how much work a call is before it chooses a
// thread takes the two steps itself; Dispatch takes both.

#ifndef SCATTERD_SERVER_DISPATCHER_H_
#define SCATTERD_SERVER_DISPATCHER_H_

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "core/backends/backend.h"
#include "core/call.h"
#include "core/cancellation.h"
#include "core/gradient.h"
#include "core/graph.h"
#include "core/graph_plan.h"
#include "core/plan.h"
#include "core/thread_pool.h"
#include "server/admission.h"

namespace scatterd {

struct DispatcherLimits {
  // The largest result, in bytes of its elements: --max_output_bytes.
  uint64_t max_output_bytes = uint64_t{1} << 30;
};

// A call whose every constraint on dtypes, shapes and attributes holds.
struct PlannedCall {
  OperatorCall call;
  Plan plan;
  uint64_t operand_bytes = 0;  // of elements that the kernel reads
  uint64_t output_bytes = 0;   // of elements that it writes

  uint64_t work_bytes() const { return operand_bytes + output_bytes; }
};

// The same of a gradient call, whose forward call has the merged options.
struct PlannedGradient {
  GradientCall call;
  GradientPlan plan;
  Shape updates_shape;         // scatters only: what the caller sent
  uint64_t operand_bytes = 0;  // of elements that the kernel reads
  uint64_t output_bytes = 0;   // of elements that it writes

  uint64_t work_bytes() const { return operand_bytes + output_bytes; }
};

// The same of a graph.
struct PlannedGraph {
  // What a step costs beside the bytes that it moves, as bytes.
  static constexpr uint64_t kStepBytes = uint64_t{16} << 10;

  GraphPlan plan;
  ExecutionOptions options;
  std::vector<std::string> fetches;
  uint64_t operand_bytes = 0;  // of elements that the kernels read
  uint64_t output_bytes = 0;   // of elements that they write

  uint64_t work_bytes() const {
    return operand_bytes + output_bytes + plan.steps.size() * kStepBytes;
  }
};

// Thread-safe if the backend is.
class Dispatcher {
 public:
  // `backend` and `pool` must outlive the dispatcher.
  Dispatcher(Backend& backend, ThreadPool& pool, DispatcherLimits limits)
      : backend_(backend), pool_(pool), limits_(limits) {}

  // Prepare, then Execute.
  absl::StatusOr<OperatorResult> Dispatch(OperatorCall call,
                                          const Cancellation& cancellation,
                                          Ticket& ticket,
                                          uint64_t queue_ns) const;

  // Checks everything that needs no data.  INVALID_ARGUMENT naming constraint
  // and field; UNIMPLEMENTED for operands and targets that this version does
  // not have; FAILED_PRECONDITION for a device that this server has not;
  // RESOURCE_EXHAUSTED naming --max_output_bytes.
  absl::StatusOr<PlannedCall> Prepare(OperatorCall call) const;

  // Grows `ticket` by what it allocates, before it allocates.  A scatter whose
  // `data` nobody else refers to works in data's own buffer.  Errors as
  // Ticket::Grow, Buffer::Allocate and Backend::Run.  `queue_ns` is how long
  // the call waited for this thread.
  absl::StatusOr<OperatorResult> Execute(PlannedCall prepared,
                                         const Cancellation& cancellation,
                                         Ticket& ticket,
                                         uint64_t queue_ns) const;

  // The same for gradients.  Operands that the gradient does not depend on
  // need no elements: zeros of them are not made.  --max_output_bytes holds
  // for both gradients together.  A field that errors name is below that of
  // the forward call ("scatter_nd.indices"), where it belongs to it.
  absl::StatusOr<GradientResult> DispatchGradient(
      GradientCall call, const Cancellation& cancellation, Ticket& ticket,
      uint64_t queue_ns) const;
  absl::StatusOr<PlannedGradient> PrepareGradient(GradientCall call) const;
  absl::StatusOr<GradientResult> ExecuteGradient(
      PlannedGradient prepared, const Cancellation& cancellation,
      Ticket& ticket, uint64_t queue_ns) const;

  // The same for graphs.  Steps run one after another, and each tensor is
  // released after its last use.  `ticket` holds the bytes of the call's
  // tensors; it shrinks by what is released.  --max_output_bytes holds for
  // every tensor that a step makes and for all fetched ones together.
  absl::StatusOr<GraphResult> DispatchGraph(GraphCall call,
                                            const Cancellation& cancellation,
                                            Ticket& ticket,
                                            uint64_t queue_ns) const;
  absl::StatusOr<PlannedGraph> PrepareGraph(GraphCall call) const;
  absl::StatusOr<GraphResult> ExecuteGraph(PlannedGraph prepared,
                                           const Cancellation& cancellation,
                                           Ticket& ticket,
                                           uint64_t queue_ns) const;

 private:
  Backend& backend_;
  ThreadPool& pool_;
  const DispatcherLimits limits_;
};

}  // namespace scatterd

#endif  // SCATTERD_SERVER_DISPATCHER_H_
