// scatter_elements: output is data; each element of updates meets the element
// at its own position with the coordinate on `axis` replaced by the index
// (ONNX ScatterElements-18, MindSpore tensor_scatter_elements).
//
// C1 data has at least one axis.
// C2 indices is INT32 or INT64.
// C3 -rank(data) <= axis < rank(data).
// C4 rank(indices) = rank(data).
// C5 Off the axis, dims(indices) <= dims(data); NUMPY and JAX: equal, or one
//    of them 1, which broadcasts.
// C6 updates has the dtype of data.
// C7 updates has the shape of indices; PYTORCH: or is longer; NUMPY and JAX: or
//    broadcasts to it.
// C8 The reduction has a meaning for the dtype.
// C9 Every index is in its axis (OUT_OF_RANGE; see options.out_of_bounds).
// C10 Under duplicates = REJECT and reduction NONE, no element is hit twice.
// C11 No integer is divided by zero.

#include <optional>
#include <utility>

#include "core/ops/checks.h"
#include "core/ops/operators.h"
#include "core/status_macros.h"

namespace scatterd::internal {
namespace {

constexpr absl::string_view kOp = "scatter_elements";

}  // namespace

absl::StatusOr<Plan> PlanScatterElements(const OperatorInputs& inputs) {
  SCATTERD_RETURN_IF_ERROR(CheckHasAxis(kOp, 1, "data", inputs.data));
  SCATTERD_RETURN_IF_ERROR(CheckIndexDType(kOp, 2, inputs.indices));
  SCATTERD_ASSIGN_OR_RETURN(
      const int axis, CheckAxis(kOp, 3, inputs.attributes.axis, inputs.data));
  SCATTERD_RETURN_IF_ERROR(CheckSameRank(kOp, 4, inputs));
  SCATTERD_ASSIGN_OR_RETURN(FittedIndices indices,
                            FitIndicesOffAxis(kOp, 5, axis, inputs));
  SCATTERD_RETURN_IF_ERROR(CheckUpdatesDType(kOp, 6, inputs));
  SCATTERD_ASSIGN_OR_RETURN(std::optional<StridedView> updates_view,
                            FitUpdates(kOp, 7, inputs, indices.shape));
  SCATTERD_RETURN_IF_ERROR(CheckReduction(kOp, 8, inputs));

  Plan plan;
  plan.op = kOp;
  plan.is_scatter = true;
  plan.addressing = AddressElements(inputs.data, indices.shape, axis);
  plan.dtype = inputs.data.dtype;
  plan.indices_shape = indices.shape;
  plan.indices_view = std::move(indices.view);
  plan.reduction = inputs.attributes.reduction;
  plan.exclude_self = inputs.attributes.exclude_self;
  plan.options = inputs.options;
  plan.output = inputs.data;
  plan.updates_view = std::move(updates_view);
  plan.index_constraint = 9;
  plan.duplicates_constraint = 10;
  plan.divisor_constraint = 11;
  return plan;
}

}  // namespace scatterd::internal
