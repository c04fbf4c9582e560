// Data that no cache holds: kernels then move whole tiles, stream past the
// caches, and share runs of positions; the bits stay the oracle's.

#include "tests/backends/call_sweep.h"
#include "tests/backends/conformance.h"
#include "tests/testing/random_tensors.h"
#include "tests/testing/status_matchers.h"
#include "tests/testing/tensor_literals.h"

namespace scatterd::test {
namespace {

using Values = RandomTensors::Values;

// Every element of data off `axis` is addressed, `positions` times on it.
struct Along {
  DType dtype;
  DType index_dtype;
  Shape data;
  int64_t axis;
  int64_t positions;
};

Shape IndicesShape(const Along& along) {
  Shape shape;
  for (int d = 0; d < along.data.rank(); ++d) {
    shape.Append(d == along.axis ? along.positions : along.data[d]);
  }
  return shape;
}

OperatorCall Scatter(const Along& along, Reduction reduction) {
  RandomTensors random(51 + static_cast<uint64_t>(along.axis));
  const Shape indices = IndicesShape(along);
  const int64_t size = along.data[static_cast<int>(along.axis)];
  return ScatterElementsCall(
      random.Make({along.dtype, along.data}, Values::kOrdinary),
      random.MakeIndices(along.index_dtype, indices, -size, size),
      random.Make({along.dtype, indices}, Values::kOrdinary), along.axis,
      reduction);
}

OperatorCall Gather(const Along& along) {
  RandomTensors random(53 + static_cast<uint64_t>(along.axis));
  const int64_t size = along.data[static_cast<int>(along.axis)];
  return GatherElementsCall(
      random.Make({along.dtype, along.data}, Values::kOrdinary),
      random.MakeIndices(along.index_dtype, IndicesShape(along), -size, size),
      along.axis);
}

// 4 MiB and more: lines, columns, and columns inside an outer axis, of widths
// that lines of memory do not divide too.
const Along kAlong[] = {
    {DType::kFloat, DType::kInt64, {601, 1999}, 1, 401},
    {DType::kFloat, DType::kInt64, {500, 2400}, 0, 101},
    {DType::kDouble, DType::kInt32, {3, 401, 509}, 1, 70},
    {DType::kFloat16, DType::kInt64, {70, 37000}, 0, 12},
    {DType::kUInt8, DType::kInt32, {4, 1100, 1003}, 1, 140},
    {DType::kComplex128, DType::kInt64, {200, 1500}, 1, 300},
};

TEST_P(Conformance, TilesOfScattersGiveTheOraclesBits) {
  static const auto& cases = *new std::vector<SolvedCall>([] {
    std::vector<SolvedCall> solved;
    for (const Along& along : kAlong) {
      for (const Reduction reduction : {Reduction::kNone, Reduction::kAdd}) {
        solved.push_back(Solve(Scatter(along, reduction)));
      }
    }
    solved.push_back(Solve(Scatter(kAlong[1], Reduction::kMax)));
    OperatorCall zeros = Scatter(kAlong[1], Reduction::kAdd);
    zeros.data = ZerosSpec{{kAlong[1].dtype, kAlong[1].data}};
    solved.push_back(Solve(std::move(zeros)));
    return solved;
  }());
  for (const SolvedCall& item : cases) CheckAgainst(item.call, item.expected);
}

TEST_P(Conformance, TilesOfGathersGiveTheOraclesBits) {
  static const auto& cases = *new std::vector<SolvedCall>([] {
    std::vector<SolvedCall> solved;
    for (const Along& along : kAlong) solved.push_back(Solve(Gather(along)));
    return solved;
  }());
  for (const SolvedCall& item : cases) CheckAgainst(item.call, item.expected);
}

// Whatever tile a bad index is in: the first in row-major order is named.
TEST_P(Conformance, NamesTheFirstBadIndexOfAnyTile) {
  for (const Along& along : {kAlong[0], kAlong[1], kAlong[2]}) {
    OperatorCall scatter = Scatter(along, Reduction::kAdd);
    OperatorCall gather = Gather(along);
    for (OperatorCall* call : {&scatter, &gather}) {
      auto& indices = std::get<Tensor>(call->indices);
      const int64_t count = indices.num_elements();
      for (const int64_t position : {count - 1, count / 2, count / 3 + 7}) {
        std::byte* bytes = indices.mutable_bytes();
        if (indices.dtype() == DType::kInt32) {
          reinterpret_cast<int32_t*>(bytes)[position] = 100'000;
        } else {
          reinterpret_cast<int64_t*>(bytes)[position] = int64_t{1} << 40;
        }
        Check(*call);
      }
    }
  }
}

// The first bad index is in a later tile of columns than the second.
TEST_P(Conformance, NamesTheFirstBadIndexAcrossColumns) {
  constexpr int64_t kSide = 1024;
  std::vector<int32_t> values(200 * kSide, 0);
  values[50 * kSide] = 5000;
  values[3 * kSide + 200] = 5001;
  const Tensor data = Full<float>({kSide, kSide}, 1);
  const Tensor indices =
      ValueOrDie(Tensor::FromValues<int32_t>({200, kSide}, values));
  Check(GatherElementsCall(data, indices, 0));
  Check(ScatterElementsCall(data, indices, Full<float>({200, kSide}, 2), 0,
                            Reduction::kAdd));
}

// Under FIRST_WINS the updates are walked from the last to the first.
TEST_P(Conformance, NamesTheFirstBadIndexUnderFirstWins) {
  std::vector<int64_t> values(5000, 1);
  values[10] = 99;
  values[4500] = 98;
  OperatorCall call = ScatterNDCall(
      Full<float>({8}, 0), Indices({5000, 1}, values), Full<float>({5000}, 1));
  call.options.duplicates = Duplicates::kFirstWins;
  Check(call);
}

// Tuples over nothing, more than an int64_t of their bytes can count.
TEST_P(Conformance, MeansOfNothingAreNothing) {
  constexpr int64_t kMany = int64_t{1} << 60;
  const auto result =
      Run(ScatterNDCall(Full<float>({0}, 0),
                        ValueOrDie(Tensor::Zeros({DType::kInt32, {kMany, 0}})),
                        ValueOrDie(Tensor::Zeros({DType::kFloat, {kMany, 0}})),
                        Reduction::kMean));
  ASSERT_THAT(result, IsOk());
  EXPECT_EQ(result->output->num_elements(), 0);
}

TEST_P(Conformance, SkippedIndicesNeedNoData) {
  OperatorCall call =
      GatherCall(ValueOrDie(Tensor::Zeros({DType::kFloat, {0, 100}})),
                 Full<int64_t>({100}, 3));
  call.options.out_of_bounds = OutOfBounds::kSkip;
  Check(call);
}

// Outputs that stream, of slices that are whole lines of memory and not.
TEST_P(Conformance, StreamedSlicesGiveTheOraclesBits) {
  static const auto& cases = *new std::vector<SolvedCall>([] {
    RandomTensors random(57);
    std::vector<SolvedCall> solved;
    for (const int64_t columns : {16, 17, 48, 250}) {
      const int64_t slices = 2'300'000 / columns;
      const Tensor data = random.Make({DType::kFloat, {4000, columns}});
      const Tensor indices =
          random.MakeIndices(DType::kInt64, {slices}, -4000, 4000);
      solved.push_back(Solve(GatherCall(data, indices)));
    }
    // Data of 9 MB is copied past the caches, to where it is updated.
    const Tensor data = random.Make({DType::kFloat, {36000, 63}});
    solved.push_back(Solve(ScatterNDCall(
        data, random.MakeIndices(DType::kInt64, {9000, 1}, 0, 36000),
        random.Make({DType::kFloat, {9000, 63}}), Reduction::kAdd)));
    // Batches that never meet.
    const Tensor batches = random.Make({DType::kInt32, {300, 70, 20}});
    OperatorCall batched = ScatterNDCall(
        batches, random.MakeIndices(DType::kInt64, {300, 50, 1}, -70, 70),
        random.Make({DType::kInt32, {300, 50, 20}}), Reduction::kAdd);
    batched.attributes.batch_dims = 1;
    solved.push_back(Solve(std::move(batched)));
    return solved;
  }());
  for (const SolvedCall& item : cases) CheckAgainst(item.call, item.expected);
}

// Rows of which a few meet most updates: parts of unequal ranges.
TEST_P(Conformance, SkewedRowsGiveTheOraclesBits) {
  static const auto& cases = *new std::vector<SolvedCall>([] {
    constexpr int64_t kRows = 100'000;
    constexpr int64_t kUpdates = 120'000;
    RandomTensors random(59);
    std::vector<SolvedCall> solved;
    for (const int64_t hot : {int64_t{1}, int64_t{10}, kRows}) {
      std::vector<int64_t> rows(kUpdates);
      for (int64_t& row : rows) {
        row = random.OneIn(5) ? random.Below(kRows) : random.Below(hot);
      }
      for (const Reduction reduction : {Reduction::kNone, Reduction::kMul}) {
        solved.push_back(Solve(ScatterNDCall(
            random.Make({DType::kFloat, {kRows, 3}}, Values::kOrdinary),
            Indices({kUpdates, 1}, rows),
            random.Make({DType::kFloat, {kUpdates, 3}}, Values::kOrdinary),
            reduction)));
      }
    }
    return solved;
  }());
  for (const SolvedCall& item : cases) CheckAgainst(item.call, item.expected);
}

}  // namespace
}  // namespace scatterd::test
