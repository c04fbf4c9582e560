// gather: output = data[:axis] x indices[batch_dims:] x data[axis+1:], the
// slices of data along one axis that indices names (ONNX Gather-13; batch_dims
// as in TensorFlow's gather).
//
// C1 data has at least one axis.
// C2 indices is INT32 or INT64.
// C3 -rank(data) <= axis < rank(data).
// C4 0 <= batch_dims <= min(rank(indices), axis), axis counted from the front;
//    TENSORFLOW: a negative batch_dims counts from rank(indices), and axis 0
//    means batch_dims.
// C5 dims(indices)[:batch_dims] = dims(data)[:batch_dims].
// C6 The output's rank and size can be expressed.
// C7 Every index is in its axis (OUT_OF_RANGE; see options.out_of_bounds).

#include <algorithm>

#include "core/ops/checks.h"
#include "core/ops/operators.h"
#include "core/status_macros.h"

namespace scatterd::internal {
namespace {

constexpr absl::string_view kOp = "gather";

Shape OutputShape(const Shape& data, const Shape& indices, int axis,
                  int batch_dims) {
  Shape shape(data.dims(0, axis));
  shape.Append(indices.dims(batch_dims, indices.rank()));
  shape.Append(data.dims(axis + 1, data.rank()));
  return shape;
}

SliceAddressing Address(const Shape& data, const Shape& indices, int axis,
                        int batch_dims) {
  SliceAddressing addressing;
  addressing.num_batches = Product(data.dims(0, batch_dims));
  addressing.num_outer = Product(data.dims(batch_dims, axis));
  addressing.tuples_per_batch =
      Product(indices.dims(batch_dims, indices.rank()));
  addressing.tuple = {IndexAxis{data[axis], 1, axis}};
  addressing.rows = data[axis];
  addressing.slice_elements = Product(data.dims(axis + 1, data.rank()));
  return addressing;
}

// batch_dims and axis with the defaults of the dialects that let batch_dims be
// negative: it counts from the rank of indices, and an axis of 0, the default,
// is the first axis after the batch.
OperatorAttributes Attributes(const OperatorInputs& inputs) {
  OperatorAttributes attributes = inputs.attributes;
  if (inputs.options.negative_batch_dims == NegativeBatchDims::kRefuse) {
    return attributes;
  }
  const int rank = inputs.indices.shape.rank();
  if (attributes.batch_dims < 0 && attributes.batch_dims >= -rank) {
    attributes.batch_dims += rank;
  }
  if (attributes.axis == 0) attributes.axis = attributes.batch_dims;
  return attributes;
}

}  // namespace

absl::StatusOr<Plan> PlanGather(const OperatorInputs& inputs) {
  const OperatorAttributes attributes = Attributes(inputs);
  const Shape& data = inputs.data.shape;
  const Shape& indices = inputs.indices.shape;
  SCATTERD_RETURN_IF_ERROR(CheckHasAxis(kOp, 1, "data", inputs.data));
  SCATTERD_RETURN_IF_ERROR(CheckIndexDType(kOp, 2, inputs.indices));
  SCATTERD_ASSIGN_OR_RETURN(const int axis,
                            CheckAxis(kOp, 3, attributes.axis, inputs.data));
  SCATTERD_ASSIGN_OR_RETURN(
      const int batch_dims,
      CheckBatchDims(kOp, 4, attributes.batch_dims,
                     std::min(indices.rank(), axis),
                     "at most axis and the rank of indices"));
  SCATTERD_RETURN_IF_ERROR(CheckBatchExtents(kOp, 5, batch_dims, inputs));

  Plan plan;
  plan.op = kOp;
  plan.output = {inputs.data.dtype,
                 OutputShape(data, indices, axis, batch_dims)};
  SCATTERD_RETURN_IF_ERROR(CheckOutput(kOp, 6, plan.output));
  plan.addressing = Address(data, indices, axis, batch_dims);
  plan.dtype = inputs.data.dtype;
  plan.indices_shape = indices;
  plan.options = inputs.options;
  plan.index_constraint = 7;
  return plan;
}

}  // namespace scatterd::internal
