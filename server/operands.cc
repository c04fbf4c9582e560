#include "server/operands.h"

#include <algorithm>
#include <variant>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "core/errors.h"
#include "core/operator_id.h"
#include "core/status_macros.h"

namespace scatterd::internal {
namespace {

bool IsCudaDevice(absl::string_view device) {
  return absl::ConsumePrefix(&device, "cuda:") && !device.empty() &&
         std::all_of(device.begin(), device.end(), absl::ascii_isdigit);
}

}  // namespace

absl::Status NotAvailable(absl::string_view op, absl::string_view field) {
  return WithField(absl::UnimplementedError(absl::StrCat(
                       op, ": ", field, " is not available in this version")),
                   field);
}

absl::StatusOr<TensorSpec> ResolveOperand(absl::string_view op,
                                          absl::string_view field,
                                          const Operand& operand) {
  if (const auto* tensor = std::get_if<Tensor>(&operand)) {
    return tensor->spec();
  }
  if (const auto* zeros = std::get_if<ZerosSpec>(&operand)) {
    return zeros->spec;
  }
  if (std::holds_alternative<ResidentRef>(operand)) {
    return NotAvailable(op, absl::StrCat(field, ".resident"));
  }
  if (std::holds_alternative<SharedMemoryRef>(operand)) {
    return NotAvailable(op, absl::StrCat(field, ".shared_memory"));
  }
  return ConstraintError(op, 0, field, absl::StrCat(field, " is missing"));
}

absl::StatusOr<OperatorInputs> ResolveOperands(const OperatorCall& call) {
  const absl::string_view op = OperatorName(call.op);
  OperatorInputs inputs;
  SCATTERD_ASSIGN_OR_RETURN(inputs.data, ResolveOperand(op, "data", call.data));
  SCATTERD_ASSIGN_OR_RETURN(inputs.indices,
                            ResolveOperand(op, "indices", call.indices));
  if (IsScatter(call.op)) {
    SCATTERD_ASSIGN_OR_RETURN(inputs.updates,
                              ResolveOperand(op, "updates", call.updates));
  }
  inputs.attributes = call.attributes;
  return inputs;
}

absl::Status CheckDevice(absl::string_view op, const ExecutionOptions& options,
                         absl::string_view served) {
  const absl::string_view device = options.device;
  if (device.empty() || device == served) return absl::OkStatus();
  if (IsCudaDevice(device)) {
    return WithField(absl::FailedPreconditionError(
                         absl::StrCat(op, ": this server has no such device (",
                                      device, " vs ", served, ")")),
                     "options.device");
  }
  return ConstraintError(
      op, 0, "options.device",
      "device is not the name of one (expected cpu or cuda:<number>)");
}

absl::Status CheckFillValue(absl::string_view op,
                            const ExecutionOptions& options, DType dtype) {
  if (!options.fill_value) return absl::OkStatus();
  const TensorSpec expected{dtype, Shape()};
  const TensorSpec& got = options.fill_value->spec();
  if (got == expected) return absl::OkStatus();
  return ConstraintError(
      op, 0, "options.fill_value",
      absl::StrCat("fill_value is not one element of data's dtype (",
                   got.ToString(), " vs ", expected.ToString(), ")"));
}

absl::StatusOr<const Tensor*> Materialise(
    Operand& operand, const std::optional<StridedView>& view, Ticket& ticket) {
  if (const auto* zeros = std::get_if<ZerosSpec>(&operand)) {
    SCATTERD_ASSIGN_OR_RETURN(const size_t bytes, CheckedByteSize(zeros->spec));
    SCATTERD_RETURN_IF_ERROR(ticket.Grow(bytes));
    SCATTERD_ASSIGN_OR_RETURN(operand, Tensor::Zeros(zeros->spec));
  }
  if (view) {
    Tensor& tensor = std::get<Tensor>(operand);
    SCATTERD_ASSIGN_OR_RETURN(const size_t bytes,
                              CheckedByteSize({tensor.dtype(), view->shape}));
    SCATTERD_RETURN_IF_ERROR(ticket.Grow(bytes));
    SCATTERD_ASSIGN_OR_RETURN(tensor, Expand(*view, tensor));
  }
  return std::get_if<Tensor>(&operand);
}

absl::StatusOr<Tensor> AllocateOutput(const TensorSpec& spec, Ticket& ticket) {
  SCATTERD_ASSIGN_OR_RETURN(const size_t bytes, CheckedByteSize(spec));
  SCATTERD_RETURN_IF_ERROR(ticket.Grow(bytes));
  return Tensor::Allocate(spec);
}

}  // namespace scatterd::internal
