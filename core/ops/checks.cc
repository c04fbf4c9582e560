#include "core/ops/checks.h"

#include <algorithm>

#include "absl/strings/str_cat.h"
#include "core/errors.h"

namespace scatterd::internal {
namespace {

bool IsArithmetic(Reduction reduction) {
  return reduction != Reduction::kNone && reduction != Reduction::kMax &&
         reduction != Reduction::kMin;
}

// Why the pair has no meaning; empty if it has one.
absl::string_view ReductionProblem(DTypeKind kind, Reduction reduction,
                                   ComplexOrder order) {
  const bool ordering =
      reduction == Reduction::kMax || reduction == Reduction::kMin;
  switch (kind) {
    case DTypeKind::kInteger:
    case DTypeKind::kFloat:
    case DTypeKind::kHalf:
      return "";
    case DTypeKind::kComplex:
      return ordering && order == ComplexOrder::kRefuse
                 ? "complex numbers have no order"
                 : "";
    case DTypeKind::kBool:
      return IsArithmetic(reduction) && reduction != Reduction::kAdd &&
                     reduction != Reduction::kMul
                 ? "bool has or (add, max) and and (mul, min) only"
                 : "";
    case DTypeKind::kString:
      return IsArithmetic(reduction) && reduction != Reduction::kAdd
                 ? "strings can be concatenated (add) and ordered (max, min) "
                   "only"
                 : "";
    case DTypeKind::kOpaque:
      return reduction != Reduction::kNone ? "8-bit floats can only be moved"
                                           : "";
  }
  return "";
}

// Merges neighbouring axes [begin, end) of `indices` into as few extents as
// their strides in data allow.
absl::InlinedVector<Extent, 4> MergeAxes(const Shape& data,
                                         const Shape& indices, int begin,
                                         int end) {
  absl::InlinedVector<Extent, 4> extents;
  int64_t stride = Product(data.dims(end, data.rank()));
  for (int axis = end - 1; axis >= begin; --axis) {
    // Data of extent 1 repeats along a longer axis of indices.
    const int64_t step = data[axis] == 1 ? 0 : stride;
    if (indices[axis] == 1) {
      // One position, at offset 0.
    } else if (!extents.empty() &&
               step == extents.front().size * extents.front().data_stride) {
      extents.front().size *= indices[axis];
    } else {
      extents.insert(extents.begin(), Extent{indices[axis], step});
    }
    stride *= data[axis];
  }
  return extents;
}

}  // namespace

absl::Status CheckHasAxis(absl::string_view op, int n, absl::string_view field,
                          const TensorSpec& spec) {
  if (spec.shape.rank() >= 1) return absl::OkStatus();
  return ConstraintError(op, n, field,
                         absl::StrCat(field,
                                      " is a scalar (rank 0 vs at "
                                      "least 1)"));
}

absl::Status CheckIndexDType(absl::string_view op, int n,
                             const TensorSpec& indices) {
  if (indices.dtype == DType::kInt32 || indices.dtype == DType::kInt64) {
    return absl::OkStatus();
  }
  return ConstraintError(
      op, n, "indices",
      absl::StrCat("indices has the wrong dtype (", DTypeName(indices.dtype),
                   " vs INT32 or INT64)"));
}

absl::StatusOr<int> CheckAxis(absl::string_view op, int n, int64_t axis,
                              const TensorSpec& data) {
  const int rank = data.shape.rank();
  if (axis < -rank || axis >= rank) {
    return ConstraintError(
        op, n, "axis",
        absl::StrCat("axis is out of range for data of shape ",
                     data.shape.ToString(), " (", axis, " vs [", -rank, ", ",
                     rank - 1, "])"));
  }
  return static_cast<int>(axis < 0 ? axis + rank : axis);
}

absl::StatusOr<int> CheckBatchDims(absl::string_view op, int n,
                                   int64_t batch_dims, int limit,
                                   absl::string_view limit_name) {
  if (batch_dims < 0 || batch_dims > limit) {
    return ConstraintError(op, n, "batch_dims",
                           absl::StrCat("batch_dims must be ", limit_name, " (",
                                        batch_dims, " vs [0, ", limit, "])"));
  }
  return static_cast<int>(batch_dims);
}

absl::Status CheckBatchExtents(absl::string_view op, int n, int batch_dims,
                               const OperatorInputs& inputs) {
  for (int axis = 0; axis < batch_dims; ++axis) {
    const int64_t got = inputs.indices.shape[axis];
    const int64_t expected = inputs.data.shape[axis];
    if (got == expected) continue;
    return ConstraintError(
        op, n, "indices",
        absl::StrCat("indices and data differ in batch dimension ", axis, " (",
                     got, " vs ", expected, ")"));
  }
  return absl::OkStatus();
}

absl::Status CheckSameRank(absl::string_view op, int n,
                           const OperatorInputs& inputs) {
  const int got = inputs.indices.shape.rank();
  const int expected = inputs.data.shape.rank();
  if (got == expected) return absl::OkStatus();
  return ConstraintError(op, n, "indices",
                         absl::StrCat("indices must have the rank of data (",
                                      got, " vs ", expected, ")"));
}

absl::StatusOr<FittedIndices> FitIndicesOffAxis(absl::string_view op, int n,
                                                int axis,
                                                const OperatorInputs& inputs) {
  const bool broadcasts = inputs.options.shapes == ShapeRule::kBroadcast;
  FittedIndices fitted{inputs.indices.shape, std::nullopt};
  Shape shape;
  for (int d = 0; d < inputs.data.shape.rank(); ++d) {
    const int64_t got = inputs.indices.shape[d];
    const int64_t data = inputs.data.shape[d];
    const bool fits = d == axis || got == data ||
                      (broadcasts ? got == 1 || data == 1 : got < data);
    if (!fits) {
      return ConstraintError(
          op, n, "indices",
          broadcasts
              ? absl::StrCat("indices and data do not broadcast on axis ", d,
                             " (", got, " vs 1 or ", data, ")")
              : absl::StrCat("indices is longer than data on axis ", d, " (",
                             got, " vs at most ", data, ")"));
    }
    shape.Append(broadcasts && d != axis && got == 1 ? data : got);
  }
  if (shape != fitted.shape) {
    fitted.view = BroadcastView(fitted.shape, shape);
    fitted.shape = shape;
  }
  return fitted;
}

absl::Status CheckUpdatesDType(absl::string_view op, int n,
                               const OperatorInputs& inputs) {
  if (inputs.updates.dtype == inputs.data.dtype) return absl::OkStatus();
  return ConstraintError(op, n, "updates",
                         absl::StrCat("updates must have the dtype of data (",
                                      DTypeName(inputs.updates.dtype), " vs ",
                                      DTypeName(inputs.data.dtype), ")"));
}

absl::StatusOr<std::optional<StridedView>> FitUpdates(
    absl::string_view op, int n, const OperatorInputs& inputs,
    const Shape& expected) {
  const Shape& got = inputs.updates.shape;
  if (got == expected) return std::nullopt;
  std::optional<StridedView> view;
  absl::string_view relation = "";
  if (inputs.options.shapes == ShapeRule::kBroadcast) {
    view = BroadcastView(got, expected);
    relation = "what broadcasts to ";
  } else if (inputs.options.shapes == ShapeRule::kLeading) {
    view = CornerView(got, expected);
    relation = "at least ";
  }
  if (view) {
    const absl::StatusOr<size_t> bytes =
        CheckedByteSize({inputs.updates.dtype, expected});
    if (bytes.ok()) return view;
    return ConstraintError(
        op, n, "updates",
        absl::StrCat("updates, broadcast: ", bytes.status().message()));
  }
  return ConstraintError(
      op, n, "updates",
      absl::StrCat("updates has the wrong shape (", got.ToString(), " vs ",
                   relation, expected.ToString(), ")"));
}

absl::Status CheckReduction(absl::string_view op, int n,
                            const OperatorInputs& inputs) {
  const Reduction reduction = inputs.attributes.reduction;
  const absl::string_view problem = ReductionProblem(
      KindOf(inputs.data.dtype), reduction, inputs.options.complex_order);
  if (problem.empty()) return absl::OkStatus();
  return ConstraintError(
      op, n, "reduction",
      absl::StrCat("reduction ", ReductionName(reduction),
                   " has no meaning for ", DTypeName(inputs.data.dtype), ": ",
                   problem));
}

absl::Status CheckOutput(absl::string_view op, int n,
                         const TensorSpec& output) {
  const absl::StatusOr<size_t> bytes = CheckedByteSize(output);
  if (bytes.ok()) return absl::OkStatus();
  return ConstraintError(op, n, "indices",
                         absl::StrCat("output: ", bytes.status().message()));
}

absl::StatusOr<int> CheckDepth(absl::string_view op, int n, int least,
                               int batch_dims, const Shape& data,
                               const Shape& indices) {
  const int64_t depth = indices[indices.rank() - 1];
  const int limit = data.rank() - batch_dims;
  if (depth < least || depth > limit) {
    return ConstraintError(
        op, n, "indices",
        absl::StrCat("the last dimension of indices must fit the axes of data "
                     "after batch_dims (",
                     depth, " vs [", least, ", ", limit, "])"));
  }
  return static_cast<int>(depth);
}

ElementAddressing AddressElements(const TensorSpec& data, const Shape& indices,
                                  int axis) {
  const Shape& shape = data.shape;
  ElementAddressing addressing;
  addressing.outer = MergeAxes(shape, indices, 0, axis);
  addressing.inner = MergeAxes(shape, indices, axis + 1, shape.rank());
  addressing.axis_positions = indices[axis];
  addressing.axis_size = shape[axis];
  addressing.axis_stride = Product(shape.dims(axis + 1, shape.rank()));
  addressing.axis = axis;
  return addressing;
}

SliceAddressing AddressTuples(const TensorSpec& data, const Shape& indices,
                              int batch_dims, int depth) {
  const Shape& shape = data.shape;
  SliceAddressing addressing;
  addressing.num_batches = Product(indices.dims(0, batch_dims));
  addressing.tuples_per_batch =
      Product(indices.dims(batch_dims, indices.rank() - 1));
  int64_t stride = 1;
  addressing.tuple.resize(static_cast<size_t>(depth));
  for (int c = depth - 1; c >= 0; --c) {
    const int axis = batch_dims + c;
    addressing.tuple[static_cast<size_t>(c)] = {shape[axis], stride, axis};
    stride *= shape[axis];
  }
  addressing.rows = stride;
  addressing.slice_elements =
      Product(shape.dims(batch_dims + depth, shape.rank()));
  return addressing;
}

}  // namespace scatterd::internal
