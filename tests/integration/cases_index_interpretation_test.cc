// Public bug reports about what an index means: each kind of fault as a small
// case.  The comment names the report.

#include <limits>

#include "gtest/gtest.h"
#include "tests/integration/server_under_test.h"
#include "tests/testing/tensor_literals.h"

namespace scatterd::test {
namespace {

constexpr absl::StatusCode kInvalid = absl::StatusCode::kInvalidArgument;
constexpr absl::StatusCode kOutOfRange = absl::StatusCode::kOutOfRange;

Tensor Empty(DType dtype, const Shape& shape) {
  return ValueOrDie(Tensor::Zeros({dtype, shape}));
}

OperatorCall With(OutOfBounds policy, OperatorCall call) {
  call.options.out_of_bounds = policy;
  return call;
}

// apache/tvm#20217
TEST(IndexInterpretation, NegativeIndicesCountFromTheEndInEveryOperator) {
  const Tensor data = Iota<float>({3, 4});
  ExpectOutput(GatherNDCall(data, Indices({2, 2}, {-1, -1, 0, -2})),
               TensorOf<float>({2}, {11, 2}));
  ExpectOutput(ScatterNDCall(Full<float>({3, 4}, 0), Indices({2, 1}, {-1, 0}),
                             Iota<float>({2, 4}, 1)),
               TensorOf<float>({3, 4}, {5, 6, 7, 8, 0, 0, 0, 0, 1, 2, 3, 4}));
  ExpectOutput(
      GatherElementsCall(data, Full<int64_t>({3, 4}, -1), 1),
      TensorOf<float>({3, 4}, {3, 3, 3, 3, 7, 7, 7, 7, 11, 11, 11, 11}));
  ExpectOutput(GatherCall(data, Indices({1}, {-1}), 1),
               TensorOf<float>({3, 1}, {3, 7, 11}));
  ExpectOutput(
      ScatterElementsCall(data, Indices({1, 1}, {-3}), Full<float>({1, 1}, 50)),
      TensorOf<float>({3, 4}, {50, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11}));
}

// microsoft/onnxruntime#9411, openvinotoolkit/openvino#4905
TEST(IndexInterpretation, RankOneIndicesAreOneTuple) {
  const Tensor data = TensorOf<float>({3}, {1, 2, 3});
  const Tensor tuple = Indices({1}, {1});
  ExpectRefused(ScatterNDCall(data, tuple, TensorOf<float>({1}, {5})), kInvalid,
                "[1] vs []");
  ExpectOutput(ScatterNDCall(data, tuple, TensorOf<float>({}, {5})),
               TensorOf<float>({3}, {1, 5, 3}));
}

// onnx/onnx-mlir#3611
TEST(IndexInterpretation, TupleLengthIsTheLastExtentOfIndicesAndNotTheirRank) {
  ExpectOutput(ScatterNDCall(Full<float>({2, 2, 2}, 0),
                             Indices({3, 2}, {0, 0, 1, 1, 0, 1}),
                             TensorOf<float>({3, 2}, {1, 2, 3, 4, 5, 6})),
               TensorOf<float>({2, 2, 2}, {1, 2, 5, 6, 0, 0, 3, 4}));
  ExpectOutput(
      ScatterNDCall(Full<float>({2, 2}, 0), Indices({2, 2, 1}, {0, 1, 1, 0}),
                    Iota<float>({2, 2, 2}, 1)),
      TensorOf<float>({2, 2}, {7, 8, 5, 6}));
}

// tracel-ai/burn#5195
TEST(IndexInterpretation, LeadingExtentsOfOneStayPartOfTheShape) {
  std::vector<int64_t> tuples;
  std::vector<float> expected(16, 0);
  for (int64_t i = 0; i < 2; ++i) {
    for (int64_t j = 0; j < 4; ++j) {
      tuples.insert(tuples.end(), {0, i, j, 1});
      expected[(i * 4 + j) * 2 + 1] = static_cast<float>(1 + i * 4 + j);
    }
  }
  ExpectOutput(ScatterNDCall(Full<float>({1, 2, 4, 2}, 0),
                             Indices({1, 2, 4, 1, 4}, tuples),
                             Iota<float>({1, 2, 4, 1}, 1)),
               TensorOf<float>({1, 2, 4, 2}, expected));
}

// jax-ml/jax#16836, openxla/xla#48718
TEST(IndexInterpretation, NarrowIndexDTypesAreRefusedAndNotMisread) {
  const Tensor data = Iota<int32_t>({200});
  ExpectRefused(GatherCall(data, TensorOf<uint8_t>({1}, {128})), kInvalid,
                "UINT8");
  ExpectRefused(GatherCall(data, TensorOf<int8_t>({1}, {100})), kInvalid,
                "INT8");
  ExpectRefused(ScatterElementsCall(
                    Full<int32_t>({300}, 0), TensorOf<uint8_t>({1}, {200}),
                    TensorOf<int32_t>({1}, {1000}), 0, Reduction::kAdd),
                kInvalid, "UINT8");
  ExpectOutput(GatherCall(data, TensorOf<int32_t>({1}, {128})),
               TensorOf<int32_t>({1}, {128}));
}

// tensorflow/tensorflow#42522, #32158
TEST(IndexInterpretation, GatherTakesBatchesUpToTheRankOfIndices) {
  const Tensor data = Iota<float>({2, 3});
  const OperatorCall call =
      GatherCall(data, Indices({2, 1, 2}, {0, 1, 1, 0}), 1);
  ExpectOutput(call, TensorOf<float>({2, 2, 1, 2}, {0, 1, 1, 0, 3, 4, 4, 3}));
  OperatorCall negative = call;
  negative.attributes.batch_dims = -3;
  ExpectRefused(negative, kInvalid, "batch_dims");
  ExpectOutput(GatherCall(data, Indices({2}, {2, 0}), 1, 1),
               TensorOf<float>({2}, {2, 3}));
}

// tensorflow/tensorflow#50246, ROCm/AMDMIGraphX#5262, kraiskil/onnx2c#68
TEST(IndexInterpretation, EmptySlicesAndScalarIndicesHaveTheirShapes) {
  ExpectOutput(
      GatherNDCall(Empty(DType::kFloat, {2, 0, 5}), Indices({1, 1}, {0})),
      Empty(DType::kFloat, {1, 0, 5}));
  ExpectRefused(
      GatherNDCall(Empty(DType::kFloat, {2, 0, 5}), Indices({1, 1}, {2})),
      kOutOfRange, "axis 0 of size 2");
  const Tensor scalar = Indices({}, {0});
  ExpectOutput(GatherCall(Empty(DType::kFloat, {1, 3, 0}), scalar),
               Empty(DType::kFloat, {3, 0}));
  ExpectOutput(GatherCall(Iota<float>({2, 3}), Indices({}, {1})),
               TensorOf<float>({3}, {3, 4, 5}));
  ExpectOutput(GatherCall(Iota<float>({3}), Indices({}, {2})),
               TensorOf<float>({}, {2}));
}

// jax-ml/jax#21708, aws-neuron/aws-neuron-sdk#1335
TEST(IndexInterpretation, SentinelsAreSkippedAndTouchNothing) {
  OperatorCall scatter =
      With(OutOfBounds::kSkip,
           ScatterElementsCall(Full<float>({4}, -1),
                               Indices({8}, {-1, -1, 0, 1, 2, 3, -1, -1}),
                               Iota<float>({8})));
  scatter.options.negative_indices = NegativeIndices::kOutOfBounds;
  ExpectOutput(scatter, TensorOf<float>({4}, {2, 3, 4, 5}));

  const Tensor indices =
      TensorOf<int32_t>({2}, {1, std::numeric_limits<int32_t>::max()});
  ExpectOutput(With(OutOfBounds::kSkip,
                    ScatterElementsCall(Full<float>({3}, 0), indices,
                                        TensorOf<float>({2}, {7, 8}))),
               TensorOf<float>({3}, {0, 7, 0}));
  OperatorCall gather = With(
      OutOfBounds::kSkip, GatherCall(TensorOf<float>({3}, {1, 2, 3}), indices));
  gather.options.fill_value = TensorOf<float>({}, {-1});
  ExpectOutput(gather, TensorOf<float>({2}, {2, -1}));
}

// numpy/numpy#28630, #25744
TEST(IndexInterpretation, WrappingTakesNoLongerForFarIndices) {
  const Tensor data = TensorOf<int32_t>({3}, {10, 20, 30});
  const Tensor far = Indices({4}, {8259655103995416119, -8259655103995416119,
                                   std::numeric_limits<int64_t>::max(),
                                   std::numeric_limits<int64_t>::min()});
  ExpectOutput(With(OutOfBounds::kWrap, GatherCall(data, far)),
               TensorOf<int32_t>({4}, {30, 20, 20, 20}));
  ExpectRefused(
      With(OutOfBounds::kWrap, GatherCall(Empty(DType::kInt32, {0}), far)),
      kOutOfRange, "size 0");
  ExpectRefused(
      With(OutOfBounds::kWrap,
           ScatterElementsCall(Empty(DType::kInt32, {0}), Indices({1}, {0}),
                               Full<int32_t>({1}, 1))),
      kOutOfRange, "size 0");
}

}  // namespace
}  // namespace scatterd::test
