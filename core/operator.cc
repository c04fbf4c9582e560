#include "core/operator.h"

#include "absl/strings/str_cat.h"
#include "core/errors.h"
#include "core/ops/operators.h"
#include "core/status_macros.h"

namespace scatterd {
namespace {

absl::Status CheckOperand(OperatorId id, absl::string_view field,
                          const TensorSpec& spec) {
  const absl::StatusOr<size_t> bytes = CheckedByteSize(spec);
  if (bytes.ok()) return absl::OkStatus();
  return ConstraintError(OperatorName(id), 0, field,
                         absl::StrCat(field, ": ", bytes.status().message()));
}

absl::Status CheckOperands(OperatorId id, const OperatorInputs& inputs) {
  SCATTERD_RETURN_IF_ERROR(CheckOperand(id, "data", inputs.data));
  SCATTERD_RETURN_IF_ERROR(CheckOperand(id, "indices", inputs.indices));
  if (!IsScatter(id)) return absl::OkStatus();
  return CheckOperand(id, "updates", inputs.updates);
}

}  // namespace

absl::StatusOr<Plan> MakePlan(OperatorId id, const OperatorInputs& inputs) {
  SCATTERD_RETURN_IF_ERROR(CheckOperands(id, inputs));
  switch (id) {
#define SCATTERD_OPERATOR(id, rpc, name, is_scatter) \
  case OperatorId::id:                               \
    return internal::Plan##rpc(inputs);
#include "core/ops/ops.inc"
  }
  return absl::UnimplementedError("unknown operator");
}

}  // namespace scatterd
