#include "server/dispatcher.h"

#include <algorithm>
#include <utility>
#include <variant>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "core/dialect.h"
#include "core/errors.h"
#include "core/operator.h"
#include "core/status_macros.h"
#include "server/stopwatch.h"

namespace scatterd {
namespace {

absl::Status Unimplemented(OperatorId op, absl::string_view field) {
  return WithField(
      absl::UnimplementedError(absl::StrCat(
          OperatorName(op), ": ", field, " is not available in this version")),
      field);
}

absl::Status CheckOutputTarget(const OperatorCall& call) {
  if (std::holds_alternative<ResidentTarget>(call.output)) {
    return Unimplemented(call.op, "output.resident");
  }
  if (std::holds_alternative<SharedMemoryRef>(call.output)) {
    return Unimplemented(call.op, "output.shared_memory");
  }
  return absl::OkStatus();
}

absl::StatusOr<TensorSpec> ResolveOperand(OperatorId op,
                                          absl::string_view field,
                                          const Operand& operand) {
  if (const auto* tensor = std::get_if<Tensor>(&operand)) {
    return tensor->spec();
  }
  if (const auto* zeros = std::get_if<ZerosSpec>(&operand)) {
    return zeros->spec;
  }
  if (std::holds_alternative<ResidentRef>(operand)) {
    return Unimplemented(op, absl::StrCat(field, ".resident"));
  }
  if (std::holds_alternative<SharedMemoryRef>(operand)) {
    return Unimplemented(op, absl::StrCat(field, ".shared_memory"));
  }
  return ConstraintError(OperatorName(op), 0, field,
                         absl::StrCat(field, " is missing"));
}

absl::StatusOr<OperatorInputs> ResolveOperands(const OperatorCall& call) {
  OperatorInputs inputs;
  SCATTERD_ASSIGN_OR_RETURN(inputs.data,
                            ResolveOperand(call.op, "data", call.data));
  SCATTERD_ASSIGN_OR_RETURN(inputs.indices,
                            ResolveOperand(call.op, "indices", call.indices));
  if (IsScatter(call.op)) {
    SCATTERD_ASSIGN_OR_RETURN(inputs.updates,
                              ResolveOperand(call.op, "updates", call.updates));
  }
  inputs.attributes = call.attributes;
  return inputs;
}

bool IsCudaDevice(absl::string_view device) {
  return absl::ConsumePrefix(&device, "cuda:") && !device.empty() &&
         std::all_of(device.begin(), device.end(), absl::ascii_isdigit);
}

absl::Status CheckDevice(const OperatorCall& call, absl::string_view served) {
  const absl::string_view device = call.options.device;
  if (device.empty() || device == served) return absl::OkStatus();
  if (IsCudaDevice(device)) {
    return WithField(
        absl::FailedPreconditionError(absl::StrCat(
            OperatorName(call.op), ": this server has no such device (", device,
            " vs ", served, ")")),
        "options.device");
  }
  return ConstraintError(
      OperatorName(call.op), 0, "options.device",
      "device is not the name of one (expected cpu or cuda:<number>)");
}

absl::Status CheckFillValue(const OperatorCall& call, DType dtype) {
  if (!call.options.fill_value) return absl::OkStatus();
  const TensorSpec expected{dtype, Shape()};
  const TensorSpec& got = call.options.fill_value->spec();
  if (got == expected) return absl::OkStatus();
  return ConstraintError(
      OperatorName(call.op), 0, "options.fill_value",
      absl::StrCat("fill_value is not one element of data's dtype (",
                   got.ToString(), " vs ", expected.ToString(), ")"));
}

// A scatter onto zeros needs no tensor of them: the kernel starts from zero.
bool NeedsElements(const OperatorCall& call, const Operand& operand) {
  return !(IsScatter(call.op) && &operand == &call.data &&
           std::holds_alternative<ZerosSpec>(operand));
}

// The specs have passed MakePlan, so every size is known to fit.
uint64_t OperandBytes(const OperatorCall& call, const OperatorInputs& inputs) {
  uint64_t bytes = *CheckedByteSize(inputs.indices);
  if (NeedsElements(call, call.data)) bytes += *CheckedByteSize(inputs.data);
  if (IsScatter(call.op)) bytes += *CheckedByteSize(inputs.updates);
  return bytes;
}

// The operand's elements; zeros are made, others are there.  Null if the
// kernel does not need any.
absl::StatusOr<const Tensor*> Materialise(
    const OperatorCall& call, Operand& operand,
    const std::optional<StridedView>& view, Ticket& ticket) {
  if (!NeedsElements(call, operand)) return nullptr;
  if (const auto* zeros = std::get_if<ZerosSpec>(&operand)) {
    SCATTERD_ASSIGN_OR_RETURN(const size_t bytes, CheckedByteSize(zeros->spec));
    SCATTERD_RETURN_IF_ERROR(ticket.Grow(bytes));
    SCATTERD_ASSIGN_OR_RETURN(operand, Tensor::Zeros(zeros->spec));
  }
  if (view) {
    Tensor& tensor = std::get<Tensor>(operand);
    SCATTERD_RETURN_IF_ERROR(
        ticket.Grow(*CheckedByteSize({tensor.dtype(), view->shape})));
    SCATTERD_ASSIGN_OR_RETURN(tensor, Expand(*view, tensor));
  }
  return std::get_if<Tensor>(&operand);
}

// data itself, where the call holds the only reference to its elements and
// the output has its form; else a new tensor.
absl::StatusOr<Tensor> MakeOutput(const PreparedCall& prepared,
                                  Ticket& ticket) {
  const Tensor* data = std::get_if<Tensor>(&prepared.call.data);
  if (prepared.plan.is_scatter && data != nullptr &&
      data->elements().unique() && data->spec() == prepared.plan.output) {
    return *data;
  }
  SCATTERD_RETURN_IF_ERROR(ticket.Grow(prepared.output_bytes));
  SCATTERD_ASSIGN_OR_RETURN(Tensor output,
                            Tensor::Allocate(prepared.plan.output));
  if (data != nullptr) output.set_name(data->name());
  return output;
}

}  // namespace

absl::StatusOr<OperatorResult> Dispatcher::Dispatch(
    OperatorCall call, const Cancellation& cancellation, Ticket& ticket,
    uint64_t queue_ns) const {
  SCATTERD_ASSIGN_OR_RETURN(PreparedCall prepared, Prepare(std::move(call)));
  return Execute(std::move(prepared), cancellation, ticket, queue_ns);
}

absl::StatusOr<PreparedCall> Dispatcher::Prepare(OperatorCall call) const {
  SCATTERD_RETURN_IF_ERROR(CheckOutputTarget(call));
  SCATTERD_ASSIGN_OR_RETURN(OperatorInputs inputs, ResolveOperands(call));
  inputs.options = ResolveOptions(call.op, call.options);
  SCATTERD_RETURN_IF_ERROR(CheckDevice(call, backend_.device()));
  SCATTERD_RETURN_IF_ERROR(CheckFillValue(call, inputs.data.dtype));

  PreparedCall prepared;
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
    PreparedCall prepared, const Cancellation& cancellation, Ticket& ticket,
    uint64_t queue_ns) const {
  const Stopwatch stopwatch;
  SCATTERD_RETURN_IF_ERROR(cancellation.Check());

  OperatorCall& call = prepared.call;
  SCATTERD_ASSIGN_OR_RETURN(Tensor output, MakeOutput(prepared, ticket));
  PlanOperands operands;
  SCATTERD_ASSIGN_OR_RETURN(operands.data,
                            Materialise(call, call.data, std::nullopt, ticket));
  SCATTERD_ASSIGN_OR_RETURN(
      operands.indices,
      Materialise(call, call.indices, prepared.plan.indices_view, ticket));
  if (prepared.plan.is_scatter) {
    SCATTERD_ASSIGN_OR_RETURN(
        operands.updates,
        Materialise(call, call.updates, prepared.plan.updates_view, ticket));
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
