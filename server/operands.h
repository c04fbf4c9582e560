// What a call's operands and options are, before and while it runs.
//
// `op` is the name that errors begin with, `field` the request's field.

#ifndef SCATTERD_SERVER_OPERANDS_H_
#define SCATTERD_SERVER_OPERANDS_H_

#include <cstdint>
#include <optional>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "core/call.h"
#include "core/operator.h"
#include "core/strided_view.h"
#include "server/admission.h"

namespace scatterd::internal {

// UNIMPLEMENTED: this version does not have `field`.
absl::Status NotAvailable(absl::string_view op, absl::string_view field);

// The operand's dtype and shape.  INVALID_ARGUMENT if it is missing,
// UNIMPLEMENTED for a source that this version does not have.
absl::StatusOr<TensorSpec> ResolveOperand(absl::string_view op,
                                          absl::string_view field,
                                          const Operand& operand);

// The operands and attributes of a call; options are the caller's business.
absl::StatusOr<OperatorInputs> ResolveOperands(const OperatorCall& call);

// options.device is `served` or says nothing.  FAILED_PRECONDITION for a device
// that this server has not, INVALID_ARGUMENT for the name of none.
absl::Status CheckDevice(absl::string_view op, const ExecutionOptions& options,
                         absl::string_view served);

// options.fill_value is one element of data's dtype, if there is one.
absl::Status CheckFillValue(absl::string_view op,
                            const ExecutionOptions& options, DType dtype);

// The operand's elements as the kernel reads them: zeros are made, views are
// expanded, each after `ticket` has grown by it.  The operand keeps them.
// Errors as Ticket::Grow and Buffer::Allocate.
absl::StatusOr<const Tensor*> Materialise(
    Operand& operand, const std::optional<StridedView>& view, Ticket& ticket);

// A tensor to fill, after `ticket` has grown by it.
absl::StatusOr<Tensor> AllocateOutput(const TensorSpec& spec, Ticket& ticket);

}  // namespace scatterd::internal

#endif  // SCATTERD_SERVER_OPERANDS_H_
