// The oracle's gradients against values published with the operators or worked
// out by hand.

#include "tests/testing/reference_gradient.h"

#include <cmath>

#include "gtest/gtest.h"
#include "tests/testing/status_matchers.h"
#include "tests/testing/tensor_literals.h"
#include "tests/testing/tensor_matchers.h"

namespace scatterd::test {
namespace {

Tensor Floats(const std::vector<float>& values) {
  return TensorOf<float>({static_cast<int64_t>(values.size())}, values);
}

// Along the only axis, with a grad_output of ones.
GradientCall OfScatter(const std::vector<float>& data,
                       const std::vector<int64_t>& indices,
                       const std::vector<float>& updates, Reduction reduction) {
  GradientCall call;
  call.forward = ScatterElementsCall(
      Floats(data), Indices({static_cast<int64_t>(indices.size())}, indices),
      Floats(updates), 0, reduction);
  call.grad_output = Floats(std::vector<float>(data.size(), 1));
  return call;
}

void ExpectGradients(const GradientCall& call, const std::vector<float>& data,
                     const std::vector<float>& updates) {
  const auto result = ReferenceGradient(call);
  ASSERT_THAT(result, IsOk());
  EXPECT_THAT(result->grad_data, EqualsTensor(Floats(data)));
  EXPECT_THAT(*result->grad_updates, EqualsTensor(Floats(updates)));
}

// PyTorch, scatter_reduce "prod".
TEST(ReferenceGradient, ProductLeavesEachFactorOut) {
  ExpectGradients(OfScatter({2, 3, 4}, {0, 0, 1}, {0, 7, 11}, Reduction::kMul),
                  {0, 11, 1}, {14, 0, 3});
  ExpectGradients(OfScatter({2}, {0, 0, 0}, {0, 0, 5}, Reduction::kMul), {0},
                  {0, 0, 0});
  ExpectGradients(OfScatter({0}, {0, 0}, {3, 5}, Reduction::kMul), {15},
                  {0, 0});
}

TEST(ReferenceGradient, MaximumSplitsEvenlyOverTiesWithData) {
  ExpectGradients(OfScatter({10, 1}, {0, 0, 1}, {10, 4, 1}, Reduction::kMax),
                  {.5, .5}, {.5, 0, .5});
}

// pytorch/pytorch#168358
TEST(ReferenceGradient, MaximumWithoutDataDoesNotCountDataThatTies) {
  for (const float data : {99.f, 10.f}) {
    GradientCall call =
        OfScatter({data, 2}, {0, 0, 1}, {10, 10, 30}, Reduction::kMax);
    call.forward.attributes.exclude_self = true;
    ExpectGradients(call, {0, 0}, {.5, .5, 1});
  }
}

TEST(ReferenceGradient, OnlyTheUpdateThatStayedReceives) {
  GradientCall call = OfScatter({1, 2}, {0, 0}, {3, 4}, Reduction::kNone);
  ExpectGradients(call, {0, 1}, {0, 1});
  call.forward.options.duplicates = Duplicates::kFirstWins;
  ExpectGradients(call, {0, 1}, {1, 0});
  const auto all = ReferenceGradient(call, Receivers::kAllDuplicates);
  EXPECT_THAT(*all->grad_updates, EqualsTensor(Floats({1, 1})));
}

TEST(ReferenceGradient, QuotientAndDifferenceAndMean) {
  ExpectGradients(OfScatter({8}, {0, 0}, {2, 4}, Reduction::kDiv), {.125},
                  {-.5, -.25});
  ExpectGradients(OfScatter({8}, {0, 0}, {2, 4}, Reduction::kSub), {1},
                  {-1, -1});
  ExpectGradients(OfScatter({8, 1}, {0, 0, 0}, {2, 4, 5}, Reduction::kMean),
                  {.25, 1}, {.25, .25, .25});
}

TEST(ReferenceGradient, ScaleMultipliesAndZeroIsExact) {
  GradientCall call = OfScatter({1, 2}, {0}, {3}, Reduction::kAdd);
  call.grad_output = Floats({NAN, INFINITY});
  call.scale = 0;
  ExpectGradients(call, {0, 0}, {0});
  call.grad_output = Floats({1, 2});
  call.scale = -3;
  ExpectGradients(call, {-3, -6}, {-3});
}

TEST(ReferenceGradient, ComplexProductsUseConjugates) {
  GradientCall call;
  call.forward =
      ScatterNDCall(TensorOf<Complex64>({1}, {{1, 2}}), Indices({1, 1}, {0}),
                    TensorOf<Complex64>({1}, {{3, -1}}), Reduction::kMul);
  call.grad_output = TensorOf<Complex64>({1}, {{1, 0}});
  const auto result = ReferenceGradient(call);
  EXPECT_THAT(result->grad_data,
              EqualsTensor(TensorOf<Complex64>({1}, {{3, 1}})));
  EXPECT_THAT(*result->grad_updates,
              EqualsTensor(TensorOf<Complex64>({1}, {{1, -2}})));
}

TEST(ReferenceGradient, GatherAddsUpAndSkippedLanesAddNothing) {
  GradientCall call;
  call.forward = GatherCall(Floats({1, 2, 3}), Indices({4}, {2, 0, 2, 9}));
  call.forward.options.out_of_bounds = OutOfBounds::kSkip;
  call.grad_output = Floats({1, 10, 100, 1000});
  const auto result = ReferenceGradient(call);
  ASSERT_THAT(result, IsOk());
  EXPECT_THAT(result->grad_data, EqualsTensor(Floats({10, 0, 101})));
  EXPECT_FALSE(result->grad_updates.has_value());
}

TEST(ReferenceGradient, EmptyTuplesMeetTheWholeTensor) {
  GradientCall call;
  call.forward =
      ScatterNDCall(Floats({1, 2}), Indices({2, 0}, {}),
                    TensorOf<float>({2, 2}, {3, 4, 5, 6}), Reduction::kAdd);
  call.grad_output = Floats({10, 20});
  const auto result = ReferenceGradient(call);
  ASSERT_THAT(result, IsOk());
  EXPECT_THAT(*result->grad_updates,
              EqualsTensor(TensorOf<float>({2, 2}, {10, 20, 10, 20})));
}

}  // namespace
}  // namespace scatterd::test
