// gather_elements: output has the shape of indices; each element comes from
// data at the element's own position with the coordinate on `axis` replaced by
// the index (ONNX GatherElements-13).
//
// C1 data has at least one axis.
// C2 indices is INT32 or INT64.
// C3 -rank(data) <= axis < rank(data).
// C4 rank(indices) = rank(data).
// C5 Off the axis, dims(indices) <= dims(data); NUMPY and JAX: equal, or one
//    of them 1, which broadcasts.
// C6 The output's size can be expressed.
// C7 Every index is in its axis (OUT_OF_RANGE; see options.out_of_bounds).

#include <optional>
#include <utility>

#include "core/ops/checks.h"
#include "core/ops/operators.h"
#include "core/status_macros.h"

namespace scatterd::internal {
namespace {

constexpr absl::string_view kOp = "gather_elements";

}  // namespace

absl::StatusOr<Plan> PlanGatherElements(const OperatorInputs& inputs) {
  SCATTERD_RETURN_IF_ERROR(CheckHasAxis(kOp, 1, "data", inputs.data));
  SCATTERD_RETURN_IF_ERROR(CheckIndexDType(kOp, 2, inputs.indices));
  SCATTERD_ASSIGN_OR_RETURN(
      const int axis, CheckAxis(kOp, 3, inputs.attributes.axis, inputs.data));
  SCATTERD_RETURN_IF_ERROR(CheckSameRank(kOp, 4, inputs));
  SCATTERD_ASSIGN_OR_RETURN(FittedIndices indices,
                            FitIndicesOffAxis(kOp, 5, axis, inputs));

  Plan plan;
  plan.op = kOp;
  plan.output = {inputs.data.dtype, indices.shape};
  SCATTERD_RETURN_IF_ERROR(CheckOutput(kOp, 6, plan.output));
  plan.addressing = AddressElements(inputs.data, indices.shape, axis);
  plan.dtype = inputs.data.dtype;
  plan.indices_shape = indices.shape;
  plan.indices_view = std::move(indices.view);
  plan.options = inputs.options;
  plan.index_constraint = 7;
  return plan;
}

}  // namespace scatterd::internal
