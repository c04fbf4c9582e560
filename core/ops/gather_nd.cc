// gather_nd: the innermost vectors of indices are k-tuples, each of which
// selects a slice of data after the batch dimensions; output =
// dims(indices)[:-1] + dims(data)[batch_dims+k:] (ONNX GatherND-13).
//
// C1 data has at least one axis.
// C2 indices is INT32 or INT64.
// C3 indices has at least one axis.
// C4 0 <= batch_dims < min(rank(data), rank(indices)).
// C5 dims(indices)[:batch_dims] = dims(data)[:batch_dims].
// C6 1 <= k <= rank(data) - batch_dims; TENSORFLOW, PYTORCH, JAX and NUMPY: or
//    k = 0.
// C7 The output's rank and size can be expressed.
// C8 Every index is in its axis (OUT_OF_RANGE; see options.out_of_bounds).

#include <algorithm>

#include "core/ops/checks.h"
#include "core/ops/operators.h"
#include "core/status_macros.h"

namespace scatterd::internal {
namespace {

constexpr absl::string_view kOp = "gather_nd";

// Tuples of depth 0 copy all of data, in the dialects that have them.
int LeastDepth(const ResolvedOptions& options) {
  return options.empty_tuple == EmptyTuple::kWhole ? 0 : 1;
}

}  // namespace

absl::StatusOr<Plan> PlanGatherND(const OperatorInputs& inputs) {
  const Shape& data = inputs.data.shape;
  const Shape& indices = inputs.indices.shape;
  SCATTERD_RETURN_IF_ERROR(CheckHasAxis(kOp, 1, "data", inputs.data));
  SCATTERD_RETURN_IF_ERROR(CheckIndexDType(kOp, 2, inputs.indices));
  SCATTERD_RETURN_IF_ERROR(CheckHasAxis(kOp, 3, "indices", inputs.indices));
  SCATTERD_ASSIGN_OR_RETURN(
      const int batch_dims,
      CheckBatchDims(kOp, 4, inputs.attributes.batch_dims,
                     std::min(data.rank(), indices.rank()) - 1,
                     "less than the ranks of data and indices"));
  SCATTERD_RETURN_IF_ERROR(CheckBatchExtents(kOp, 5, batch_dims, inputs));
  SCATTERD_ASSIGN_OR_RETURN(const int depth,
                            CheckDepth(kOp, 6, LeastDepth(inputs.options),
                                       batch_dims, data, indices));

  Plan plan;
  plan.op = kOp;
  plan.output.dtype = inputs.data.dtype;
  plan.output.shape.Append(indices.dims(0, indices.rank() - 1));
  plan.output.shape.Append(data.dims(batch_dims + depth, data.rank()));
  SCATTERD_RETURN_IF_ERROR(CheckOutput(kOp, 7, plan.output));
  plan.addressing = AddressTuples(inputs.data, indices, batch_dims, depth);
  plan.dtype = inputs.data.dtype;
  plan.indices_shape = indices;
  plan.indices_are_tuples = true;
  plan.options = inputs.options;
  plan.index_constraint = 8;
  return plan;
}

}  // namespace scatterd::internal
