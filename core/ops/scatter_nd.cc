// scatter_nd: output is data; the innermost vectors of indices are k-tuples,
// each of which selects the slice of data (after the batch dimensions) that
// the corresponding slice of updates meets (ONNX ScatterND-18; batch_dims as
// in gather_nd).  k = 0 is legal: the empty tuple selects the whole batch.
//
// C1 data has at least one axis.
// C2 indices is INT32 or INT64.
// C3 indices has at least one axis; TENSORFLOW and MINDSPORE: two.
// C4 0 <= batch_dims < min(rank(data), rank(indices)).
// C5 dims(indices)[:batch_dims] = dims(data)[:batch_dims].
// C6 k <= rank(data) - batch_dims; TENSORFLOW, MINDSPORE and PYTORCH: and
//    k >= 1.
// C7 updates has the dtype of data.
// C8 dims(updates) = dims(indices)[:-1] + dims(data)[batch_dims+k:]; PYTORCH,
//    NUMPY and JAX: or what broadcasts to it.
// C9 The reduction has a meaning for the dtype.
// C10 Every index is in its axis (OUT_OF_RANGE; see options.out_of_bounds).
// C11 Under duplicates = REJECT and reduction NONE, no slice is hit twice.
// C12 No integer is divided by zero.

#include <algorithm>
#include <optional>
#include <utility>

#include "core/errors.h"
#include "core/ops/checks.h"
#include "core/ops/operators.h"
#include "core/status_macros.h"

namespace scatterd::internal {
namespace {

constexpr absl::string_view kOp = "scatter_nd";

// Tuples of depth 0 are refused in some dialects.
int LeastDepth(const ResolvedOptions& options) {
  return options.empty_tuple == EmptyTuple::kRefuse ? 1 : 0;
}

// Indices of rank 1, one tuple, are refused in some dialects.
absl::Status CheckIndexVector(const OperatorInputs& inputs) {
  if (inputs.indices.shape.rank() > 1 ||
      inputs.options.index_vector == IndexVector::kTuple) {
    return absl::OkStatus();
  }
  return ConstraintError(kOp, 3, "indices",
                         "indices has too few axes (1 vs at least 2 in this "
                         "dialect)");
}

Shape UpdatesShape(const Shape& data, const Shape& indices, int batch_dims,
                   int depth) {
  Shape shape(indices.dims(0, indices.rank() - 1));
  shape.Append(data.dims(batch_dims + depth, data.rank()));
  return shape;
}

}  // namespace

absl::StatusOr<Plan> PlanScatterND(const OperatorInputs& inputs) {
  const Shape& data = inputs.data.shape;
  const Shape& indices = inputs.indices.shape;
  SCATTERD_RETURN_IF_ERROR(CheckHasAxis(kOp, 1, "data", inputs.data));
  SCATTERD_RETURN_IF_ERROR(CheckIndexDType(kOp, 2, inputs.indices));
  SCATTERD_RETURN_IF_ERROR(CheckHasAxis(kOp, 3, "indices", inputs.indices));
  SCATTERD_RETURN_IF_ERROR(CheckIndexVector(inputs));
  SCATTERD_ASSIGN_OR_RETURN(
      const int batch_dims,
      CheckBatchDims(kOp, 4, inputs.attributes.batch_dims,
                     std::min(data.rank(), indices.rank()) - 1,
                     "less than the ranks of data and indices"));
  SCATTERD_RETURN_IF_ERROR(CheckBatchExtents(kOp, 5, batch_dims, inputs));
  SCATTERD_ASSIGN_OR_RETURN(const int depth,
                            CheckDepth(kOp, 6, LeastDepth(inputs.options),
                                       batch_dims, data, indices));
  SCATTERD_RETURN_IF_ERROR(CheckUpdatesDType(kOp, 7, inputs));
  SCATTERD_ASSIGN_OR_RETURN(
      std::optional<StridedView> updates_view,
      FitUpdates(kOp, 8, inputs,
                 UpdatesShape(data, indices, batch_dims, depth)));
  SCATTERD_RETURN_IF_ERROR(CheckReduction(kOp, 9, inputs));

  Plan plan;
  plan.op = kOp;
  plan.is_scatter = true;
  plan.addressing = AddressTuples(inputs.data, indices, batch_dims, depth);
  plan.dtype = inputs.data.dtype;
  plan.indices_shape = indices;
  plan.indices_are_tuples = true;
  plan.reduction = inputs.attributes.reduction;
  plan.exclude_self = inputs.attributes.exclude_self;
  plan.options = inputs.options;
  plan.output = inputs.data;
  plan.updates_view = std::move(updates_view);
  plan.index_constraint = 10;
  plan.duplicates_constraint = 11;
  plan.divisor_constraint = 12;
  return plan;
}

}  // namespace scatterd::internal
