// What gradients are planned from and what is done after them; the values are
// tests/backends/gradient_conformance_test.cc's.

#include "core/gradient.h"

#include "core/dialect.h"
#include "core/errors.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/testing/status_matchers.h"
#include "tests/testing/tensor_literals.h"
#include "tests/testing/tensor_matchers.h"

namespace scatterd {
namespace {

using ::scatterd::test::EqualsTensor;
using ::scatterd::test::Halves;
using ::scatterd::test::IsOk;
using ::scatterd::test::IsOkAndHolds;
using ::scatterd::test::StatusIs;
using ::scatterd::test::TensorOf;
using ::testing::HasSubstr;

OperatorInputs ScatterInputs(Reduction reduction, bool exclude_self = false) {
  OperatorInputs inputs;
  inputs.data = {DType::kFloat, {4, 2}};
  inputs.indices = {DType::kInt64, {3, 1}};
  inputs.updates = {DType::kFloat, {3, 2}};
  inputs.attributes.reduction = reduction;
  inputs.attributes.exclude_self = exclude_self;
  return inputs;
}

absl::StatusOr<GradientPlan> PlanScatter(const OperatorInputs& inputs) {
  return MakeGradientPlan(OperatorId::kScatterND, inputs, inputs.data);
}

TEST(GradientPlan, OnlyProductsQuotientsAndSelectionsNeedTheOperands) {
  for (const Reduction reduction :
       {Reduction::kNone, Reduction::kAdd, Reduction::kSub, Reduction::kMean}) {
    const auto plan = PlanScatter(ScatterInputs(reduction));
    ASSERT_THAT(plan, IsOk());
    EXPECT_FALSE(plan->needs_data) << ReductionName(reduction);
    EXPECT_FALSE(plan->needs_updates) << ReductionName(reduction);
  }
  for (const Reduction reduction :
       {Reduction::kMul, Reduction::kDiv, Reduction::kMax, Reduction::kMin}) {
    const auto plan = PlanScatter(ScatterInputs(reduction));
    ASSERT_THAT(plan, IsOk());
    EXPECT_TRUE(plan->needs_data) << ReductionName(reduction);
    EXPECT_TRUE(plan->needs_updates) << ReductionName(reduction);
    const auto without = PlanScatter(ScatterInputs(reduction, true));
    EXPECT_FALSE(without->needs_data) << ReductionName(reduction);
    EXPECT_TRUE(without->needs_updates) << ReductionName(reduction);
  }
}

TEST(GradientPlan, GradientsAreLikeDataAndTheUpdatesThatTheKernelSees) {
  OperatorInputs inputs = ScatterInputs(Reduction::kAdd);
  const auto exact = PlanScatter(inputs);
  EXPECT_EQ(exact->grad_data, inputs.data);
  EXPECT_EQ(exact->grad_updates, inputs.updates);
  inputs.updates.shape = {1, 2};
  inputs.options =
      ResolveOptions(OperatorId::kScatterND, {.dialect = Dialect::kNumpy});
  const auto broadcast = PlanScatter(inputs);
  ASSERT_THAT(broadcast, IsOk());
  EXPECT_EQ(broadcast->grad_updates.shape, Shape({3, 2}));
}

TEST(GradientPlan, TheForwardsConstraintsComeFirst) {
  OperatorInputs inputs = ScatterInputs(Reduction::kAdd);
  inputs.updates.shape = {4, 2};
  EXPECT_THAT(PlanScatter(inputs), StatusIs(absl::StatusCode::kInvalidArgument,
                                            HasSubstr("scatter_nd: C8")));
}

TEST(OverlayOptions, WhatIsSetOverWins) {
  ExecutionOptions base;
  base.dialect = Dialect::kJax;
  base.out_of_bounds = OutOfBounds::kClamp;
  base.device = "cpu";
  ExecutionOptions over;
  over.out_of_bounds = OutOfBounds::kWrap;
  over.nan = NanPolicy::kIgnore;
  over.fill_value = TensorOf<float>({}, {3});
  const ExecutionOptions both = OverlayOptions(base, over);
  EXPECT_EQ(both.dialect, Dialect::kJax);
  EXPECT_EQ(both.out_of_bounds, OutOfBounds::kWrap);
  EXPECT_EQ(both.nan, NanPolicy::kIgnore);
  EXPECT_EQ(both.device, "cpu");
  EXPECT_FALSE(both.duplicates.has_value());
  EXPECT_THAT(*both.fill_value, EqualsTensor(TensorOf<float>({}, {3})));
}

TEST(BelowField, PutsTheParentInFront) {
  const absl::Status status = ConstraintError("gather", 1, "data", "no");
  EXPECT_EQ(GetPayload(BelowField(status, "gather"), kFieldPayload),
            "gather.data");
  EXPECT_EQ(
      GetPayload(BelowField(WithField(absl::InternalError("x"), ""), "gather"),
                 kFieldPayload),
      "gather");
  const absl::Status without = absl::InternalError("x");
  EXPECT_EQ(BelowField(without, "gather"), without);
}

// --- ContractGradient -------------------------------------------------------

TEST(ContractGradient, SumsTheRepeatsOfABroadcast) {
  const Tensor gradient = TensorOf<float>({2, 3}, {1, 2, 4, 8, 16, 32});
  const auto contract = [&](const Shape& from) {
    return ContractGradient(*BroadcastView(from, {2, 3}), gradient, from,
                            Accumulation::kNative);
  };
  EXPECT_THAT(contract({3}),
              IsOkAndHolds(EqualsTensor(TensorOf<float>({3}, {9, 18, 36}))));
  EXPECT_THAT(contract({2, 1}),
              IsOkAndHolds(EqualsTensor(TensorOf<float>({2, 1}, {7, 56}))));
  EXPECT_THAT(contract({}),
              IsOkAndHolds(EqualsTensor(TensorOf<float>({}, {63}))));
  EXPECT_THAT(contract({2, 3}), IsOkAndHolds(EqualsTensor(gradient)));
}

TEST(ContractGradient, SumsInRowMajorOrder) {
  // In any other order the small terms survive.
  const Tensor gradient = TensorOf<float>({2, 2}, {1e8f, 1.f, 1.f, -1e8f});
  EXPECT_THAT(ContractGradient(*BroadcastView({}, {2, 2}), gradient, {},
                               Accumulation::kNative),
              IsOkAndHolds(EqualsTensor(TensorOf<float>({}, {0}))));
}

TEST(ContractGradient, HalvesRoundAfterEveryTermOrOnce) {
  const Tensor ones = Halves<BFloat16>({512}, std::vector<double>(512, 1));
  const auto contract = [&](Accumulation accumulation) {
    return ContractGradient(*BroadcastView({1}, {512}), ones, {1},
                            accumulation);
  };
  EXPECT_THAT(contract(Accumulation::kNative),
              IsOkAndHolds(EqualsTensor(Halves<BFloat16>({1}, {256}))));
  EXPECT_THAT(contract(Accumulation::kWide),
              IsOkAndHolds(EqualsTensor(Halves<BFloat16>({1}, {512}))));
}

TEST(ContractGradient, IsZeroOutsideTheCorner) {
  EXPECT_THAT(
      ContractGradient(*CornerView({2, 3}, {1, 2}),
                       TensorOf<double>({1, 2}, {5, 6}), {2, 3},
                       Accumulation::kNative),
      IsOkAndHolds(EqualsTensor(TensorOf<double>({2, 3}, {5, 6, 0, 0, 0, 0}))));
}

TEST(ContractGradient, OfNothingIsZero) {
  EXPECT_THAT(
      ContractGradient(*BroadcastView({1}, {0}), TensorOf<float>({0}, {}), {1},
                       Accumulation::kNative),
      IsOkAndHolds(EqualsTensor(TensorOf<float>({1}, {0}))));
  // No matter how often.
  const Shape shape = {int64_t{1} << 60, 0};
  const Tensor nothing =
      test::ValueOrDie(Tensor::Zeros({DType::kFloat, shape}));
  EXPECT_THAT(ContractGradient(*BroadcastView({1}, shape), nothing, {1},
                               Accumulation::kNative),
              IsOkAndHolds(EqualsTensor(TensorOf<float>({1}, {0}))));
}

}  // namespace
}  // namespace scatterd
