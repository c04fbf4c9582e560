#include "tests/testing/reference_ops.h"

#include <cstring>
#include <vector>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "core/status_macros.h"
#include "tests/testing/reference_fold.h"
#include "tests/testing/reference_shapes.h"

namespace scatterd::test {
namespace {

constexpr absl::string_view kBadIndexPayload = "reference/bad_index";

using Coordinates = std::vector<int64_t>;

Coordinates Unflatten(int64_t position, const Shape& shape) {
  Coordinates coordinates(shape.rank());
  for (int axis = shape.rank() - 1; axis >= 0; --axis) {
    coordinates[axis] = position % shape[axis];
    position /= shape[axis];
  }
  return coordinates;
}

int64_t Flatten(const Coordinates& coordinates, const Shape& shape) {
  int64_t position = 0;
  for (int axis = 0; axis < shape.rank(); ++axis) {
    position = position * shape[axis] + coordinates[axis];
  }
  return position;
}

void AppendTo(Coordinates& to, const Coordinates& from, int begin, int end) {
  to.insert(to.end(), from.begin() + begin, from.begin() + end);
}

// --- Indices ----------------------------------------------------------------

absl::Status OutOfRange(const BadIndex& bad) {
  absl::Status status = absl::OutOfRangeError("index out of range");
  status.SetPayload(kBadIndexPayload,
                    absl::Cord(absl::StrCat(bad.position, " ", bad.axis, " ",
                                            bad.axis_size)));
  return status;
}

// The position that an index means; nullopt if it is skipped.  OUT_OF_RANGE
// if the call must fail.
absl::StatusOr<std::optional<int64_t>> Resolve(int64_t index, int64_t size,
                                               const ResolvedOptions& options) {
  if (index < 0 && options.negative_indices == NegativeIndices::kFromEnd) {
    index += size;
  }
  if (0 <= index && index < size) return index;
  if (options.out_of_bounds == OutOfBounds::kSkip) return std::nullopt;
  if (options.out_of_bounds == OutOfBounds::kError || size == 0) {
    return absl::OutOfRangeError("");
  }
  if (options.out_of_bounds == OutOfBounds::kClamp) {
    return index < 0 ? 0 : size - 1;
  }
  return (index % size + size) % size;
}

int64_t IndexAt(const Tensor& indices, int64_t position) {
  if (indices.dtype() == DType::kInt32) {
    return indices.values<int32_t>()[position];
  }
  return indices.values<int64_t>()[position];
}

// A tuple's components (one for operators with an axis); empty optional if
// the tuple is skipped.
using Tuple = std::optional<std::vector<int64_t>>;

absl::StatusOr<Tuple> ResolveTuple(const ReferenceInputs& in, int64_t position,
                                   int depth, int first_axis,
                                   const ResolvedOptions& options) {
  std::vector<int64_t> components;
  bool skipped = false;
  for (int i = 0; i < depth; ++i) {
    const int axis = first_axis + i;
    const int64_t size = in.data.shape()[axis];
    const auto component =
        Resolve(IndexAt(in.indices, position * depth + i), size, options);
    if (!component.ok()) return OutOfRange({position, axis, size});
    if (!component->has_value()) skipped = true;
    components.push_back(component->value_or(0));
  }
  if (skipped) return Tuple();
  return components;
}

// Every tuple, in row-major order.
absl::StatusOr<std::vector<Tuple>> ResolveIndices(
    const ReferenceInputs& in, const ResolvedOptions& options) {
  const bool nd =
      in.op == OperatorId::kGatherND || in.op == OperatorId::kScatterND;
  const int depth = nd ? in.depth() : 1;
  const int first_axis = nd ? in.batch_dims() : in.axis();
  const Shape& shape = in.indices.shape();
  const int64_t num_tuples =
      Product(shape.dims(0, nd ? shape.rank() - 1 : shape.rank()));
  std::vector<Tuple> tuples;
  for (int64_t position = 0; position < num_tuples; ++position) {
    SCATTERD_ASSIGN_OR_RETURN(
        Tuple tuple, ResolveTuple(in, position, depth, first_axis, options));
    tuples.push_back(std::move(tuple));
  }
  return tuples;
}

// --- Which element of data belongs to an element of the other side ----------

// The other side is a gather's output or a scatter's updates; `at` is a
// position there.  nullopt: the tuple is skipped.
using Partner = std::optional<int64_t>;

Partner GatherPartner(const ReferenceInputs& in,
                      const std::vector<Tuple>& tuples, const Coordinates& at) {
  const int axis = in.axis();
  const int b = in.batch_dims();
  const int own_axes = in.indices.shape().rank() - b;
  Coordinates index_at;
  AppendTo(index_at, at, 0, b);
  AppendTo(index_at, at, axis, axis + own_axes);
  const Tuple& tuple = tuples[Flatten(index_at, in.indices.shape())];
  if (!tuple) return std::nullopt;
  Coordinates data_at;
  AppendTo(data_at, at, 0, axis);
  data_at.push_back(tuple->front());
  AppendTo(data_at, at, axis + own_axes, static_cast<int>(at.size()));
  return Flatten(data_at, in.data.shape());
}

Partner ElementsPartner(const ReferenceInputs& in,
                        const std::vector<Tuple>& tuples,
                        const Coordinates& at) {
  const Tuple& tuple = tuples[Flatten(at, in.indices.shape())];
  if (!tuple) return std::nullopt;
  Coordinates data_at = at;
  data_at[in.axis()] = tuple->front();
  return Flatten(data_at, in.data.shape());
}

Partner TuplesPartner(const ReferenceInputs& in,
                      const std::vector<Tuple>& tuples, const Coordinates& at) {
  const Shape& indices = in.indices.shape();
  const int outer_axes = indices.rank() - 1;
  const Coordinates outer(at.begin(), at.begin() + outer_axes);
  const Tuple& tuple =
      tuples[Flatten(outer, Shape(indices.dims(0, outer_axes)))];
  if (!tuple) return std::nullopt;
  Coordinates data_at;
  AppendTo(data_at, at, 0, in.batch_dims());
  AppendTo(data_at, *tuple, 0, in.depth());
  AppendTo(data_at, at, outer_axes, static_cast<int>(at.size()));
  return Flatten(data_at, in.data.shape());
}

Partner PartnerOf(const ReferenceInputs& in, const std::vector<Tuple>& tuples,
                  const Coordinates& at) {
  switch (in.op) {
    case OperatorId::kGather:
      return GatherPartner(in, tuples, at);
    case OperatorId::kGatherElements:
    case OperatorId::kScatterElements:
      return ElementsPartner(in, tuples, at);
    case OperatorId::kGatherND:
    case OperatorId::kScatterND:
      return TuplesPartner(in, tuples, at);
  }
  return std::nullopt;
}

// --- The two directions -----------------------------------------------------

absl::StatusOr<Tensor> GatherElementwise(const ReferenceInputs& in,
                                         const std::vector<Tuple>& tuples,
                                         const Shape& shape,
                                         const Tensor* fill_value) {
  const DType dtype = in.data.dtype();
  const size_t size = ElementSize(dtype);
  SCATTERD_ASSIGN_OR_RETURN(Tensor output, Tensor::Zeros({dtype, shape}));
  for (int64_t i = 0; i < output.num_elements(); ++i) {
    const Partner partner = PartnerOf(in, tuples, Unflatten(i, shape));
    std::byte* element = output.mutable_bytes() + i * size;
    if (partner) {
      std::memcpy(element, in.data.bytes() + *partner * size, size);
    } else if (fill_value != nullptr) {
      std::memcpy(element, fill_value->bytes(), size);
    }
  }
  output.ShareBlobs(in.data);
  if (fill_value != nullptr) output.ShareBlobs(*fill_value);
  return output;
}

Hits FindHits(const ReferenceInputs& in, const std::vector<Tuple>& tuples) {
  Hits hits;
  for (int64_t i = 0; i < in.updates.num_elements(); ++i) {
    const Partner partner =
        PartnerOf(in, tuples, Unflatten(i, in.updates.shape()));
    if (partner) hits[*partner].push_back(i);
  }
  return hits;
}

// --- The call ---------------------------------------------------------------

absl::StatusOr<Tensor> Materialize(const Operand& operand,
                                   absl::string_view field) {
  if (const auto* tensor = std::get_if<Tensor>(&operand)) return *tensor;
  if (const auto* zeros = std::get_if<ZerosSpec>(&operand)) {
    return Tensor::Zeros(zeros->spec);
  }
  return absl::InvalidArgumentError(absl::StrCat(field, " is missing"));
}

absl::StatusOr<ReferenceInputs> InputsOf(const OperatorCall& call) {
  ReferenceInputs in;
  in.op = call.op;
  in.attributes = call.attributes;
  SCATTERD_ASSIGN_OR_RETURN(in.data, Materialize(call.data, "data"));
  SCATTERD_ASSIGN_OR_RETURN(in.indices, Materialize(call.indices, "indices"));
  const bool scatter = call.op == OperatorId::kScatterElements ||
                       call.op == OperatorId::kScatterND;
  if (scatter) {
    SCATTERD_ASSIGN_OR_RETURN(in.updates, Materialize(call.updates, "updates"));
  }
  return in;
}

ResolvedOptions OnnxOptions(const ExecutionOptions& given) {
  ResolvedOptions options;
  options.out_of_bounds = given.out_of_bounds.value_or(OutOfBounds::kError);
  options.negative_indices =
      given.negative_indices.value_or(NegativeIndices::kFromEnd);
  options.duplicates = given.duplicates.value_or(Duplicates::kLastWins);
  options.nan = given.nan.value_or(NanPolicy::kPropagate);
  options.accumulation = given.accumulation.value_or(Accumulation::kNative);
  return options;
}

absl::Status CheckFillValue(const ReferenceInputs& in,
                            const ExecutionOptions& options) {
  if (!options.fill_value) return absl::OkStatus();
  const TensorSpec expected = {in.data.dtype(), Shape()};
  if (options.fill_value->spec() == expected) return absl::OkStatus();
  return absl::InvalidArgumentError("fill_value is no scalar of data's dtype");
}

}  // namespace

absl::StatusOr<Tensor> ReferenceCall(const OperatorCall& call) {
  SCATTERD_ASSIGN_OR_RETURN(const ReferenceInputs in, InputsOf(call));
  SCATTERD_ASSIGN_OR_RETURN(const Shape shape, ReferenceOutputShape(in));
  SCATTERD_RETURN_IF_ERROR(CheckFillValue(in, call.options));
  const ResolvedOptions options = OnnxOptions(call.options);
  SCATTERD_ASSIGN_OR_RETURN(const std::vector<Tuple> tuples,
                            ResolveIndices(in, options));
  if (in.op == OperatorId::kScatterElements ||
      in.op == OperatorId::kScatterND) {
    return FoldHits(in.data, in.updates, FindHits(in, tuples),
                    {in.attributes.reduction, in.attributes.exclude_self,
                     options.duplicates, options.nan, options.accumulation});
  }
  const auto& fill = call.options.fill_value;
  return GatherElementwise(in, tuples, shape, fill ? &*fill : nullptr);
}

std::optional<BadIndex> BadIndexOf(const absl::Status& status) {
  const absl::optional<absl::Cord> payload =
      status.GetPayload(kBadIndexPayload);
  if (!payload) return std::nullopt;
  const std::string text(*payload);
  const std::vector<std::string> fields = absl::StrSplit(text, ' ');
  BadIndex bad{};
  if (fields.size() != 3 || !absl::SimpleAtoi(fields[0], &bad.position) ||
      !absl::SimpleAtoi(fields[1], &bad.axis) ||
      !absl::SimpleAtoi(fields[2], &bad.axis_size)) {
    return std::nullopt;
  }
  return bad;
}

}  // namespace scatterd::test
