// What must be refused, one broken rule at a time.

#include <limits>

#include "tests/backends/conformance.h"
#include "tests/testing/status_matchers.h"
#include "tests/testing/tensor_literals.h"

namespace scatterd::test {
namespace {

using ::testing::HasSubstr;

Tensor Zeros(DType dtype, const Shape& shape) {
  return ValueOrDie(Tensor::Zeros({dtype, shape}));
}

OperatorCall EmptyUpdate(DType dtype, Reduction reduction) {
  return ScatterNDCall(Zeros(dtype, {4}), Indices({1, 1}, {0}),
                       Zeros(dtype, {1}), reduction);
}

TEST_P(Conformance, RefusesReductionsWithoutMeaningAndSaysWhich) {
  struct Pair {
    DType dtype;
    std::vector<Reduction> reductions;
  };
  const std::vector<Reduction> orders = {Reduction::kMax, Reduction::kMin};
  const std::vector<Reduction> bool_less = {Reduction::kSub, Reduction::kDiv,
                                            Reduction::kMean};
  const std::vector<Reduction> string_less = {
      Reduction::kMul, Reduction::kSub, Reduction::kDiv, Reduction::kMean};
  const std::vector<Pair> pairs = {{DType::kComplex64, orders},
                                   {DType::kComplex128, orders},
                                   {DType::kBool, bool_less},
                                   {DType::kString, string_less}};
  for (const auto& [dtype, reductions] : pairs) {
    for (const Reduction reduction : reductions) {
      CheckRefused(EmptyUpdate(dtype, reduction),
                   std::string(ReductionName(reduction)));
      CheckRefused(EmptyUpdate(dtype, reduction),
                   std::string(DTypeName(dtype)));
    }
  }
}

TEST_P(Conformance, RefusesArithmeticOnEightBitFloats) {
  for (const DType dtype :
       {DType::kFloat8E4M3FN, DType::kFloat8E4M3FNUZ, DType::kFloat8E5M2,
        DType::kFloat8E5M2FNUZ, DType::kFloat8E8M0}) {
    Check(EmptyUpdate(dtype, Reduction::kNone));
    for (const Reduction reduction : AllReductions()) {
      if (reduction == Reduction::kNone) continue;
      CheckRefused(EmptyUpdate(dtype, reduction),
                   std::string(DTypeName(dtype)));
    }
  }
}

TEST_P(Conformance, RefusesIndicesOfOtherDTypes) {
  for (const DType dtype : AllDTypes()) {
    if (dtype == DType::kInt32 || dtype == DType::kInt64) continue;
    CheckRefused(GatherCall(Iota<float>({3}), Zeros(dtype, {2})), "INT64");
    CheckRefused(
        ScatterNDCall(Iota<float>({3}), Zeros(dtype, {2, 1}), Iota<float>({2})),
        "INT64");
  }
}

TEST_P(Conformance, RefusesUpdatesOfAnotherDType) {
  CheckRefused(
      ScatterNDCall(Iota<float>({3}), Indices({1, 1}, {0}), Iota<double>({1})),
      "DOUBLE");
  CheckRefused(ScatterElementsCall(Iota<int32_t>({3}), Indices({1}, {0}),
                                   Iota<uint32_t>({1})),
               "UINT32");
}

TEST_P(Conformance, RefusesScalarData) {
  const Tensor scalar = Iota<float>({});
  const Tensor index = Indices({1}, {0});
  CheckRefused(GatherCall(scalar, index), "rank 0");
  CheckRefused(GatherElementsCall(scalar, Indices({}, {0})), "rank 0");
  CheckRefused(GatherNDCall(scalar, index), "rank 0");
  CheckRefused(ScatterNDCall(scalar, index, scalar), "rank 0");
}

TEST_P(Conformance, RefusesScalarIndicesWhereTuplesAreDue) {
  const Tensor data = Iota<float>({3});
  CheckRefused(GatherNDCall(data, Indices({}, {0})), "indices");
  CheckRefused(ScatterNDCall(data, Indices({}, {0}), Iota<float>({})),
               "indices");
}

TEST_P(Conformance, RefusesAxesOutsideTheRank) {
  const Tensor data = Iota<float>({2, 3});
  const Tensor index = Indices({2, 3}, {0, 0, 0, 0, 0, 0});
  for (const int64_t axis : {int64_t{2}, int64_t{-3}, int64_t{7},
                             std::numeric_limits<int64_t>::min(),
                             std::numeric_limits<int64_t>::max()}) {
    CheckRefused(GatherCall(data, index, axis), "axis");
    CheckRefused(GatherElementsCall(data, index, axis), "axis");
    CheckRefused(ScatterElementsCall(data, index, data, axis), "axis");
  }
}

TEST_P(Conformance, RefusesBatchDimsOutsideTheirLimits) {
  const Tensor data = Iota<float>({2, 3});
  const Tensor tuples = Indices({2, 1}, {0, 0});
  for (const int64_t batch_dims :
       {int64_t{-1}, int64_t{2}, std::numeric_limits<int64_t>::min(),
        std::numeric_limits<int64_t>::max()}) {
    CheckRefused(GatherCall(data, tuples, 1, batch_dims), "batch_dims");
    CheckRefused(GatherNDCall(data, tuples, batch_dims), "batch_dims");
    OperatorCall scatter = ScatterNDCall(data, tuples, Iota<float>({2}));
    scatter.attributes.batch_dims = batch_dims;
    CheckRefused(scatter, "batch_dims");
  }
}

TEST_P(Conformance, RefusesBatchesThatDiffer) {
  const Tensor data = Iota<float>({3, 3});
  CheckRefused(GatherCall(data, Indices({2}, {0, 1}), 1, 1), "2 vs 3");
  CheckRefused(GatherNDCall(data, Indices({2, 1}, {0, 1}), 1), "2 vs 3");
  OperatorCall scatter =
      ScatterNDCall(data, Indices({2, 1}, {0, 1}), Iota<float>({2}));
  scatter.attributes.batch_dims = 1;
  CheckRefused(scatter, "2 vs 3");
}

TEST_P(Conformance, RefusesTuplesWiderThanData) {
  const Tensor data = Iota<float>({2, 2});
  const Tensor tuples = Indices({1, 3}, {0, 0, 0});
  CheckRefused(GatherNDCall(data, tuples), "3");
  CheckRefused(ScatterNDCall(data, tuples, Iota<float>({1})), "3");
  OperatorCall batched = GatherNDCall(data, Indices({2, 2}, {0, 0, 0, 0}), 1);
  CheckRefused(batched, "2");
}

TEST_P(Conformance, RefusesToGatherByEmptyTuples) {
  CheckRefused(GatherNDCall(Iota<float>({2}), Zeros(DType::kInt64, {3, 0})),
               "indices");
}

TEST_P(Conformance, RefusesIndicesOfAnotherRankOrLongerOffTheAxis) {
  const Tensor data = Iota<float>({2, 3});
  CheckRefused(GatherElementsCall(data, Indices({3}, {0, 0, 0}), 1), "1 vs 2");
  CheckRefused(GatherElementsCall(data, Zeros(DType::kInt64, {3, 2}), 1),
               "3 vs at most 2");
  CheckRefused(ScatterElementsCall(data, Zeros(DType::kInt64, {2, 4}),
                                   Zeros(DType::kFloat, {2, 4}), 0),
               "4 vs at most 3");
}

TEST_P(Conformance, RefusesUpdatesOfAnyOtherShape) {
  const Tensor data = Iota<float>({4, 2});
  const Tensor tuples = Indices({3, 1}, {0, 1, 2});
  for (const Shape& shape :
       {Shape{3}, Shape{3, 1}, Shape{1, 2}, Shape{2}, Shape{3, 3}, Shape{4, 2},
        Shape{3, 2, 1}, Shape{1, 3, 2}, Shape{}, Shape{0, 2}}) {
    CheckRefused(ScatterNDCall(data, tuples, Zeros(DType::kFloat, shape)),
                 "[3,2]");
  }
  for (const Shape& shape : {Shape{1}, Shape{1, 1}, Shape{2, 2}, Shape{}}) {
    CheckRefused(ScatterElementsCall(data, Zeros(DType::kInt64, {1, 2}),
                                     Zeros(DType::kFloat, shape)),
                 "[1,2]");
  }
}

TEST_P(Conformance, RefusesIntegerDivisionByZeroAndNothingElseByZero) {
  for (const DType dtype :
       {DType::kInt8, DType::kInt16, DType::kInt32, DType::kInt64,
        DType::kUInt8, DType::kUInt16, DType::kUInt32, DType::kUInt64}) {
    OperatorCall call =
        ScatterNDCall(FromIntegers(dtype, {2}, {6, 7}), Indices({2, 1}, {0, 1}),
                      FromIntegers(dtype, {2}, {2, 0}), Reduction::kDiv);
    CheckRefused(call, "zero");
    call.options.out_of_bounds = OutOfBounds::kSkip;
    call.indices = Indices({2, 1}, {0, 5});
    Check(call);
  }
  for (const DType dtype : {DType::kFloat, DType::kDouble, DType::kFloat16,
                            DType::kBFloat16, DType::kComplex64}) {
    Check(ScatterNDCall(FromIntegers(dtype, {2}, {6, 0}),
                        Indices({2, 1}, {0, 1}),
                        FromIntegers(dtype, {2}, {0, 0}), Reduction::kDiv));
  }
}

TEST_P(Conformance, RejectsDuplicatesWhereAskedTo) {
  OperatorCall call = ScatterNDCall(
      Iota<float>({4}), Indices({3, 1}, {1, 3, -3}), Iota<float>({3}));
  Check(call);
  call.options.duplicates = Duplicates::kReject;
  CheckRefused(call, "position 2");
  call.attributes.reduction = Reduction::kAdd;
  Check(call);
}

TEST_P(Conformance, RefusesFillValuesThatAreNoScalarOfTheDType) {
  OperatorCall call = GatherCall(Iota<float>({3}), Indices({1}, {5}));
  call.options.out_of_bounds = OutOfBounds::kSkip;
  call.options.fill_value = Iota<float>({1});
  CheckRefused(call, "fill_value");
  call.options.fill_value = Iota<double>({});
  CheckRefused(call, "fill_value");
}

}  // namespace
}  // namespace scatterd::test
