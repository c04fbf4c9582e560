// One run of a planned graph: steps in order, each tensor held no longer than
// somebody needs it.

#ifndef SCATTERD_SERVER_GRAPH_RUN_H_
#define SCATTERD_SERVER_GRAPH_RUN_H_

#include <cstdint>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "core/backends/backend.h"
#include "core/graph_plan.h"
#include "core/options.h"
#include "core/tensor.h"
#include "server/admission.h"

namespace scatterd::internal {

// Thread-compatible; used once.  What it refers to must outlive it.
class GraphRun {
 public:
  // `ticket` holds the bytes of the plan's tensors.  It grows by what the run
  // allocates, before that is allocated, and shrinks by what is released.
  // `max_string_bytes` bounds what strings may grow to in one step.
  GraphRun(GraphPlan plan, const ExecutionOptions& options,
           uint64_t max_string_bytes, Backend& backend,
           const RunContext& context, Ticket& ticket);

  // The fetched tensors, in their order.  Errors name the node.
  absl::StatusOr<std::vector<Tensor>> Run();

 private:
  struct Slot {
    Operand value;
    int64_t uses_left = 0;
    uint64_t bytes = 0;  // of the ticket, to be given back with the value
  };

  // What a step needs beside tensors of the graph; given back after it.
  struct Scratch {
    Operand indices, updates;
    uint64_t bytes = 0;
  };

  absl::Status RunStep(const GraphStep& step);
  absl::Status RunKernel(const GraphStep& step, const PlanOperands& operands,
                         Tensor& output);
  absl::StatusOr<PlanOperands> Operands(const GraphStep& step,
                                        Scratch& scratch);
  absl::StatusOr<const Tensor*> Data(const GraphStep& step);
  absl::StatusOr<const Tensor*> Indices(const GraphStep& step,
                                        Scratch& scratch);
  absl::StatusOr<const Tensor*> View(const Tensor* tensor,
                                     const std::optional<StridedView>& view,
                                     Operand& expanded, Scratch& scratch);
  absl::StatusOr<Tensor> MakeOutput(const GraphStep& step, const Tensor* data);
  absl::Status ReserveStrings(const Plan& plan, const PlanOperands& operands);
  absl::StatusOr<const Tensor*> Materialised(size_t slot);
  void Release(size_t slot);

  GraphPlan plan_;
  const ExecutionOptions& options_;
  const uint64_t max_string_bytes_;
  Backend& backend_;
  const RunContext& context_;
  Ticket& ticket_;
  std::vector<Slot> slots_;  // one for each of plan_.tensors
};

}  // namespace scatterd::internal

#endif  // SCATTERD_SERVER_GRAPH_RUN_H_
