// The oracle's addressing against values published with the operators.

#include "tests/testing/reference_ops.h"

#include "gtest/gtest.h"
#include "tests/testing/status_matchers.h"
#include "tests/testing/tensor_literals.h"
#include "tests/testing/tensor_matchers.h"

namespace scatterd::test {
namespace {

auto Is(const Tensor& expected) { return IsOkAndHolds(EqualsTensor(expected)); }

TEST(ReferenceOps, ScattersOnnxExampleOne) {
  EXPECT_THAT(ReferenceCall(ScatterNDCall(
                  Iota<float>({8}, 1), Indices({4, 1}, {4, 3, 1, 7}),
                  TensorOf<float>({4}, {9, 10, 11, 12}))),
              Is(TensorOf<float>({8}, {1, 11, 3, 10, 9, 6, 7, 12})));
}

TEST(ReferenceOps, GathersTensorflowsSlicesWithBatches) {
  const Tensor params =
      Strings({2, 2, 2}, {"a0", "b0", "c0", "d0", "a1", "b1", "c1", "d1"});
  EXPECT_THAT(ReferenceCall(GatherNDCall(params, Indices({2, 1}, {1, 0}), 1)),
              Is(Strings({2, 2}, {"c0", "d0", "a1", "b1"})));
  EXPECT_THAT(
      ReferenceCall(GatherNDCall(params, Indices({2, 1, 2}, {1, 0, 0, 1}), 1)),
      Is(Strings({2, 1}, {"c0", "b1"})));
}

TEST(ReferenceOps, GathersAlongAnAxisWithBatches) {
  EXPECT_THAT(ReferenceCall(
                  GatherCall(Iota<float>({2, 3}), Indices({2}, {2, 0}), 1, 1)),
              Is(TensorOf<float>({2}, {2, 3})));
  EXPECT_THAT(ReferenceCall(GatherCall(Iota<float>({2, 3}),
                                       Indices({2, 1, 2}, {0, 1, 1, 0}), 1, 0)),
              Is(TensorOf<float>({2, 2, 1, 2}, {0, 1, 1, 0, 3, 4, 4, 3})));
}

TEST(ReferenceOps, ScattersMindsporesSecondExample) {
  EXPECT_THAT(
      ReferenceCall(ScatterElementsCall(
          Iota<int32_t>({3, 3}, 1), Indices({2, 3}, {1, -1, 2, 0, 2, 1}),
          TensorOf<int32_t>({2, 3}, {1, 2, 2, 4, 5, 8}), 0, Reduction::kAdd)),
      Is(TensorOf<int32_t>({3, 3}, {5, 2, 3, 5, 5, 14, 7, 15, 11})));
}

TEST(ReferenceOps, GathersElementsOfACorner) {
  EXPECT_THAT(ReferenceCall(GatherElementsCall(
                  TensorOf<float>({2, 3}, {10, 11, 12, 20, 21, 22}),
                  Indices({1, 2}, {2, 0}), 1)),
              Is(TensorOf<float>({1, 2}, {12, 10})));
}

TEST(ReferenceOps, NamesTheFirstBadIndex) {
  const auto result = ReferenceCall(
      GatherNDCall(Iota<float>({3, 4}), Indices({3, 2}, {0, 0, 2, 4, 3, 0})));
  EXPECT_THAT(result, StatusIs(absl::StatusCode::kOutOfRange));
  const std::optional<BadIndex> bad = BadIndexOf(result.status());
  ASSERT_TRUE(bad.has_value());
  EXPECT_EQ(bad->position, 1);
  EXPECT_EQ(bad->axis, 1);
  EXPECT_EQ(bad->axis_size, 4);
}

TEST(ReferenceOps, AppliesTheBoundsPolicies) {
  OperatorCall call =
      GatherCall(TensorOf<int32_t>({3}, {10, 20, 30}),
                 Indices({4}, {5, -1, -5, 8259655103995416119}));
  call.options.out_of_bounds = OutOfBounds::kWrap;
  EXPECT_THAT(ReferenceCall(call),
              Is(TensorOf<int32_t>({4}, {30, 30, 20, 30})));
  call.options.out_of_bounds = OutOfBounds::kClamp;
  EXPECT_THAT(ReferenceCall(call),
              Is(TensorOf<int32_t>({4}, {30, 30, 10, 30})));
  call.options.negative_indices = NegativeIndices::kOutOfBounds;
  EXPECT_THAT(ReferenceCall(call),
              Is(TensorOf<int32_t>({4}, {30, 10, 10, 30})));
  call.options.out_of_bounds = OutOfBounds::kSkip;
  call.options.fill_value = TensorOf<int32_t>({}, {-7});
  EXPECT_THAT(ReferenceCall(call),
              Is(TensorOf<int32_t>({4}, {-7, -7, -7, -7})));
}

TEST(ReferenceOps, EmptyTupleAddressesTheWholeTensor) {
  EXPECT_THAT(
      ReferenceCall(ScatterNDCall(
          Iota<float>({2}), ValueOrDie(Tensor::Zeros({DType::kInt64, {2, 0}})),
          TensorOf<float>({2, 2}, {1, 2, 3, 4}), Reduction::kAdd)),
      Is(TensorOf<float>({2}, {4, 7})));
}

TEST(ReferenceOps, RefusesWhatTheContractRefuses) {
  const Tensor data = Iota<float>({3, 4});
  const auto refused = StatusIs(absl::StatusCode::kInvalidArgument);
  EXPECT_THAT(ReferenceCall(GatherCall(data, Indices({1}, {0}), 2)), refused);
  EXPECT_THAT(ReferenceCall(GatherCall(data, Indices({3}, {0, 0, 0}), 0, 1)),
              refused);
  EXPECT_THAT(ReferenceCall(GatherNDCall(data, Indices({1, 3}, {0, 0, 0}))),
              refused);
  EXPECT_THAT(ReferenceCall(GatherElementsCall(data, Indices({1}, {0}))),
              refused);
  EXPECT_THAT(ReferenceCall(ScatterNDCall(data, Indices({1}, {0}),
                                          TensorOf<float>({1}, {0}))),
              refused);
  EXPECT_THAT(ReferenceCall(
                  ScatterElementsCall(Bools({1}, {true}), Indices({1}, {0}),
                                      Bools({1}, {true}), 0, Reduction::kSub)),
              refused);
}

}  // namespace
}  // namespace scatterd::test
