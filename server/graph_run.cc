#include "server/graph_run.h"

#include <algorithm>
#include <optional>
#include <utility>
#include <variant>

#include "core/dialect.h"
#include "core/errors.h"
#include "core/status_macros.h"
#include "server/operands.h"

namespace scatterd::internal {

GraphRun::GraphRun(GraphPlan plan, const ExecutionOptions& options,
                   uint64_t max_string_bytes, Backend& backend,
                   const RunContext& context, Ticket& ticket)
    : plan_(std::move(plan)),
      options_(options),
      max_string_bytes_(max_string_bytes),
      backend_(backend),
      context_(context),
      ticket_(ticket) {}

absl::StatusOr<std::vector<Tensor>> GraphRun::Run() {
  for (PlannedTensor& tensor : plan_.tensors) {
    const auto* value = std::get_if<Tensor>(&tensor.source);
    const uint64_t bytes = value == nullptr ? 0 : value->byte_size();
    slots_.push_back({std::move(tensor.source), tensor.num_uses, bytes});
  }
  for (const GraphStep& step : plan_.steps) {
    SCATTERD_RETURN_IF_ERROR(context_.cancellation.Check());
    const absl::Status status = RunStep(step);
    if (!status.ok()) return AtNode(step.label, status);
  }
  std::vector<Tensor> outputs;
  for (const size_t fetch : plan_.fetches) {
    SCATTERD_ASSIGN_OR_RETURN(const Tensor* output, Materialised(fetch));
    outputs.push_back(*output);
  }
  return outputs;
}

absl::Status GraphRun::RunStep(const GraphStep& step) {
  const Plan& plan = PlanOf(step);
  Scratch scratch;
  SCATTERD_ASSIGN_OR_RETURN(const PlanOperands operands,
                            Operands(step, scratch));
  SCATTERD_RETURN_IF_ERROR(ReserveStrings(plan, operands));
  SCATTERD_ASSIGN_OR_RETURN(Tensor output, MakeOutput(step, operands.data));
  SCATTERD_RETURN_IF_ERROR(RunKernel(step, operands, output));
  scratch.indices = scratch.updates = Operand();
  ticket_.Shrink(scratch.bytes);
  slots_[step.output].value = std::move(output);
  Release(step.data);
  if (step.indices) Release(*step.indices);
  if (plan.is_scatter) Release(step.updates);
  return absl::OkStatus();
}

absl::Status GraphRun::RunKernel(const GraphStep& step,
                                 const PlanOperands& operands, Tensor& output) {
  const Plan& plan = PlanOf(step);
  if (operands.indices == nullptr) return absl::OkStatus();  // nothing to write
  PlanOperands with_fill = operands;
  std::optional<Tensor> fill = options_.fill_value;
  if (!fill) fill = DefaultFill(plan.options.fill, plan.dtype);
  if (fill) with_fill.fill_value = &*fill;
  return backend_.Run(plan, with_fill, output, context_);
}

absl::StatusOr<PlanOperands> GraphRun::Operands(const GraphStep& step,
                                                Scratch& scratch) {
  const Plan& plan = PlanOf(step);
  PlanOperands operands;
  SCATTERD_ASSIGN_OR_RETURN(operands.data, Data(step));
  if (plan.is_scatter) {
    SCATTERD_ASSIGN_OR_RETURN(operands.updates, Materialised(step.updates));
    SCATTERD_ASSIGN_OR_RETURN(
        operands.updates,
        View(operands.updates, plan.updates_view, scratch.updates, scratch));
  }
  SCATTERD_ASSIGN_OR_RETURN(operands.indices, Indices(step, scratch));
  return operands;
}

// A scatter onto zeros needs no tensor of them: the kernel starts from zero.
absl::StatusOr<const Tensor*> GraphRun::Data(const GraphStep& step) {
  if (PlanOf(step).is_scatter &&
      std::holds_alternative<ZerosSpec>(slots_[step.data].value)) {
    return nullptr;
  }
  return Materialised(step.data);
}

// Null if the step has nothing to write.
absl::StatusOr<const Tensor*> GraphRun::Indices(const GraphStep& step,
                                                Scratch& scratch) {
  const Tensor* indices = nullptr;
  if (step.indices) {
    SCATTERD_ASSIGN_OR_RETURN(indices, Materialised(*step.indices));
  }
  const auto* plan = std::get_if<TensorScatterPlan>(&step.plan);
  if (plan == nullptr) {
    return View(indices, PlanOf(step).indices_view, scratch.indices, scratch);
  }
  SCATTERD_RETURN_IF_ERROR(CheckWriteIndices(*plan, indices));
  if (plan->plan.output.shape.num_elements() == 0) return nullptr;
  SCATTERD_ASSIGN_OR_RETURN(const size_t bytes,
                            CheckedByteSize(TensorScatterIndicesSpec(*plan)));
  SCATTERD_RETURN_IF_ERROR(ticket_.Grow(bytes));
  scratch.bytes += bytes;
  SCATTERD_ASSIGN_OR_RETURN(scratch.indices,
                            MakeTensorScatterIndices(*plan, indices));
  return &std::get<Tensor>(scratch.indices);
}

absl::StatusOr<const Tensor*> GraphRun::View(
    const Tensor* tensor, const std::optional<StridedView>& view,
    Operand& expanded, Scratch& scratch) {
  if (!view) return tensor;
  expanded = *tensor;
  const uint64_t before = ticket_.bytes();
  SCATTERD_ASSIGN_OR_RETURN(tensor, Materialise(expanded, view, ticket_));
  scratch.bytes += ticket_.bytes() - before;
  return tensor;
}

// data itself, where this step is the last to read it and nothing else holds
// its elements; else a new tensor.
absl::StatusOr<Tensor> GraphRun::MakeOutput(const GraphStep& step,
                                            const Tensor* data) {
  const Plan& plan = PlanOf(step);
  Slot& from = slots_[step.data];
  Slot& to = slots_[step.output];
  if (plan.is_scatter && data != nullptr && from.uses_left == 1 &&
      data->elements().unique() && data->spec() == plan.output) {
    to.bytes = std::exchange(from.bytes, 0);
    return *data;
  }
  SCATTERD_ASSIGN_OR_RETURN(Tensor output,
                            AllocateOutput(plan.output, ticket_));
  to.bytes = output.byte_size();
  return output;
}

// Strings that share bytes may have more of them than there is memory, which
// matters when they are concatenated.  The new bytes may outlive the tensor,
// so they are never given back.
absl::Status GraphRun::ReserveStrings(const Plan& plan,
                                      const PlanOperands& operands) {
  if (plan.dtype != DType::kString || plan.reduction != Reduction::kAdd) {
    return absl::OkStatus();
  }
  uint64_t bytes = operands.updates->string_bytes();
  if (operands.data != nullptr) bytes += operands.data->string_bytes();
  if (bytes > max_string_bytes_) {
    return LimitError("--max_output_bytes", bytes, max_string_bytes_);
  }
  return ticket_.Grow(bytes);
}

absl::StatusOr<const Tensor*> GraphRun::Materialised(size_t slot) {
  Slot& s = slots_[slot];
  const uint64_t before = ticket_.bytes();
  SCATTERD_ASSIGN_OR_RETURN(const Tensor* tensor,
                            Materialise(s.value, std::nullopt, ticket_));
  s.bytes += ticket_.bytes() - before;
  return tensor;
}

void GraphRun::Release(size_t slot) {
  Slot& s = slots_[slot];
  if (--s.uses_left > 0) return;
  s.value = Operand();
  ticket_.Shrink(std::exchange(s.bytes, 0));
}

}  // namespace scatterd::internal
