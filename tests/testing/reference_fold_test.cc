// The oracle's arithmetic against values worked out by hand or by the
// frameworks that define them.

#include "tests/testing/reference_fold.h"

#include <bit>
#include <limits>

#include "gtest/gtest.h"
#include "tests/testing/status_matchers.h"
#include "tests/testing/tensor_literals.h"
#include "tests/testing/tensor_matchers.h"

namespace scatterd::test {
namespace {

constexpr float kInf = std::numeric_limits<float>::infinity();

// All of `updates` hit data's only element.
absl::StatusOr<Tensor> FoldAll(const Tensor& data, const Tensor& updates,
                               const FoldRule& rule) {
  Hits hits;
  for (int64_t i = 0; i < updates.num_elements(); ++i) hits[0].push_back(i);
  return FoldHits(data, updates, hits, rule);
}

FoldRule Rule(Reduction reduction, bool exclude_self = false) {
  FoldRule rule;
  rule.reduction = reduction;
  rule.exclude_self = exclude_self;
  return rule;
}

TEST(ReferenceFold, HalvesRoundAfterEveryUpdateUnlessWide) {
  const Tensor data = Halves<Float16>({1}, {0});
  const Tensor ones = Halves<Float16>({4096}, std::vector<double>(4096, 1.0));
  FoldRule rule = Rule(Reduction::kAdd);
  EXPECT_THAT(FoldAll(data, ones, rule),
              IsOkAndHolds(EqualsTensor(Halves<Float16>({1}, {2048}))));
  rule.accumulation = Accumulation::kWide;
  EXPECT_THAT(FoldAll(data, ones, rule),
              IsOkAndHolds(EqualsTensor(Halves<Float16>({1}, {4096}))));
}

TEST(ReferenceFold, IntegerMeanWrapsItsSumAndFloors) {
  EXPECT_THAT(FoldAll(TensorOf<int32_t>({1}, {-3}),
                      TensorOf<int32_t>({2}, {-2, -3}), Rule(Reduction::kMean)),
              IsOkAndHolds(EqualsTensor(TensorOf<int32_t>({1}, {-3}))));
  EXPECT_THAT(FoldAll(TensorOf<uint8_t>({1}, {200}),
                      TensorOf<uint8_t>({2}, {100, 2}), Rule(Reduction::kMean)),
              IsOkAndHolds(EqualsTensor(TensorOf<uint8_t>({1}, {15}))));
}

TEST(ReferenceFold, MeanCountsSelfUnlessExcluded) {
  const Tensor data = TensorOf<float>({1}, {10});
  const Tensor updates = TensorOf<float>({2}, {2, 4});
  EXPECT_THAT(FoldAll(data, updates, Rule(Reduction::kMean)),
              IsOkAndHolds(EqualsTensor(TensorOf<float>({1}, {16.0f / 3}))));
  EXPECT_THAT(FoldAll(data, updates, Rule(Reduction::kMean, true)),
              IsOkAndHolds(EqualsTensor(TensorOf<float>({1}, {3}))));
}

TEST(ReferenceFold, ComplexArithmeticIsComplex) {
  const auto fold = [](Reduction reduction, Complex64 self, Complex64 update) {
    return FoldAll(TensorOf<Complex64>({1}, {self}),
                   TensorOf<Complex64>({1}, {update}), Rule(reduction));
  };
  const auto is = [](float re, float im) {
    return IsOkAndHolds(EqualsTensor(TensorOf<Complex64>({1}, {{re, im}})));
  };
  EXPECT_THAT(fold(Reduction::kSub, {1, 1}, {2, 3}), is(-1, -2));
  EXPECT_THAT(fold(Reduction::kAdd, {1, 1}, {2, 3}), is(3, 4));
  EXPECT_THAT(fold(Reduction::kMul, {1, 1}, {2, 3}), is(-1, 5));
  EXPECT_THAT(fold(Reduction::kDiv, {-1, 5}, {1, 1}), is(2, 3));
  EXPECT_THAT(fold(Reduction::kDiv, {5, 10}, {1, 2}), is(5, 0));
}

TEST(ReferenceFold, NansAreCanonicalInArithmeticAndKeptInMaximum) {
  const float odd_nan = std::bit_cast<float>(uint32_t{0xffc12345});
  const Tensor data = TensorOf<float>({1}, {1});
  const Tensor nan = TensorOf<float>({1}, {odd_nan});
  EXPECT_THAT(FoldAll(data, nan, Rule(Reduction::kAdd)),
              IsOkAndHolds(EqualsTensor(TensorOf<float>(
                  {1}, {std::bit_cast<float>(uint32_t{0x7fc00000})}))));
  EXPECT_THAT(FoldAll(data, nan, Rule(Reduction::kMax)),
              IsOkAndHolds(EqualsTensor(nan)));
  FoldRule ignore = Rule(Reduction::kMin);
  ignore.nan = NanPolicy::kIgnore;
  EXPECT_THAT(FoldAll(data, nan, ignore), IsOkAndHolds(EqualsTensor(data)));
  EXPECT_THAT(FoldAll(nan, data, ignore), IsOkAndHolds(EqualsTensor(data)));
}

TEST(ReferenceFold, ZerosHaveAnOrder) {
  const Tensor minus = TensorOf<float>({1}, {-0.0f});
  const Tensor plus = TensorOf<float>({1}, {0.0f});
  EXPECT_THAT(FoldAll(minus, plus, Rule(Reduction::kMax)),
              IsOkAndHolds(EqualsTensor(plus)));
  EXPECT_THAT(FoldAll(plus, minus, Rule(Reduction::kMax)),
              IsOkAndHolds(EqualsTensor(plus)));
  EXPECT_THAT(FoldAll(minus, plus, Rule(Reduction::kMin)),
              IsOkAndHolds(EqualsTensor(minus)));
  EXPECT_THAT(FoldAll(plus, minus, Rule(Reduction::kMin)),
              IsOkAndHolds(EqualsTensor(minus)));
}

TEST(ReferenceFold, IdentitiesAreTheOnesOfTheDType) {
  EXPECT_THAT(
      FoldAll(TensorOf<int32_t>({1}, {100}),
              TensorOf<int32_t>({1}, {INT32_MIN}), Rule(Reduction::kMax, true)),
      IsOkAndHolds(EqualsTensor(TensorOf<int32_t>({1}, {INT32_MIN}))));
  EXPECT_THAT(FoldAll(TensorOf<float>({1}, {5}), TensorOf<float>({1}, {-kInf}),
                      Rule(Reduction::kMax, true)),
              IsOkAndHolds(EqualsTensor(TensorOf<float>({1}, {-kInf}))));
  EXPECT_THAT(FoldAll(TensorOf<float>({1}, {5}), TensorOf<float>({1}, {-0.0f}),
                      Rule(Reduction::kAdd, true)),
              IsOkAndHolds(EqualsTensor(TensorOf<float>({1}, {0.0f}))));
  EXPECT_THAT(FoldAll(TensorOf<float>({1}, {5}), TensorOf<float>({2}, {2, 4}),
                      Rule(Reduction::kDiv, true)),
              IsOkAndHolds(EqualsTensor(TensorOf<float>({1}, {0.125f}))));
}

TEST(ReferenceFold, IntegersWrapAndDivideTowardZero) {
  EXPECT_THAT(FoldAll(TensorOf<int8_t>({1}, {120}), TensorOf<int8_t>({1}, {10}),
                      Rule(Reduction::kAdd)),
              IsOkAndHolds(EqualsTensor(TensorOf<int8_t>({1}, {-126}))));
  EXPECT_THAT(FoldAll(TensorOf<int64_t>({1}, {INT64_MIN}),
                      TensorOf<int64_t>({1}, {-1}), Rule(Reduction::kDiv)),
              IsOkAndHolds(EqualsTensor(TensorOf<int64_t>({1}, {INT64_MIN}))));
  EXPECT_THAT(FoldAll(TensorOf<int32_t>({1}, {-7}), TensorOf<int32_t>({1}, {2}),
                      Rule(Reduction::kDiv)),
              IsOkAndHolds(EqualsTensor(TensorOf<int32_t>({1}, {-3}))));
  EXPECT_THAT(FoldAll(TensorOf<int32_t>({1}, {-7}),
                      TensorOf<int32_t>({2}, {2, 0}), Rule(Reduction::kDiv)),
              StatusIs(absl::StatusCode::kInvalidArgument));
}

TEST(ReferenceFold, BoolsHaveOrAndAnd) {
  const Tensor yes = Bools({1}, {true});
  const Tensor no = Bools({1}, {false});
  for (const Reduction reduction : {Reduction::kAdd, Reduction::kMax}) {
    EXPECT_THAT(FoldAll(yes, no, Rule(reduction)),
                IsOkAndHolds(EqualsTensor(yes)));
    EXPECT_THAT(FoldAll(yes, no, Rule(reduction, true)),
                IsOkAndHolds(EqualsTensor(no)));
  }
  for (const Reduction reduction : {Reduction::kMul, Reduction::kMin}) {
    EXPECT_THAT(FoldAll(yes, no, Rule(reduction)),
                IsOkAndHolds(EqualsTensor(no)));
    EXPECT_THAT(FoldAll(no, yes, Rule(reduction, true)),
                IsOkAndHolds(EqualsTensor(yes)));
  }
}

TEST(ReferenceFold, StringsJoinInOrderAndCompareAsUnsignedBytes) {
  const Tensor data = Strings({1}, {"b"});
  const Tensor updates = Strings({2}, {"\x80", "a"});
  const auto is = [](const std::string& text) {
    return IsOkAndHolds(EqualsTensor(Strings({1}, {text})));
  };
  EXPECT_THAT(FoldAll(data, updates, Rule(Reduction::kAdd)), is("b\x80"
                                                                "a"));
  EXPECT_THAT(FoldAll(data, updates, Rule(Reduction::kAdd, true)), is("\x80"
                                                                      "a"));
  EXPECT_THAT(FoldAll(data, updates, Rule(Reduction::kMax)), is("\x80"));
  EXPECT_THAT(FoldAll(data, updates, Rule(Reduction::kMin)), is("a"));
  EXPECT_THAT(
      FoldAll(Strings({1}, {"A"}), updates, Rule(Reduction::kMin, true)),
      is("a"));
}

}  // namespace
}  // namespace scatterd::test
