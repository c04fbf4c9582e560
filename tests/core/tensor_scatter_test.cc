#include "core/ops/tensor_scatter.h"

#include <cstdint>
#include <limits>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/testing/status_matchers.h"
#include "tests/testing/tensor_literals.h"
#include "tests/testing/tensor_matchers.h"

namespace scatterd {
namespace {

using ::scatterd::test::EqualsTensor;
using ::scatterd::test::Indices;
using ::scatterd::test::IsOk;
using ::scatterd::test::IsOkAndHolds;
using ::scatterd::test::StatusIs;
using ::scatterd::test::TensorOf;
using ::testing::HasSubstr;

constexpr auto kInvalid = absl::StatusCode::kInvalidArgument;

TensorScatterInputs Inputs() {
  TensorScatterInputs inputs;
  inputs.past_cache = {DType::kFloat, {2, 3, 5, 4}};
  inputs.update = {DType::kFloat, {2, 3, 2, 4}};
  inputs.write_indices = {DType::kInt64, {2}};
  return inputs;
}

absl::Status StatusOf(const TensorScatterInputs& inputs) {
  return PlanTensorScatter(inputs).status();
}

TEST(TensorScatter, LowersToSlicesOfTheSequenceAxis) {
  const auto result = PlanTensorScatter(Inputs());
  ASSERT_THAT(result, IsOk());
  EXPECT_FALSE(result->circular);
  EXPECT_EQ(result->plan.output, Inputs().past_cache);
  const auto& slices = std::get<SliceAddressing>(result->plan.addressing);
  EXPECT_EQ(slices.num_batches, 2);
  EXPECT_EQ(slices.num_outer, 3);
  EXPECT_EQ(slices.tuples_per_batch, 2);
  EXPECT_EQ(slices.rows, 5);
  EXPECT_EQ(slices.slice_elements, 4);
  EXPECT_EQ(slices.tuple[0].axis, 2);
}

TEST(TensorScatter, C1RefusesCachesWithoutSequence) {
  TensorScatterInputs inputs = Inputs();
  inputs.past_cache.shape = {2};
  EXPECT_THAT(StatusOf(inputs),
              StatusIs(kInvalid, HasSubstr("tensor_scatter: C1: past_cache has "
                                           "too few axes (1 vs at least 2)")));
}

TEST(TensorScatter, C2RefusesAxesThatAreNoneAndTheBatch) {
  for (const int64_t axis : {int64_t{4}, int64_t{-5}}) {
    TensorScatterInputs inputs = Inputs();
    inputs.axis = axis;
    EXPECT_THAT(StatusOf(inputs),
                StatusIs(kInvalid, HasSubstr("tensor_scatter: C2: axis is out "
                                             "of range")));
  }
  for (const int64_t axis : {int64_t{0}, int64_t{-4}}) {
    TensorScatterInputs inputs = Inputs();
    inputs.axis = axis;
    EXPECT_THAT(StatusOf(inputs),
                StatusIs(kInvalid, HasSubstr("C2: axis is the batch axis")));
  }
}

TEST(TensorScatter, C3RefusesAnotherDType) {
  TensorScatterInputs inputs = Inputs();
  inputs.update.dtype = DType::kDouble;
  EXPECT_THAT(StatusOf(inputs),
              StatusIs(kInvalid, HasSubstr("C3: update must have the dtype of "
                                           "past_cache (DOUBLE vs FLOAT)")));
}

TEST(TensorScatter, C4RefusesAnotherShapeOffTheAxis) {
  for (const Shape& shape :
       {Shape{2, 3, 2, 5}, Shape{1, 3, 2, 4}, Shape{2, 3, 2}}) {
    TensorScatterInputs inputs = Inputs();
    inputs.update.shape = shape;
    EXPECT_THAT(StatusOf(inputs), StatusIs(kInvalid, HasSubstr("C4: update")));
  }
}

TEST(TensorScatter, C5AndC6RefuseWrongWriteIndices) {
  TensorScatterInputs inputs = Inputs();
  inputs.write_indices = {DType::kFloat, {2}};
  EXPECT_THAT(StatusOf(inputs),
              StatusIs(kInvalid, HasSubstr("C5: write_indices")));
  for (const Shape& shape : {Shape{3}, Shape{}, Shape{2, 1}}) {
    inputs.write_indices = {DType::kInt64, shape};
    EXPECT_THAT(StatusOf(inputs),
                StatusIs(kInvalid, HasSubstr("C6: write_indices")));
  }
}

TEST(TensorScatter, C7RefusesUnknownModes) {
  TensorScatterInputs inputs = Inputs();
  inputs.mode = "Linear";
  EXPECT_THAT(StatusOf(inputs), StatusIs(kInvalid, HasSubstr("C7: unknown")));
}

// Batch 2, axis of size 5, 2 entries for each.
TensorScatterPlan PlanFor(absl::string_view mode) {
  TensorScatterInputs inputs = Inputs();
  inputs.mode = mode;
  return *PlanTensorScatter(inputs);
}

TEST(TensorScatter, C8LinearEntriesMustFit) {
  const TensorScatterPlan plan = PlanFor("linear");
  const auto check = [&plan](int64_t a, int64_t b) {
    const Tensor write_indices = Indices({2}, {a, b});
    return CheckWriteIndices(plan, &write_indices);
  };
  EXPECT_THAT(check(0, 3), IsOk());
  EXPECT_THAT(CheckWriteIndices(plan, nullptr), IsOk());
  EXPECT_THAT(
      check(0, 4),
      StatusIs(absl::StatusCode::kOutOfRange,
               HasSubstr("tensor_scatter: C8: 2 entries of batch entry 1 do "
                         "not fit axis 2 of size 5 (from 4 on vs [0, 5))")));
  for (const int64_t bad : {int64_t{-1}, std::numeric_limits<int64_t>::max(),
                            std::numeric_limits<int64_t>::min()}) {
    EXPECT_THAT(check(bad, 0), StatusIs(absl::StatusCode::kOutOfRange,
                                        HasSubstr("batch entry 0")));
  }
}

TEST(TensorScatter, C8MoreEntriesThanTheAxisNeverFitLinearly) {
  TensorScatterInputs inputs = Inputs();
  inputs.update.shape = {2, 3, 6, 4};
  inputs.write_indices.reset();
  const auto plan = PlanTensorScatter(inputs);
  ASSERT_THAT(plan, IsOk());
  EXPECT_THAT(CheckWriteIndices(*plan, nullptr),
              StatusIs(absl::StatusCode::kOutOfRange));
}

TEST(TensorScatter, C8CircularNeedsAnAxisWithSize) {
  TensorScatterInputs inputs = Inputs();
  inputs.past_cache.shape = {2, 3, 0, 4};
  inputs.mode = "circular";
  const auto plan = PlanTensorScatter(inputs);
  ASSERT_THAT(plan, IsOk());
  EXPECT_THAT(CheckWriteIndices(*plan, nullptr),
              StatusIs(absl::StatusCode::kOutOfRange));
}

TEST(TensorScatter, LinearIndicesCountFromTheWriteIndex) {
  const Tensor write_indices = TensorOf<int32_t>({2}, {3, 1});
  EXPECT_THAT(MakeTensorScatterIndices(PlanFor("linear"), &write_indices),
              IsOkAndHolds(EqualsTensor(Indices({2, 2, 1}, {3, 4, 1, 2}))));
  EXPECT_THAT(MakeTensorScatterIndices(PlanFor("linear"), nullptr),
              IsOkAndHolds(EqualsTensor(Indices({2, 2, 1}, {0, 1, 0, 1}))));
}

TEST(TensorScatter, CircularIndicesWrap) {
  const Tensor write_indices = Indices({2}, {4, -1});
  EXPECT_THAT(MakeTensorScatterIndices(PlanFor("circular"), &write_indices),
              IsOkAndHolds(EqualsTensor(Indices({2, 2, 1}, {4, 0, 4, 0}))));
  // 2^63 - 1 = 2 modulo 5, -2^63 = 2 modulo 5.
  const Tensor extreme = Indices({2}, {std::numeric_limits<int64_t>::max(),
                                       std::numeric_limits<int64_t>::min()});
  EXPECT_THAT(MakeTensorScatterIndices(PlanFor("circular"), &extreme),
              IsOkAndHolds(EqualsTensor(Indices({2, 2, 1}, {2, 3, 2, 3}))));
}

}  // namespace
}  // namespace scatterd
