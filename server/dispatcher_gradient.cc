#include <optional>
#include <string>
#include <utility>
#include <variant>

#include "absl/strings/string_view.h"
#include "core/dialect.h"
#include "core/errors.h"
#include "core/operator_id.h"
#include "core/status_macros.h"
#include "server/dispatcher.h"
#include "server/operands.h"
#include "server/stopwatch.h"

namespace scatterd {
namespace {

constexpr absl::string_view kGradOutput = "grad_output";

// Whether the status is about a field of the gradient request itself.
bool IsOwnField(const absl::Status& status) {
  return absl::string_view(GetPayload(status, kFieldPayload))
             .substr(0, kGradOutput.size()) == kGradOutput;
}

// The status with the field's path in the gradient request.
absl::Status InRequest(absl::Status status, OperatorId op) {
  if (IsOwnField(status)) return status;
  return BelowField(std::move(status), OperatorName(op));
}

// The forward's inputs, all checked but by the plan.
absl::StatusOr<OperatorInputs> ResolveForward(const OperatorCall& call,
                                              absl::string_view device) {
  const absl::string_view op = OperatorName(call.op);
  SCATTERD_ASSIGN_OR_RETURN(OperatorInputs inputs,
                            internal::ResolveOperands(call));
  inputs.options = ResolveOptions(call.op, call.options);
  SCATTERD_RETURN_IF_ERROR(internal::CheckDevice(op, call.options, device));
  SCATTERD_RETURN_IF_ERROR(
      internal::CheckFillValue(op, call.options, inputs.data.dtype));
  return inputs;
}

absl::StatusOr<PlannedGradient> PlanGradient(GradientCall call,
                                             absl::string_view device) {
  PlannedGradient prepared;
  const OperatorId op = call.forward.op;
  SCATTERD_ASSIGN_OR_RETURN(const OperatorInputs inputs,
                            ResolveForward(call.forward, device));
  SCATTERD_ASSIGN_OR_RETURN(
      const TensorSpec grad_output,
      internal::ResolveOperand(OperatorName(op), kGradOutput,
                               call.grad_output));
  SCATTERD_ASSIGN_OR_RETURN(prepared.plan,
                            MakeGradientPlan(op, inputs, grad_output));
  prepared.updates_shape = inputs.updates.shape;

  // The specs have passed planning, so every size is known to fit.
  prepared.output_bytes = *CheckedByteSize(prepared.plan.grad_data);
  prepared.operand_bytes =
      *CheckedByteSize(inputs.indices) + *CheckedByteSize(grad_output);
  if (IsScatter(op)) {
    prepared.output_bytes += *CheckedByteSize(inputs.updates);
  }
  if (prepared.plan.needs_data) {
    prepared.operand_bytes += *CheckedByteSize(inputs.data);
  }
  if (prepared.plan.needs_updates) {
    prepared.operand_bytes += *CheckedByteSize(inputs.updates);
  }
  prepared.call = std::move(call);
  return prepared;
}

// What the gradient depends on, ready to be read.
absl::StatusOr<GradientOperands> MaterialiseOperands(PlannedGradient& prepared,
                                                     Ticket& ticket) {
  GradientCall& call = prepared.call;
  const GradientPlan& plan = prepared.plan;
  GradientOperands operands;
  operands.scale = call.scale.value_or(1);
  SCATTERD_ASSIGN_OR_RETURN(
      operands.indices,
      internal::Materialise(call.forward.indices, plan.forward.indices_view,
                            ticket));
  SCATTERD_ASSIGN_OR_RETURN(
      operands.grad_output,
      internal::Materialise(call.grad_output, std::nullopt, ticket));
  if (plan.needs_data) {
    SCATTERD_ASSIGN_OR_RETURN(
        operands.data,
        internal::Materialise(call.forward.data, std::nullopt, ticket));
  }
  if (plan.needs_updates) {
    SCATTERD_ASSIGN_OR_RETURN(
        operands.updates,
        internal::Materialise(call.forward.updates, plan.forward.updates_view,
                              ticket));
  }
  return operands;
}

// The gradient with respect to what the caller sent as updates.
absl::StatusOr<Tensor> ForCaller(const PlannedGradient& prepared,
                                 Tensor gradient, Ticket& ticket) {
  const std::optional<StridedView>& view = prepared.plan.forward.updates_view;
  if (!view) return gradient;
  SCATTERD_ASSIGN_OR_RETURN(
      const size_t bytes,
      CheckedByteSize({gradient.dtype(), prepared.updates_shape}));
  SCATTERD_RETURN_IF_ERROR(ticket.Grow(bytes));
  return ContractGradient(*view, gradient, prepared.updates_shape,
                          prepared.plan.forward.options.accumulation);
}

// A gradient has the name of what it is the gradient of.
void CopyName(const Operand& from, Tensor& to) {
  if (const auto* tensor = std::get_if<Tensor>(&from)) {
    to.set_name(tensor->name());
  }
}

}  // namespace

absl::StatusOr<GradientResult> Dispatcher::DispatchGradient(
    GradientCall call, const Cancellation& cancellation, Ticket& ticket,
    uint64_t queue_ns) const {
  SCATTERD_ASSIGN_OR_RETURN(PlannedGradient prepared,
                            PrepareGradient(std::move(call)));
  return ExecuteGradient(std::move(prepared), cancellation, ticket, queue_ns);
}

absl::StatusOr<PlannedGradient> Dispatcher::PrepareGradient(
    GradientCall call) const {
  const OperatorId op = call.forward.op;
  call.forward.options =
      OverlayOptions(std::move(call.forward.options), call.options);
  absl::StatusOr<PlannedGradient> prepared =
      PlanGradient(std::move(call), backend_.device());
  if (!prepared.ok()) return InRequest(prepared.status(), op);
  if (prepared->output_bytes > limits_.max_output_bytes) {
    return LimitError("--max_output_bytes", prepared->output_bytes,
                      limits_.max_output_bytes);
  }
  return prepared;
}

absl::StatusOr<GradientResult> Dispatcher::ExecuteGradient(
    PlannedGradient prepared, const Cancellation& cancellation, Ticket& ticket,
    uint64_t queue_ns) const {
  const Stopwatch stopwatch;
  SCATTERD_RETURN_IF_ERROR(cancellation.Check());

  const GradientPlan& plan = prepared.plan;
  GradientResult result;
  SCATTERD_ASSIGN_OR_RETURN(result.grad_data,
                            internal::AllocateOutput(plan.grad_data, ticket));
  if (plan.forward.is_scatter) {
    SCATTERD_ASSIGN_OR_RETURN(
        result.grad_updates,
        internal::AllocateOutput(plan.grad_updates, ticket));
  }
  SCATTERD_ASSIGN_OR_RETURN(const GradientOperands operands,
                            MaterialiseOperands(prepared, ticket));
  const GradientOutputs outputs{
      .grad_data = &result.grad_data,
      .grad_updates = result.grad_updates ? &*result.grad_updates : nullptr};
  const absl::Status status = backend_.RunGradient(
      plan, operands, outputs, RunContext{pool_, cancellation});
  if (!status.ok()) return InRequest(status, prepared.call.forward.op);
  if (result.grad_updates) {
    SCATTERD_ASSIGN_OR_RETURN(
        result.grad_updates,
        ForCaller(prepared, *std::move(result.grad_updates), ticket));
    CopyName(prepared.call.forward.updates, *result.grad_updates);
  }
  CopyName(prepared.call.forward.data, result.grad_data);

  result.stats.queue_ns = queue_ns;
  result.stats.compute_ns = stopwatch.elapsed_ns();
  result.stats.device = std::string(backend_.device());
  result.stats.bytes_read = prepared.operand_bytes;
  result.stats.bytes_written = prepared.output_bytes;
  return result;
}

}  // namespace scatterd
