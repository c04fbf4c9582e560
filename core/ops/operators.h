// The planners, one per row of core/ops/ops.inc.  Constraints are listed at
// the top of each operator's file.

#ifndef SCATTERD_CORE_OPS_OPERATORS_H_
#define SCATTERD_CORE_OPS_OPERATORS_H_

#include "absl/status/statusor.h"
#include "core/operator.h"

namespace scatterd::internal {

#define SCATTERD_OPERATOR(id, rpc, name, is_scatter) \
  absl::StatusOr<Plan> Plan##rpc(const OperatorInputs& inputs);
#include "core/ops/ops.inc"

}  // namespace scatterd::internal

#endif  // SCATTERD_CORE_OPS_OPERATORS_H_
