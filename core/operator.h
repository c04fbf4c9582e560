// Operators: functions from the specs of their inputs to a plan.
//
// The rows are in core/ops/ops.inc.  An operator checks its constraints
// (numbered C1...Cn at the top of its file), works out the output and lowers
// itself to a plan; it touches no data.

#ifndef SCATTERD_CORE_OPERATOR_H_
#define SCATTERD_CORE_OPERATOR_H_

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "core/operator_id.h"
#include "core/options.h"
#include "core/plan.h"
#include "core/tensor.h"

namespace scatterd {

// What a planner may look at.
struct OperatorInputs {
  TensorSpec data;
  TensorSpec indices;
  TensorSpec updates;  // scatters only
  OperatorAttributes attributes;
  ResolvedOptions options;
};

// Plans one call of operator `id`.  INVALID_ARGUMENT names the constraint and
// the request field.
absl::StatusOr<Plan> MakePlan(OperatorId id, const OperatorInputs& inputs);

}  // namespace scatterd

#endif  // SCATTERD_CORE_OPERATOR_H_
