// Public bug reports about indices out of bounds and memory safety: each kind
// of fault as a small case.  The comment names the report.

#include <limits>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/integration/server_under_test.h"
#include "tests/testing/status_matchers.h"
#include "tests/testing/tensor_literals.h"

namespace scatterd::test {
namespace {

constexpr absl::StatusCode kInvalid = absl::StatusCode::kInvalidArgument;
constexpr absl::StatusCode kOutOfRange = absl::StatusCode::kOutOfRange;

OperatorCall Skipping(OperatorCall call) {
  call.options.out_of_bounds = OutOfBounds::kSkip;
  return call;
}

OperatorCall WithoutNegatives(OperatorCall call) {
  call.options.negative_indices = NegativeIndices::kOutOfBounds;
  return call;
}

// apache/tvm#20297
TEST(MemorySafety, IndicesFarOutsideAreErrorsAndNotAccesses) {
  const Tensor data = Full<float>({4}, 0);
  for (const int64_t index : {int64_t{4}, int64_t{1099511627776}}) {
    const OperatorCall call =
        ScatterElementsCall(data, Indices({1}, {index}), Full<float>({1}, 1));
    ExpectRefused(call, kOutOfRange, "axis 0 of size 4");
    ExpectOutput(Skipping(call), data);
  }
  const OperatorCall gather = GatherElementsCall(data, Indices({1}, {-5}));
  ExpectRefused(gather, kOutOfRange, "axis 0 of size 4");
  ExpectOutput(Skipping(gather), Full<float>({1}, 0));
}

// tensorflow/tensorflow#12608, #56567
TEST(MemorySafety, WhetherABadIndexIsAnErrorIsAChoiceAndNotADType) {
  for (const DType dtype : {DType::kFloat, DType::kInt32}) {
    const OperatorCall gather = GatherNDCall(
        FromIntegers(dtype, {5, 5, 5}, std::vector<int64_t>(125, 1)),
        Indices({1, 3}, {6, 6, 6}));
    ExpectRefused(gather, kOutOfRange, "[6,6,6]");
    ExpectOutput(Skipping(gather), FromIntegers(dtype, {1}, {0}));

    OperatorCall scatter = WithoutNegatives(
        ScatterNDCall(Tensor(), Indices({3, 1}, {-1, 1, 2}),
                      FromIntegers(dtype, {3}, {10, 11, 12}), Reduction::kAdd));
    scatter.data = ZerosSpec{{dtype, {5}}};
    ExpectRefused(scatter, kOutOfRange, "position 0");
    ExpectOutput(Skipping(scatter),
                 FromIntegers(dtype, {5}, {0, 11, 12, 0, 0}));
  }
}

// tensorflow/tensorflow#51324 (CVE-2021-37687)
TEST(MemorySafety, NegativeIndicesNeverReadBeforeTheData) {
  const Tensor data = TensorOf<int32_t>({3}, {10, 20, 30});
  ExpectRefused(GatherNDCall(data, Indices({1, 1}, {-4})), kOutOfRange, "-4");
  const OperatorCall last = GatherNDCall(data, Indices({1, 1}, {-1}));
  ExpectRefused(WithoutNegatives(last), kOutOfRange, "-1");
  ExpectOutput(last, TensorOf<int32_t>({1}, {30}));
}

// mindspore-ai/mindspore#271
TEST(MemorySafety, UpdatesAfterASkippedOneStillApply) {
  const OperatorCall call = ScatterElementsCall(
      Full<int64_t>({3, 5}, 2), Indices({2, 3}, {0, -10000, 2, 0, 1, 4}),
      TensorOf<int64_t>({2, 3}, {0, 10, 20, 50, 60, 70}), 1);
  ExpectOutput(Skipping(call),
               TensorOf<int64_t>(
                   {3, 5}, {0, 2, 20, 2, 2, 50, 60, 2, 2, 70, 2, 2, 2, 2, 2}));
  ExpectRefused(call, kOutOfRange, "indices[0,1]");
}

// microsoft/onnxruntime#23828, #25053, #25197
TEST(MemorySafety, BatchesThatDifferAreRefusedAndEmptyOnesAreNot) {
  const Tensor data =
      TensorOf<int32_t>({3, 3}, {0, 1, 2, 10, 11, 12, 20, 21, 22});
  ExpectRefused(GatherNDCall(data, Indices({2, 1}, {1, 2}), 1), kInvalid,
                "2 vs 3");
  ExpectRefused(GatherNDCall(data, Indices({1, 1}, {1}), 1), kInvalid,
                "1 vs 3");
  ExpectRefused(
      GatherNDCall(Iota<int32_t>({1, 3}), Indices({3, 1}, {0, 1, 2}), 1),
      kInvalid, "3 vs 1");
  ExpectOutput(GatherNDCall(Iota<int32_t>({0, 3}), Indices({0, 1}, {}), 1),
               Iota<int32_t>({0}));
}

v1::TensorProto Declared(v1::DataType dtype, std::vector<int64_t> dims) {
  v1::TensorProto tensor;
  tensor.set_data_type(dtype);
  for (const int64_t dim : dims) tensor.add_dims(dim);
  return tensor;
}

v1::TensorProto WithRaw(v1::TensorProto tensor, size_t num_bytes) {
  tensor.set_raw_data(std::string(num_bytes, '\0'));
  return tensor;
}

// opencv/opencv#29314, onnx/onnx-mlir#3608
TEST(MemorySafety, PayloadsThatDoNotFitTheirShapeAreRefused) {
  v1::TensorProto odd_complex = Declared(v1::DATA_TYPE_COMPLEX64, {2});
  for (int i = 0; i < 3; ++i) odd_complex.add_float_data(1);
  v1::TensorProto one_string = Declared(v1::DATA_TYPE_STRING, {2});
  one_string.add_string_data("a");
  v1::TensorProto two_payloads = WithRaw(Declared(v1::DATA_TYPE_FLOAT, {1}), 4);
  two_payloads.add_float_data(1);
  v1::TensorProto wrong_field = Declared(v1::DATA_TYPE_BOOL, {1});
  wrong_field.add_float_data(1);
  v1::TensorProto four_bits = WithRaw(Declared(v1::DATA_TYPE_FLOAT, {3}), 1);
  four_bits.set_data_type(static_cast<v1::DataType>(22));
  const v1::TensorProto tensors[] = {
      WithRaw(Declared(v1::DATA_TYPE_FLOAT, {1000000}), 4),
      WithRaw(Declared(v1::DATA_TYPE_INT64, {1}), 4096),
      odd_complex,
      four_bits,
      one_string,
      WithRaw(Declared(v1::DATA_TYPE_FLOAT, {0}), 4),
      two_payloads,
      wrong_field,
      WithRaw(Declared(v1::DATA_TYPE_FLOAT, {-1}), 4),
      WithRaw(Declared(v1::DATA_TYPE_FLOAT, {1LL << 32, 1LL << 32}), 0)};
  for (const v1::TensorProto& tensor : tensors) {
    SCOPED_TRACE(tensor.ShortDebugString());
    v1::GatherRequest request;
    *request.mutable_data()->mutable_tensor() = tensor;
    *request.mutable_indices()->mutable_tensor() =
        WithRaw(Declared(v1::DATA_TYPE_INT64, {1}), 8);
    v1::OperatorResponse response;
    EXPECT_THAT(CallStub(&v1::TensorOps::Stub::Gather, request, &response),
                StatusIs(kInvalid, ::testing::HasSubstr("data")));
    std::swap(*request.mutable_data(), *request.mutable_indices());
    EXPECT_THAT(CallStub(&v1::TensorOps::Stub::Gather, request, &response),
                StatusIs(kInvalid, ::testing::HasSubstr("indices")));
  }
}

// tensorflow/tensorflow#93680, #65667, #63380
TEST(MemorySafety, UpdatesOfTooSmallARankAreRefused) {
  const Tensor data = Full<float>({8}, 0);
  const Tensor indices = Indices({4, 1, 1}, {4, 3, 1, 7});
  ExpectRefused(
      ScatterNDCall(data, indices, TensorOf<float>({4}, {9, 10, 11, 12})),
      kInvalid, "[4] vs [4,1]");
  ExpectOutput(
      ScatterNDCall(data, indices, TensorOf<float>({4, 1}, {9, 10, 11, 12})),
      TensorOf<float>({8}, {0, 11, 0, 10, 9, 0, 0, 12}));
}

// tensorflow/tensorflow#106497, #62603
TEST(MemorySafety, AttributesAreCheckedBeforeTheyAreUsed) {
  const Tensor data = Iota<float>({5});
  const Tensor indices = Indices({3}, {1, 3, 4});
  ExpectRefused(GatherCall(data, indices, 0, 1), kInvalid, "batch_dims");
  for (const int64_t axis :
       {std::numeric_limits<int64_t>::min(), int64_t{7}, int64_t{1}}) {
    ExpectRefused(GatherCall(data, indices, axis), kInvalid, "axis");
  }
}

// pytorch/pytorch#1653, #5405
TEST(MemorySafety, IndicesLongerThanUpdatesAreRefused) {
  ExpectRefused(
      ScatterElementsCall(Full<float>({3, 4}, 0), Full<int64_t>({3, 4}, 0),
                          Iota<float>({2, 4}, 1)),
      kInvalid, "[2,4] vs [3,4]");
  ExpectRefused(
      ScatterElementsCall(Full<int64_t>({5}, 0), Indices({4}, {2, 0, 3, 3}),
                          Full<int64_t>({1}, 1), 0, Reduction::kAdd),
      kInvalid, "[1] vs [4]");
}

}  // namespace
}  // namespace scatterd::test
