// Inputs that are large enough to be shared among threads: the bits are those
// of the oracle, whatever the number of threads.

#include "absl/strings/str_cat.h"
#include "tests/backends/call_sweep.h"
#include "tests/backends/conformance.h"
#include "tests/testing/random_tensors.h"
#include "tests/testing/reference_ops.h"
#include "tests/testing/status_matchers.h"
#include "tests/testing/tensor_literals.h"
#include "tests/testing/tensor_matchers.h"

namespace scatterd::test {
namespace {

using Values = RandomTensors::Values;

// 250,000 scalars, most of them onto a few of 5,000 positions.
OperatorCall ManyScalars(DType dtype, Reduction reduction) {
  constexpr int64_t kUpdates = 250'000;
  RandomTensors random(17 + static_cast<uint64_t>(dtype));
  std::vector<int64_t> indices(kUpdates);
  for (int64_t& index : indices) {
    index = random.OneIn(2) ? random.Below(7) : random.Below(5000) - 2500;
  }
  const Values values =
      reduction == Reduction::kDiv ? Values::kNonZero : Values::kOrdinary;
  return ScatterNDCall(random.Make({dtype, {5000}}, Values::kOrdinary),
                       Indices({kUpdates, 1}, indices),
                       random.Make({dtype, {kUpdates}}, values), reduction);
}

// Wide slices onto few rows.
OperatorCall WideSlices(DType dtype, Reduction reduction, int64_t rows,
                        int64_t width, int64_t updates) {
  RandomTensors random(static_cast<uint64_t>(rows + width));
  return ScatterNDCall(
      random.Make({dtype, {rows, width}}, Values::kOrdinary),
      random.MakeIndices(DType::kInt32, {updates, 1}, 0, rows),
      random.Make({dtype, {updates, width}}, Values::kOrdinary), reduction);
}

// Columns of elements, long on `axis`.
OperatorCall ManyElements(Reduction reduction, int64_t axis) {
  RandomTensors random(29 + static_cast<uint64_t>(axis));
  const Shape data = {30, 40, 20};
  Shape indices;
  for (int64_t d = 0; d < 3; ++d) {
    indices.Append(d == axis ? 400 : data[static_cast<int>(d)]);
  }
  const int64_t size = data[static_cast<int>(axis)];
  return ScatterElementsCall(
      random.Make({DType::kFloat, data}, Values::kOrdinary),
      random.MakeIndices(DType::kInt64, indices, -size, size),
      random.Make({DType::kFloat, indices}, Values::kOrdinary), axis,
      reduction);
}

OperatorCall Wide(OperatorCall call) {
  call.options.accumulation = Accumulation::kWide;
  return call;
}

OperatorCall FirstWins(OperatorCall call) {
  call.options.duplicates = Duplicates::kFirstWins;
  return call;
}

OperatorCall WithoutSelf(OperatorCall call) {
  call.attributes.exclude_self = true;
  return call;
}

// Solved once for all runners.
const std::vector<SolvedCall>& ScalarCases() {
  static const auto& cases = *new std::vector<SolvedCall>([] {
    std::vector<SolvedCall> solved;
    for (const Reduction reduction : AllReductions()) {
      solved.push_back(Solve(ManyScalars(DType::kFloat, reduction)));
      solved.push_back(Solve(ManyScalars(DType::kBFloat16, reduction)));
      solved.push_back(
          Solve(WithoutSelf(ManyScalars(DType::kInt16, reduction))));
    }
    solved.push_back(Solve(ManyScalars(DType::kComplex64, Reduction::kAdd)));
    solved.push_back(Solve(ManyScalars(DType::kString, Reduction::kMax)));
    solved.push_back(Solve(ManyScalars(DType::kString, Reduction::kNone)));
    solved.push_back(
        Solve(Wide(ManyScalars(DType::kFloat16, Reduction::kMean))));
    solved.push_back(
        Solve(FirstWins(ManyScalars(DType::kDouble, Reduction::kNone))));
    return solved;
  }());
  return cases;
}

const std::vector<SolvedCall>& SliceCases() {
  static const auto& cases = *new std::vector<SolvedCall>([] {
    std::vector<SolvedCall> solved;
    for (const Reduction reduction :
         {Reduction::kNone, Reduction::kAdd, Reduction::kMean}) {
      solved.push_back(Solve(WideSlices(DType::kFloat, reduction, 64, 4,
                                        200'000)));  // many short slices
      solved.push_back(Solve(WideSlices(DType::kFloat, reduction, 3, 20'000,
                                        40)));  // few rows, hot ones
    }
    solved.push_back(
        Solve(WideSlices(DType::kFloat16, Reduction::kMul, 300, 700, 1'000)));
    solved.push_back(Solve(
        FirstWins(WideSlices(DType::kInt8, Reduction::kNone, 5, 30'000, 30))));
    solved.push_back(Solve(Wide(WithoutSelf(
        WideSlices(DType::kBFloat16, Reduction::kAdd, 2, 5'000, 150)))));
    return solved;
  }());
  return cases;
}

const std::vector<SolvedCall>& ElementCases() {
  static const auto& cases = *new std::vector<SolvedCall>([] {
    std::vector<SolvedCall> solved;
    for (int64_t axis = 0; axis < 3; ++axis) {
      for (const Reduction reduction :
           {Reduction::kNone, Reduction::kAdd, Reduction::kDiv}) {
        solved.push_back(Solve(ManyElements(reduction, axis)));
      }
      solved.push_back(Solve(FirstWins(ManyElements(Reduction::kNone, axis))));
    }
    return solved;
  }());
  return cases;
}

TEST_P(Conformance, ManyDuplicateScalarsGiveTheOraclesBits) {
  for (const SolvedCall& item : ScalarCases()) {
    CheckAgainst(item.call, item.expected);
  }
}

TEST_P(Conformance, WideDuplicateSlicesGiveTheOraclesBits) {
  for (const SolvedCall& item : SliceCases()) {
    CheckAgainst(item.call, item.expected);
  }
}

TEST_P(Conformance, ManyDuplicateElementsGiveTheOraclesBits) {
  for (const SolvedCall& item : ElementCases()) {
    CheckAgainst(item.call, item.expected);
  }
}

TEST_P(Conformance, LargeGathersGiveTheOraclesBits) {
  static const auto& cases = *new std::vector<SolvedCall>([] {
    RandomTensors random(41);
    const Tensor data = random.Make({DType::kDouble, {40, 50, 60}});
    std::vector<SolvedCall> solved;
    solved.push_back(Solve(
        GatherCall(data, random.MakeIndices(DType::kInt64, {70}, -50, 50), 1)));
    solved.push_back(Solve(GatherElementsCall(
        data, random.MakeIndices(DType::kInt32, {40, 90, 60}, 0, 50), 1)));
    solved.push_back(Solve(GatherNDCall(
        data, random.MakeIndices(DType::kInt64, {3000, 2}, 0, 40))));
    solved.push_back(Solve(GatherNDCall(
        data, random.MakeIndices(DType::kInt64, {40, 5000, 1}, 0, 50), 1)));
    return solved;
  }());
  for (const SolvedCall& item : cases) CheckAgainst(item.call, item.expected);
}

// Options at random, each with enough work for all threads.
TEST_P(Conformance, LargeCallsWithAnyOptionsGiveTheOraclesBits) {
  static const auto& cases = *new std::vector<SolvedCall>([] {
    RandomTensors random(43);
    const std::vector<DType> dtypes = AllDTypes();
    std::vector<SolvedCall> solved;
    for (const Reduction reduction : AllReductions()) {
      for (int i = 0; i < 6; ++i) {
        const OperatorId op =
            i % 2 == 0 ? OperatorId::kScatterND : OperatorId::kScatterElements;
        const DType dtype = dtypes[random.Below(16)];
        solved.push_back(Solve(RandomCall(op, LargeShape(op, 100'000, random),
                                          dtype, reduction, random)));
      }
    }
    for (const OperatorId op : {OperatorId::kGather, OperatorId::kGatherND,
                                OperatorId::kGatherElements}) {
      for (int i = 0; i < 6; ++i) {
        solved.push_back(Solve(RandomCall(
            op, LargeShape(op, 100'000, random),
            dtypes[random.Below(static_cast<int64_t>(dtypes.size()))],
            Reduction::kNone, random)));
      }
    }
    return solved;
  }());
  for (const SolvedCall& item : cases) CheckAgainst(item.call, item.expected);
}

// Two bad indices, far apart: the first is named, whoever finds the other.
TEST_P(Conformance, NamesTheFirstOfManyBadIndices) {
  constexpr int64_t kIndices = 400'000;
  for (const int64_t first : {int64_t{0}, int64_t{199'999}, kIndices - 2}) {
    std::vector<int64_t> indices(kIndices, 2);
    indices[first] = 8;
    indices[first + 1] = -9;
    indices[kIndices - 1] = 9;
    Check(GatherCall(Iota<int32_t>({8}), Indices({kIndices}, indices)));
    Check(ScatterNDCall(Iota<int32_t>({8}), Indices({kIndices, 1}, indices),
                        Full<int32_t>({kIndices}, 1), Reduction::kAdd));
    Check(ScatterElementsCall(Iota<int32_t>({8}), Indices({kIndices}, indices),
                              Full<int32_t>({kIndices}, 1)));
  }
}

TEST_P(Conformance, NamesTheFirstOfManyDuplicates) {
  constexpr int64_t kIndices = 300'000;
  for (const int64_t second : {int64_t{1}, int64_t{150'000}, kIndices - 3}) {
    std::vector<int64_t> indices(kIndices);
    for (int64_t i = 0; i < kIndices; ++i) indices[i] = kIndices - 1 - i;
    indices[second] = indices[0];
    indices[kIndices - 1] = indices[1];
    OperatorCall call = ScatterNDCall(Full<uint8_t>({kIndices}, 0),
                                      Indices({kIndices, 1}, indices),
                                      Full<uint8_t>({kIndices}, 1));
    call.options.duplicates = Duplicates::kReject;
    CheckRefused(call, absl::StrCat("position ", second, ")"));
  }
}

// 800,000 updates of 8 counters.
TEST_P(Conformance, LosesNoneOfManyIntegerAdditions) {
  constexpr int64_t kUpdates = 800'000;
  std::vector<int64_t> indices(kUpdates);
  for (int64_t i = 0; i < kUpdates; ++i) indices[i] = i % 8;
  const auto result =
      Run(ScatterNDCall(Full<int64_t>({8}, 0), Indices({kUpdates, 1}, indices),
                        Full<int64_t>({kUpdates}, 1), Reduction::kAdd));
  ASSERT_THAT(result, IsOk());
  EXPECT_THAT(*result->output, EqualsTensor(Full<int64_t>({8}, 100'000)));
}

TEST_P(Conformance, TheLastOfManyDuplicatesStays) {
  constexpr int64_t kUpdates = 800'000;
  OperatorCall call =
      ScatterNDCall(Full<int64_t>({1}, -1),
                    ValueOrDie(Tensor::Zeros({DType::kInt64, {kUpdates, 1}})),
                    Iota<int64_t>({kUpdates}));
  for (int round = 0; round < 5; ++round) {
    const auto last = Run(call);
    ASSERT_THAT(last, IsOk());
    EXPECT_THAT(*last->output, EqualsTensor(Full<int64_t>({1}, 799'999)));
  }
  call.options.duplicates = Duplicates::kFirstWins;
  const auto first = Run(call);
  ASSERT_THAT(first, IsOk());
  EXPECT_THAT(*first->output, EqualsTensor(Full<int64_t>({1}, 0)));
}

TEST_P(Conformance, RepeatedFloatSumsHaveEqualBits) {
  RandomTensors random(31);
  const OperatorCall call =
      ScatterNDCall(Full<float>({8}, 0),
                    random.MakeIndices(DType::kInt64, {800'000, 1}, 0, 8),
                    random.Make({DType::kFloat, {800'000}}, Values::kOrdinary),
                    Reduction::kAdd);
  const absl::StatusOr<Tensor> expected = ReferenceCall(call);
  for (int round = 0; round < 20; ++round) CheckAgainst(call, expected);
}

}  // namespace
}  // namespace scatterd::test
