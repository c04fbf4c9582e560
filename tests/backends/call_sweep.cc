#include "tests/backends/call_sweep.h"

#include <algorithm>
#include <limits>

#include "tests/testing/tensor_literals.h"

namespace scatterd::test {
namespace {

constexpr int kMaxSweptRank = 6;

Shape Concatenate(absl::Span<const int64_t> a, const Shape& b) {
  Shape shape(a);
  shape.Append(b.dims());
  return shape;
}

// A few short extents, so that products stay small.
Shape IndexShape(int rank, RandomTensors& random) {
  const bool empty = random.OneIn(16);
  Shape shape;
  for (int axis = 0; axis < rank; ++axis) {
    shape.Append(empty ? 0 : 1 + random.Below(rank == 1 ? 6 : 3));
  }
  return shape;
}

std::vector<ShapeCase> SweepGather(RandomTensors& random) {
  std::vector<ShapeCase> cases;
  for (int r = 1; r <= kMaxSweptRank; ++r) {
    for (int axis = -r; axis < r; ++axis) {
      const int from_front = axis < 0 ? axis + r : axis;
      for (int q = 0; q <= 3; ++q) {
        for (int b = 0; b <= std::min(q, from_front); ++b) {
          ShapeCase shapes;
          shapes.data = random.SmallShape(r, true);
          shapes.indices =
              Concatenate(shapes.data.dims(0, b), IndexShape(q - b, random));
          shapes.attributes.axis = axis;
          shapes.attributes.batch_dims = b;
          cases.push_back(shapes);
        }
      }
    }
  }
  return cases;
}

// Off the axis, indices is as long as data or shorter.
int64_t ExtentWithin(int64_t extent, RandomTensors& random) {
  if (extent == 0 || random.OneIn(32)) return 0;
  return random.OneIn(3) ? 1 + random.Below(extent) : extent;
}

std::vector<ShapeCase> SweepElements(RandomTensors& random) {
  std::vector<ShapeCase> cases;
  for (int r = 1; r <= kMaxSweptRank; ++r) {
    for (int axis = -r; axis < r; ++axis) {
      for (int variant = 0; variant < 3; ++variant) {
        ShapeCase shapes;
        shapes.data = random.SmallShape(r, true);
        for (int d = 0; d < r; ++d) {
          const bool is_axis = d == axis || d == axis + r;
          shapes.indices.Append(is_axis ? random.Below(8)
                                        : ExtentWithin(shapes.data[d], random));
        }
        shapes.updates = shapes.indices;
        shapes.attributes.axis = axis;
        cases.push_back(shapes);
      }
    }
  }
  return cases;
}

std::vector<ShapeCase> SweepTuples(int min_depth, RandomTensors& random) {
  std::vector<ShapeCase> cases;
  for (int r = 1; r <= kMaxSweptRank; ++r) {
    for (int q = 1; q <= 4; ++q) {
      for (int b = 0; b < std::min(q, r); ++b) {
        for (int k = min_depth; k <= r - b; ++k) {
          ShapeCase shapes;
          shapes.data = random.SmallShape(r, true);
          shapes.indices = Concatenate(shapes.data.dims(0, b),
                                       IndexShape(q - 1 - b, random));
          shapes.updates = shapes.indices;
          shapes.updates.Append(shapes.data.dims(b + k, r));
          shapes.indices.Append(k);
          shapes.attributes.batch_dims = b;
          cases.push_back(shapes);
        }
      }
    }
  }
  return cases;
}

ExecutionOptions RandomOptions(RandomTensors& random) {
  ExecutionOptions options;
  if (!random.OneIn(3)) {
    options.out_of_bounds = static_cast<OutOfBounds>(1 + random.Below(4));
  }
  if (random.OneIn(2)) {
    options.negative_indices =
        static_cast<NegativeIndices>(1 + random.Below(2));
  }
  if (random.OneIn(2)) {
    options.duplicates = static_cast<Duplicates>(1 + random.Below(3));
  }
  if (random.OneIn(2)) {
    options.nan = static_cast<NanPolicy>(1 + random.Below(2));
  }
  if (random.OneIn(2)) {
    options.accumulation = static_cast<Accumulation>(1 + random.Below(2));
  }
  return options;
}

bool IsStrict(const ExecutionOptions& options) {
  return options.out_of_bounds.value_or(OutOfBounds::kError) ==
         OutOfBounds::kError;
}

// An index into an axis of `size`; any value at all unless `strict`.
int64_t RandomIndex(int64_t size, bool strict, bool negatives,
                    DType index_dtype, RandomTensors& random) {
  if (strict) {
    if (size == 0) return 0;
    return negatives ? random.Below(2 * size) - size : random.Below(size);
  }
  if (random.OneIn(24)) {
    const bool narrow = index_dtype == DType::kInt32;
    if (random.OneIn(2)) return narrow ? INT32_MIN : INT64_MIN;
    return narrow ? INT32_MAX : INT64_MAX;
  }
  return random.Below(4 * size + 3) - (2 * size + 1);
}

// The axes of data that the components of a tuple address.
std::vector<int64_t> TupleSizes(OperatorId op, const ShapeCase& shapes) {
  std::vector<int64_t> sizes;
  if (op == OperatorId::kGatherND || op == OperatorId::kScatterND) {
    const int64_t depth = shapes.indices[shapes.indices.rank() - 1];
    for (int64_t i = 0; i < depth; ++i) {
      const int64_t axis = shapes.attributes.batch_dims + i;
      sizes.push_back(shapes.data[static_cast<int>(axis)]);
    }
    return sizes;
  }
  const int64_t axis = shapes.attributes.axis;
  const int rank = shapes.data.rank();
  sizes.push_back(shapes.data[static_cast<int>(axis < 0 ? axis + rank : axis)]);
  return sizes;
}

Tensor RandomIndices(OperatorId op, const ShapeCase& shapes,
                     const ExecutionOptions& options, bool one_bad,
                     RandomTensors& random) {
  const DType dtype = random.OneIn(2) ? DType::kInt32 : DType::kInt64;
  const bool negatives =
      options.negative_indices != NegativeIndices::kOutOfBounds;
  const std::vector<int64_t> sizes = TupleSizes(op, shapes);
  std::vector<int64_t> values(shapes.indices.num_elements());
  for (size_t i = 0; i < values.size(); ++i) {
    values[i] = RandomIndex(sizes[i % sizes.size()], IsStrict(options),
                            negatives, dtype, random);
  }
  if (one_bad && !values.empty()) {
    const size_t at = static_cast<size_t>(random.Below(values.size()));
    const int64_t size = sizes[at % sizes.size()];
    values[at] = random.OneIn(2) ? size : -size - 1;
  }
  return FromIntegers(dtype, shapes.indices, values);
}

}  // namespace

ShapeCase LargeShape(OperatorId op, int64_t num_indices,
                     RandomTensors& random) {
  ShapeCase shapes;
  switch (op) {
    case OperatorId::kGather:
      shapes.data = {3, 2 + random.Below(9), 5};
      shapes.indices = {3, num_indices / 3};
      shapes.attributes.axis = random.OneIn(2) ? 1 : -2;
      shapes.attributes.batch_dims = random.Below(2);
      break;
    case OperatorId::kGatherElements:
    case OperatorId::kScatterElements:
      shapes.attributes.axis = random.Below(3);
      shapes.data = {7, 9, 11};
      for (int d = 0; d < 3; ++d) {
        const bool is_axis = d == shapes.attributes.axis;
        shapes.indices.Append(is_axis ? num_indices / 50 : 6 + random.Below(2));
      }
      shapes.updates = shapes.indices;
      break;
    case OperatorId::kGatherND:
    case OperatorId::kScatterND:
      const int64_t b = random.Below(2);
      const int64_t depth = 1 + random.Below(2) + (b == 0 ? 1 : 0);
      shapes.data = {3, 2 + random.Below(9), 1 + random.Below(4)};
      shapes.attributes.batch_dims = b;
      shapes.indices = {3, num_indices / 3};
      shapes.updates = shapes.indices;
      shapes.indices.Append(depth);
      shapes.updates.Append(shapes.data.dims(static_cast<int>(b + depth), 3));
      break;
  }
  return shapes;
}

std::vector<ShapeCase> SweepShapes(OperatorId op, RandomTensors& random) {
  switch (op) {
    case OperatorId::kGather:
      return SweepGather(random);
    case OperatorId::kGatherElements:
    case OperatorId::kScatterElements:
      return SweepElements(random);
    case OperatorId::kGatherND:
      return SweepTuples(1, random);
    case OperatorId::kScatterND:
      return SweepTuples(0, random);
  }
  return {};
}

OperatorCall RandomCall(OperatorId op, const ShapeCase& shapes, DType dtype,
                        Reduction reduction, RandomTensors& random) {
  using Values = RandomTensors::Values;
  OperatorCall call;
  call.op = op;
  call.attributes = shapes.attributes;
  call.attributes.reduction = reduction;
  call.options = RandomOptions(random);
  const bool scatter = IsScatter(op);
  // Whether an empty slice can be hit twice is nobody's concern.
  if (scatter && shapes.updates.num_elements() == 0) {
    call.options.duplicates.reset();
  }
  const bool zero_divisors = reduction == Reduction::kDiv && random.OneIn(16);
  const bool may_fail_otherwise =
      zero_divisors || call.options.duplicates == Duplicates::kReject;
  call.indices = RandomIndices(op, shapes, call.options,
                               !may_fail_otherwise && random.OneIn(16), random);
  const TensorSpec data = {dtype, shapes.data};
  if (random.OneIn(8)) {
    call.data = ZerosSpec{data};
  } else {
    call.data = random.Make(data);
  }
  if (!scatter) {
    if (random.OneIn(2)) call.options.fill_value = random.Make({dtype, {}});
    return call;
  }
  const Values values = reduction == Reduction::kDiv && !zero_divisors
                            ? Values::kNonZero
                            : Values::kAwkward;
  call.updates = random.Make({dtype, shapes.updates}, values);
  call.attributes.exclude_self = random.OneIn(3);
  return call;
}

}  // namespace scatterd::test
