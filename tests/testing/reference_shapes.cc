#include "tests/testing/reference_shapes.h"

#include <algorithm>

#include "absl/strings/str_cat.h"
#include "core/status_macros.h"

namespace scatterd::test {
namespace {

absl::Status Require(bool condition, absl::string_view what) {
  if (condition) return absl::OkStatus();
  return absl::InvalidArgumentError(absl::StrCat("broken: ", what));
}

Shape Concatenate(absl::Span<const int64_t> a, absl::Span<const int64_t> b,
                  absl::Span<const int64_t> c = {}) {
  Shape shape;
  for (const absl::Span<const int64_t> dims : {a, b, c}) shape.Append(dims);
  return shape;
}

bool SameBatches(const ReferenceInputs& in) {
  for (int d = 0; d < in.batch_dims(); ++d) {
    if (in.data.shape()[d] != in.indices.shape()[d]) return false;
  }
  return true;
}

absl::Status CheckAxisAttribute(const ReferenceInputs& in) {
  const int64_t rank = in.data.shape().rank();
  SCATTERD_RETURN_IF_ERROR(Require(rank >= 1, "rank of data >= 1"));
  const int64_t axis = in.attributes.axis;
  return Require(-rank <= axis && axis < rank, "-r <= axis < r");
}

absl::StatusOr<Shape> GatherShape(const ReferenceInputs& in) {
  SCATTERD_RETURN_IF_ERROR(CheckAxisAttribute(in));
  const Shape& data = in.data.shape();
  const Shape& indices = in.indices.shape();
  const int64_t b = in.attributes.batch_dims;
  SCATTERD_RETURN_IF_ERROR(
      Require(0 <= b && b <= std::min(indices.rank(), in.axis()),
              "0 <= batch_dims <= min(q, axis)"));
  SCATTERD_RETURN_IF_ERROR(Require(SameBatches(in), "Q[:b] == D[:b]"));
  return Concatenate(data.dims(0, in.axis()),
                     indices.dims(in.batch_dims(), indices.rank()),
                     data.dims(in.axis() + 1, data.rank()));
}

absl::Status CheckElements(const ReferenceInputs& in) {
  SCATTERD_RETURN_IF_ERROR(CheckAxisAttribute(in));
  const Shape& data = in.data.shape();
  const Shape& indices = in.indices.shape();
  SCATTERD_RETURN_IF_ERROR(Require(data.rank() == indices.rank(), "q == r"));
  for (int d = 0; d < data.rank(); ++d) {
    SCATTERD_RETURN_IF_ERROR(
        Require(d == in.axis() || indices[d] <= data[d], "Q[d] <= D[d]"));
  }
  return absl::OkStatus();
}

absl::Status CheckTuples(const ReferenceInputs& in) {
  const int r = in.data.shape().rank();
  const int q = in.indices.shape().rank();
  SCATTERD_RETURN_IF_ERROR(Require(r >= 1 && q >= 1, "r >= 1, q >= 1"));
  const int64_t b = in.attributes.batch_dims;
  SCATTERD_RETURN_IF_ERROR(
      Require(0 <= b && b < std::min(q, r), "0 <= b < min(q, r)"));
  SCATTERD_RETURN_IF_ERROR(Require(SameBatches(in), "Q[:b] == D[:b]"));
  return Require(b + in.indices.shape()[q - 1] <= r, "b + k <= r");
}

// Q[:-1] + D[b+k:].
Shape TupleSideShape(const ReferenceInputs& in) {
  const Shape& data = in.data.shape();
  const Shape& indices = in.indices.shape();
  return Concatenate(indices.dims(0, indices.rank() - 1),
                     data.dims(in.batch_dims() + in.depth(), data.rank()));
}

absl::StatusOr<Shape> GatherNDShape(const ReferenceInputs& in) {
  SCATTERD_RETURN_IF_ERROR(CheckTuples(in));
  SCATTERD_RETURN_IF_ERROR(Require(in.depth() >= 1, "k >= 1"));
  return TupleSideShape(in);
}

bool ReductionIsDefined(DTypeKind kind, Reduction reduction) {
  if (reduction == Reduction::kNone) return true;
  const bool ordering =
      reduction == Reduction::kMax || reduction == Reduction::kMin;
  switch (kind) {
    case DTypeKind::kInteger:
    case DTypeKind::kFloat:
    case DTypeKind::kHalf:
      return true;
    case DTypeKind::kComplex:
      return !ordering;
    case DTypeKind::kBool:
      return ordering || reduction == Reduction::kAdd ||
             reduction == Reduction::kMul;
    case DTypeKind::kString:
      return ordering || reduction == Reduction::kAdd;
    case DTypeKind::kOpaque:
      return false;
  }
  return false;
}

absl::StatusOr<Shape> ScatterShape(const ReferenceInputs& in,
                                   const Shape& updates_shape) {
  SCATTERD_RETURN_IF_ERROR(
      Require(in.updates.dtype() == in.data.dtype(), "dtype of updates"));
  SCATTERD_RETURN_IF_ERROR(
      Require(in.updates.shape() == updates_shape, "shape of updates"));
  SCATTERD_RETURN_IF_ERROR(Require(
      ReductionIsDefined(KindOf(in.data.dtype()), in.attributes.reduction),
      "reduction has a meaning for the dtype"));
  return in.data.shape();
}

absl::StatusOr<Shape> ShapeOf(const ReferenceInputs& in) {
  switch (in.op) {
    case OperatorId::kGather:
      return GatherShape(in);
    case OperatorId::kGatherElements:
      SCATTERD_RETURN_IF_ERROR(CheckElements(in));
      return in.indices.shape();
    case OperatorId::kGatherND:
      return GatherNDShape(in);
    case OperatorId::kScatterElements:
      SCATTERD_RETURN_IF_ERROR(CheckElements(in));
      return ScatterShape(in, in.indices.shape());
    case OperatorId::kScatterND:
      SCATTERD_RETURN_IF_ERROR(CheckTuples(in));
      return ScatterShape(in, TupleSideShape(in));
  }
  return absl::InternalError("no such operator");
}

}  // namespace

int ReferenceInputs::axis() const {
  const int64_t axis = attributes.axis;
  return static_cast<int>(axis < 0 ? axis + data.shape().rank() : axis);
}

int ReferenceInputs::depth() const {
  return static_cast<int>(indices.shape()[indices.shape().rank() - 1]);
}

absl::StatusOr<Shape> ReferenceOutputShape(const ReferenceInputs& in) {
  const DType index = in.indices.dtype();
  SCATTERD_RETURN_IF_ERROR(Require(
      index == DType::kInt32 || index == DType::kInt64, "dtype of indices"));
  SCATTERD_ASSIGN_OR_RETURN(Shape shape, ShapeOf(in));
  SCATTERD_RETURN_IF_ERROR(Require(shape.rank() <= 32, "rank of the output"));
  return shape;
}

}  // namespace scatterd::test
