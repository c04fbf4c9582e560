#include "server/dispatcher.h"

#include <utility>
#include <variant>

#include "absl/strings/string_view.h"
#include "core/dialect.h"
#include "core/errors.h"
#include "core/operator.h"
#include "core/status_macros.h"
#include "server/operands.h"
#include "server/stopwatch.h"

namespace scatterd {
namespace {

absl::Status CheckOutputTarget(const OperatorCall& call) {
  if (std::holds_alternative<ResidentTarget>(call.output)) {
    return internal::NotAvailable(OperatorName(call.op), "output.resident");
  }
  if (std::holds_alternative<SharedMemoryRef>(call.output)) {
    return internal::NotAvailable(OperatorName(call.op),
                                  "output.shared_memory");
  }
  return absl::OkStatus();
}

// A scatter onto zeros needs no tensor of them: the kernel starts from zero.
bool NeedsData(const OperatorCall& call) {
  return !IsScatter(call.op) || !std::holds_alternative<ZerosSpec>(call.data);
}

// The specs have passed MakePlan, so every size is known to fit.
uint64_t OperandBytes(const OperatorCall& call, const OperatorInputs& inputs) {
  uint64_t bytes = *CheckedByteSize(inputs.indices);
  if (NeedsData(call)) bytes += *CheckedByteSize(inputs.data);
  if (IsScatter(call.op)) bytes += *CheckedByteSize(inputs.updates);
  return bytes;
}

// data itself, where the call holds the only reference to its elements and
// the output has its form; else a new tensor.
absl::StatusOr<Tensor> MakeOutput(const PlannedCall& prepared, Ticket& ticket) {
  const Tensor* data = std::get_if<Tensor>(&prepared.call.data);
  if (prepared.plan.is_scatter && data != nullptr &&
      data->elements().unique() && data->spec() == prepared.plan.output) {
    return *data;
  }
  SCATTERD_ASSIGN_OR_RETURN(
      Tensor output, internal::AllocateOutput(prepared.plan.output, ticket));
  if (data != nullptr) output.set_name(data->name());
  return output;
}

}  // namespace

absl::StatusOr<OperatorResult> Dispatcher::Dispatch(
    OperatorCall call, const Cancellation& cancellation, Ticket& ticket,
    uint64_t queue_ns) const {
  SCATTERD_ASSIGN_OR_RETURN(PlannedCall prepared, Prepare(std::move(call)));
  return Execute(std::move(prepared), cancellation, ticket, queue_ns);
}

absl::StatusOr<PlannedCall> Dispatcher::Prepare(OperatorCall call) const {
  SCATTERD_RETURN_IF_ERROR(CheckOutputTarget(call));
  SCATTERD_ASSIGN_OR_RETURN(OperatorInputs inputs,
                            internal::ResolveOperands(call));
  inputs.options = ResolveOptions(call.op, call.options);
  const absl::string_view op = OperatorName(call.op);
  SCATTERD_RETURN_IF_ERROR(
      internal::CheckDevice(op, call.options, backend_.device()));
  SCATTERD_RETURN_IF_ERROR(
      internal::CheckFillValue(op, call.options, inputs.data.dtype));

  PlannedCall prepared;
  SCATTERD_ASSIGN_OR_RETURN(prepared.plan, MakePlan(call.op, inputs));
  SCATTERD_ASSIGN_OR_RETURN(prepared.output_bytes,
                            CheckedByteSize(prepared.plan.output));
  if (prepared.output_bytes > limits_.max_output_bytes) {
    return LimitError("--max_output_bytes", prepared.output_bytes,
                      limits_.max_output_bytes);
  }
  prepared.operand_bytes = OperandBytes(call, inputs);
  prepared.call = std::move(call);
  return prepared;
}

absl::StatusOr<OperatorResult> Dispatcher::Execute(
    PlannedCall prepared, const Cancellation& cancellation, Ticket& ticket,
    uint64_t queue_ns) const {
  const Stopwatch stopwatch;
  SCATTERD_RETURN_IF_ERROR(cancellation.Check());

  OperatorCall& call = prepared.call;
  SCATTERD_ASSIGN_OR_RETURN(Tensor output, MakeOutput(prepared, ticket));
  PlanOperands operands;
  if (NeedsData(call)) {
    SCATTERD_ASSIGN_OR_RETURN(
        operands.data, internal::Materialise(call.data, std::nullopt, ticket));
  }
  SCATTERD_ASSIGN_OR_RETURN(
      operands.indices,
      internal::Materialise(call.indices, prepared.plan.indices_view, ticket));
  if (prepared.plan.is_scatter) {
    SCATTERD_ASSIGN_OR_RETURN(
        operands.updates,
        internal::Materialise(call.updates, prepared.plan.updates_view,
                              ticket));
  }
  if (!call.options.fill_value) {
    call.options.fill_value =
        DefaultFill(prepared.plan.options.fill, prepared.plan.dtype);
  }
  if (call.options.fill_value) operands.fill_value = &*call.options.fill_value;

  SCATTERD_RETURN_IF_ERROR(backend_.Run(prepared.plan, operands, output,
                                        RunContext{pool_, cancellation}));

  OperatorResult result;
  result.output = std::move(output);
  result.stats.queue_ns = queue_ns;
  result.stats.compute_ns = stopwatch.elapsed_ns();
  result.stats.device = std::string(backend_.device());
  result.stats.bytes_read = prepared.operand_bytes;
  result.stats.bytes_written = prepared.output_bytes;
  return result;
}

}  // namespace scatterd
