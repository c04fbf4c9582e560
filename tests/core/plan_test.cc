// The operators' constraints that shapes alone can break, one test for each
// numbered constraint, and the shapes of their outputs.

#include "core/errors.h"
#include "core/operator.h"
#include "gmock/gmock.h"
#include "tests/testing/status_matchers.h"

namespace scatterd {
namespace {

using ::scatterd::test::IsOk;
using ::scatterd::test::StatusIs;
using ::testing::HasSubstr;

TensorSpec F(Shape shape) { return {DType::kFloat, std::move(shape)}; }
TensorSpec I(Shape shape) { return {DType::kInt64, std::move(shape)}; }

struct Case {
  OperatorId op;
  OperatorInputs inputs;

  Case& Axis(int64_t axis) {
    inputs.attributes.axis = axis;
    return *this;
  }
  Case& BatchDims(int64_t batch_dims) {
    inputs.attributes.batch_dims = batch_dims;
    return *this;
  }
  Case& Reduce(Reduction reduction) {
    inputs.attributes.reduction = reduction;
    return *this;
  }
};

Case Gather(TensorSpec data, TensorSpec indices) {
  return {OperatorId::kGather, {data, indices, {}, {}, {}}};
}
Case GatherElements(TensorSpec data, TensorSpec indices) {
  return {OperatorId::kGatherElements, {data, indices, {}, {}, {}}};
}
Case GatherND(TensorSpec data, TensorSpec indices) {
  return {OperatorId::kGatherND, {data, indices, {}, {}, {}}};
}
Case ScatterElements(TensorSpec data, TensorSpec indices, TensorSpec updates) {
  return {OperatorId::kScatterElements, {data, indices, updates, {}, {}}};
}
Case ScatterND(TensorSpec data, TensorSpec indices, TensorSpec updates) {
  return {OperatorId::kScatterND, {data, indices, updates, {}, {}}};
}

void ExpectRefused(const Case& c, const std::string& message,
                   const std::string& field) {
  const absl::StatusOr<Plan> plan = MakePlan(c.op, c.inputs);
  ASSERT_THAT(plan,
              StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr(message)));
  EXPECT_EQ(GetPayload(plan.status(), kFieldPayload), field) << message;
}

void ExpectOutput(const Case& c, const TensorSpec& output) {
  const absl::StatusOr<Plan> plan = MakePlan(c.op, c.inputs);
  ASSERT_THAT(plan, IsOk());
  EXPECT_EQ(plan->output, output) << plan->output.ToString();
}

TEST(Gather, OutputReplacesTheAxisByTheIndices) {
  ExpectOutput(Gather(F({3, 4, 5}), I({2, 2})).Axis(1), F({3, 2, 2, 5}));
  ExpectOutput(Gather(F({3, 4, 5}), I({7})).Axis(-1), F({3, 4, 7}));
  ExpectOutput(Gather(F({2, 3}), I({})), F({3}));
  ExpectOutput(Gather(F({3}), I({})), F({}));
  ExpectOutput(Gather(F({1, 3, 0}), I({})), F({3, 0}));
  ExpectOutput(Gather(F({2, 3, 4}), I({2, 5})).Axis(1).BatchDims(1),
               F({2, 5, 4}));
  ExpectOutput(Gather(F({2, 3}), I({2})).Axis(1).BatchDims(1), F({2}));
}
TEST(Gather, C0RefusesImpossibleSpecs) {
  ExpectRefused(Gather(F({-1}), I({1})), "gather: C0: data: dimension 0",
                "data");
  ExpectRefused(Gather(F({1}), I({int64_t{1} << 60, 4})),
                "gather: C0: indices: shape", "indices");
}
TEST(Gather, C1RefusesScalarData) {
  ExpectRefused(Gather(F({}), I({1})), "gather: C1: data is a scalar", "data");
}
TEST(Gather, C2RefusesOtherIndexDTypes) {
  ExpectRefused(Gather(F({3}), F({1})),
                "gather: C2: indices has the wrong dtype (FLOAT vs INT32 or "
                "INT64)",
                "indices");
  ExpectOutput(Gather(F({3}), {DType::kInt32, {1}}), F({1}));
}
TEST(Gather, C3RefusesAxesOutOfRange) {
  for (int64_t axis : {int64_t{2}, int64_t{-3}, INT64_MIN, INT64_MAX}) {
    ExpectRefused(Gather(F({3, 4}), I({1})).Axis(axis), "gather: C3: axis",
                  "axis");
  }
}
TEST(Gather, C4RefusesBatchDimsBeyondAxisOrIndices) {
  ExpectRefused(Gather(F({5}), I({3})).BatchDims(1), "gather: C4: batch_dims",
                "batch_dims");
  ExpectRefused(Gather(F({5, 5}), I({5})).Axis(1).BatchDims(2),
                "gather: C4: batch_dims", "batch_dims");
  ExpectRefused(Gather(F({5, 5}), I({5})).Axis(1).BatchDims(-1),
                "(-1 vs [0, 1])", "batch_dims");
}
TEST(Gather, C5RefusesUnequalBatches) {
  ExpectRefused(Gather(F({2, 3}), I({1, 3})).Axis(1).BatchDims(1),
                "gather: C5: indices and data differ in batch dimension 0 (1 "
                "vs 2)",
                "indices");
}
TEST(Gather, C6RefusesOutputsThatCannotBeExpressed) {
  ExpectRefused(Gather(F(Shape(std::vector<int64_t>(20, 1))),
                       I(Shape(std::vector<int64_t>(20, 1)))),
                "gather: C6: output: rank is too large (39 vs at most 32)",
                "indices");
  const int64_t big = int64_t{1} << 40;
  ExpectRefused(Gather(F({1, big}), I({big})), "gather: C6: output: shape",
                "indices");
}

TEST(GatherElements, OutputHasTheShapeOfIndices) {
  ExpectOutput(GatherElements(F({3, 4}), I({2, 9})).Axis(1), F({2, 9}));
}
TEST(GatherElements, C1RefusesScalarData) {
  ExpectRefused(GatherElements(F({}), I({})), "gather_elements: C1:", "data");
}
TEST(GatherElements, C2RefusesOtherIndexDTypes) {
  ExpectRefused(GatherElements(F({3}), {DType::kUInt64, {1}}),
                "gather_elements: C2:", "indices");
}
TEST(GatherElements, C3RefusesAxesOutOfRange) {
  ExpectRefused(GatherElements(F({3}), I({3})).Axis(1),
                "gather_elements: C3:", "axis");
}
TEST(GatherElements, C4RefusesOtherRanks) {
  ExpectRefused(GatherElements(F({3, 3}), I({3})),
                "gather_elements: C4: indices must have the rank of data (1 vs "
                "2)",
                "indices");
}
TEST(GatherElements, C5RefusesIndicesLongerThanDataOffTheAxis) {
  ExpectRefused(GatherElements(F({2, 3}), I({3, 2})).Axis(1),
                "gather_elements: C5: indices is longer than data on axis 0 (3 "
                "vs at most 2)",
                "indices");
}

TEST(GatherND, OutputAppendsTheSlice) {
  ExpectOutput(GatherND(F({2, 3, 4}), I({5, 2})), F({5, 4}));
  ExpectOutput(GatherND(F({2, 3, 4}), I({2, 6, 1})).BatchDims(1), F({2, 6, 4}));
  ExpectOutput(GatherND(F({2, 2}), I({2})), F({}));
  ExpectOutput(GatherND(F({2, 0, 5}), I({1, 1})), F({1, 0, 5}));
  ExpectOutput(GatherND(F({0, 3}), I({0, 1})).BatchDims(1), F({0}));
}
TEST(GatherND, C1RefusesScalarData) {
  ExpectRefused(GatherND(F({}), I({1})), "gather_nd: C1:", "data");
}
TEST(GatherND, C2RefusesOtherIndexDTypes) {
  ExpectRefused(GatherND(F({3}), {DType::kInt16, {1}}),
                "gather_nd: C2:", "indices");
}
TEST(GatherND, C3RefusesScalarIndices) {
  ExpectRefused(GatherND(F({3}), I({})), "gather_nd: C3:", "indices");
}
TEST(GatherND, C4RefusesBatchDimsThatLeaveNoAxis) {
  ExpectRefused(GatherND(F({3, 3}), I({3, 1})).BatchDims(2),
                "gather_nd: C4:", "batch_dims");
  ExpectRefused(GatherND(F({3, 3}), I({3, 1})).BatchDims(-1),
                "gather_nd: C4:", "batch_dims");
}
TEST(GatherND, C5RefusesUnequalBatchesAlsoOfOne) {
  ExpectRefused(GatherND(F({3, 3}), I({2, 1})).BatchDims(1),
                "gather_nd: C5: indices and data differ in batch dimension 0 "
                "(2 vs 3)",
                "indices");
  ExpectRefused(GatherND(F({3, 3}), I({1, 1})).BatchDims(1),
                "gather_nd: C5:", "indices");
}
TEST(GatherND, C6RefusesTuplesOfWrongDepth) {
  ExpectRefused(GatherND(F({3, 3}), I({1, 3})), "(3 vs [1, 2])", "indices");
  ExpectRefused(GatherND(F({3, 3}), I({1, 0})), "(0 vs [1, 2])", "indices");
  ExpectRefused(GatherND(F({3, 3}), I({3, 2})).BatchDims(1), "(2 vs [1, 1])",
                "indices");
}
TEST(GatherND, C7RefusesOutputsThatCannotBeExpressed) {
  const int64_t big = int64_t{1} << 40;
  ExpectRefused(GatherND(F({1, big}), I({big, 1})),
                "gather_nd: C7:", "indices");
}

TEST(ScatterElements, OutputIsLikeData) {
  ExpectOutput(ScatterElements(F({3, 4}), I({3, 9}), F({3, 9})).Axis(1),
               F({3, 4}));
}
TEST(ScatterElements, C1RefusesScalarData) {
  ExpectRefused(ScatterElements(F({}), I({}), F({})),
                "scatter_elements: C1:", "data");
}
TEST(ScatterElements, C2RefusesOtherIndexDTypes) {
  ExpectRefused(ScatterElements(F({3}), F({1}), F({1})),
                "scatter_elements: C2:", "indices");
}
TEST(ScatterElements, C3RefusesAxesOutOfRange) {
  ExpectRefused(ScatterElements(F({3}), I({1}), F({1})).Axis(-2),
                "scatter_elements: C3:", "axis");
}
TEST(ScatterElements, C4RefusesOtherRanks) {
  ExpectRefused(ScatterElements(F({3}), I({1, 1}), F({1, 1})),
                "scatter_elements: C4:", "indices");
}
TEST(ScatterElements, C5RefusesIndicesLongerThanDataOffTheAxis) {
  ExpectRefused(ScatterElements(F({2, 3}), I({1, 4}), F({1, 4})),
                "scatter_elements: C5:", "indices");
}
TEST(ScatterElements, C6RefusesUpdatesOfAnotherDType) {
  ExpectRefused(ScatterElements(F({3}), I({1}), I({1})),
                "scatter_elements: C6: updates must have the dtype of data "
                "(INT64 vs FLOAT)",
                "updates");
}
TEST(ScatterElements, C7RefusesUpdatesOfAnotherShape) {
  ExpectRefused(ScatterElements(F({3, 4}), I({3, 4}), F({2, 4})),
                "scatter_elements: C7: updates has the wrong shape ([2,4] vs "
                "[3,4])",
                "updates");
}

TEST(ScatterND, OutputIsLikeData) {
  ExpectOutput(ScatterND(F({4, 5}), I({2, 1}), F({2, 5})), F({4, 5}));
  ExpectOutput(ScatterND(F({4, 5}), I({0}), F({4, 5})), F({4, 5}));
  ExpectOutput(ScatterND(F({3}), I({1}), F({})), F({3}));
  ExpectOutput(ScatterND(F({2, 4, 5}), I({2, 3, 1}), F({2, 3, 5})).BatchDims(1),
               F({2, 4, 5}));
}
TEST(ScatterND, C1RefusesScalarData) {
  ExpectRefused(ScatterND(F({}), I({0}), F({})), "scatter_nd: C1:", "data");
}
TEST(ScatterND, C2RefusesOtherIndexDTypes) {
  ExpectRefused(ScatterND(F({3}), {DType::kBool, {1, 1}}, F({1})),
                "scatter_nd: C2:", "indices");
}
TEST(ScatterND, C3RefusesScalarIndices) {
  ExpectRefused(ScatterND(F({3}), I({}), F({})), "scatter_nd: C3:", "indices");
}
TEST(ScatterND, C4RefusesBatchDimsThatLeaveNoAxis) {
  ExpectRefused(ScatterND(F({3}), I({3}), F({})).BatchDims(1),
                "scatter_nd: C4:", "batch_dims");
}
TEST(ScatterND, C5RefusesUnequalBatches) {
  ExpectRefused(ScatterND(F({3, 2}), I({2, 1}), F({2})).BatchDims(1),
                "scatter_nd: C5:", "indices");
}
TEST(ScatterND, C6RefusesTuplesWiderThanRank) {
  ExpectRefused(ScatterND(F({3}), I({1, 2}), F({1})),
                "scatter_nd: C6: the last dimension of indices must fit",
                "indices");
}
TEST(ScatterND, C7RefusesUpdatesOfAnotherDType) {
  ExpectRefused(ScatterND(F({3}), I({1, 1}), {DType::kDouble, {1}}),
                "scatter_nd: C7:", "updates");
}
TEST(ScatterND, C8RefusesUpdatesOfAnotherShape) {
  ExpectRefused(ScatterND(F({8}), I({4, 1, 1}), F({4})),
                "scatter_nd: C8: updates has the wrong shape ([4] vs [4,1])",
                "updates");
  ExpectRefused(ScatterND(F({3}), I({1}), F({1})), "([1] vs [])", "updates");
}

// Which reductions have a meaning, from the public contract.
bool HasMeaning(DType dtype, Reduction reduction) {
  if (reduction == Reduction::kNone) return true;
  switch (KindOf(dtype)) {
    case DTypeKind::kInteger:
    case DTypeKind::kFloat:
    case DTypeKind::kHalf:
      return true;
    case DTypeKind::kComplex:
      return reduction != Reduction::kMax && reduction != Reduction::kMin;
    case DTypeKind::kBool:
      return reduction == Reduction::kAdd || reduction == Reduction::kMul ||
             reduction == Reduction::kMax || reduction == Reduction::kMin;
    case DTypeKind::kString:
      return reduction == Reduction::kAdd || reduction == Reduction::kMax ||
             reduction == Reduction::kMin;
    case DTypeKind::kOpaque:
      return false;
  }
  return false;
}

TEST(Scatters, RefuseJustTheReductionsWithoutMeaning) {
  for (int64_t number = 1; number <= 24; ++number) {
    const std::optional<DType> dtype = DTypeFromNumber(number);
    if (!dtype.has_value()) continue;
    for (int32_t r = 1; r <= 8; ++r) {
      const auto reduction = static_cast<Reduction>(r);
      Case elements = ScatterElements({*dtype, {3}}, I({2}), {*dtype, {2}});
      Case nd = ScatterND({*dtype, {3}}, I({2, 1}), {*dtype, {2}});
      elements.Reduce(reduction);
      nd.Reduce(reduction);
      if (HasMeaning(*dtype, reduction)) {
        EXPECT_THAT(MakePlan(elements.op, elements.inputs), IsOk());
        EXPECT_THAT(MakePlan(nd.op, nd.inputs), IsOk());
      } else {
        ExpectRefused(elements, "scatter_elements: C8: reduction", "reduction");
        ExpectRefused(nd, "scatter_nd: C9: reduction", "reduction");
      }
    }
  }
}

TEST(SliceAddressing, OffsetsBeyond2To31Fit) {
  // data of 2^31 and more elements: the offset of the last slice, from the
  // strides alone.
  const Case c = ScatterND({DType::kUInt8, {1, 46342, 46341}}, I({1, 3}),
                           {DType::kUInt8, {1}});
  const absl::StatusOr<Plan> plan = MakePlan(c.op, c.inputs);
  ASSERT_THAT(plan, IsOk());
  const auto& slices = std::get<SliceAddressing>(plan->addressing);
  ASSERT_EQ(slices.tuple.size(), 3u);
  EXPECT_EQ(46341 * slices.tuple[1].stride + 0 * slices.tuple[2].stride,
            int64_t{2147488281});
}

TEST(ElementAddressing, MergesAxesOnlyWhereDataIsContiguous) {
  const Case whole = GatherElements(F({2, 3, 4, 5}), I({2, 3, 7, 5})).Axis(2);
  const absl::StatusOr<Plan> merged = MakePlan(whole.op, whole.inputs);
  ASSERT_THAT(merged, IsOk());
  EXPECT_EQ(std::get<ElementAddressing>(merged->addressing).outer.size(), 1u);

  const Case part = GatherElements(F({2, 3, 4, 5}), I({2, 2, 7, 5})).Axis(2);
  const absl::StatusOr<Plan> split = MakePlan(part.op, part.inputs);
  ASSERT_THAT(split, IsOk());
  const auto& elements = std::get<ElementAddressing>(split->addressing);
  ASSERT_EQ(elements.outer.size(), 2u);
  EXPECT_EQ(elements.outer[0].data_stride, 60);
  EXPECT_EQ(elements.outer[1].data_stride, 20);
}

}  // namespace
}  // namespace scatterd
