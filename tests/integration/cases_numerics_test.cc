// Public bug reports about reductions and numbers: each kind of fault as a
// small case.  The comment names the report.

#include <limits>

#include "absl/strings/str_cat.h"
#include "client/scatterd/client.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/integration/server_process.h"
#include "tests/integration/server_under_test.h"
#include "tests/testing/random_tensors.h"
#include "tests/testing/reference_ops.h"
#include "tests/testing/status_matchers.h"
#include "tests/testing/tensor_literals.h"
#include "tests/testing/tensor_matchers.h"

namespace scatterd::test {
namespace {

constexpr absl::StatusCode kInvalid = absl::StatusCode::kInvalidArgument;
constexpr int64_t kManyUpdates = 800'000;

OperatorCall WithoutSelf(OperatorCall call) {
  call.attributes.exclude_self = true;
  return call;
}

// microsoft/onnxruntime#18048, #23396, openvinotoolkit/openvino#24021
TEST(Numerics, ThreadsLoseNoUpdates) {
  std::vector<int64_t> indices(kManyUpdates);
  for (int64_t i = 0; i < kManyUpdates; ++i) indices[i] = i % 8;
  ExpectOutput(
      ScatterNDCall(Full<int64_t>({8}, 0), Indices({kManyUpdates, 1}, indices),
                    Full<int64_t>({kManyUpdates}, 1), Reduction::kAdd),
      Full<int64_t>({8}, 100'000));
}

// microsoft/onnxruntime#18048, #23396
TEST(Numerics, SumsHaveTheSameBitsForAnyNumberOfThreads) {
  RandomTensors random(3);
  const OperatorCall call =
      ScatterNDCall(Full<float>({8}, 0),
                    random.MakeIndices(DType::kInt32, {kManyUpdates, 1}, 0, 8),
                    random.Make({DType::kFloat, {kManyUpdates}},
                                RandomTensors::Values::kOrdinary),
                    Reduction::kAdd);
  const Tensor expected = ValueOrDie(ReferenceCall(call));
  for (const int threads : {1, 2, 8}) {
    ServerProcess server({"--threads", absl::StrCat(threads)});
    const auto client = Client::Create(server.address());
    ASSERT_THAT(client, IsOk());
    for (int round = 0; round < 20; ++round) {
      const auto result = (*client)->Call(call);
      ASSERT_THAT(result, IsOk());
      ASSERT_THAT(*result->output, EqualsTensor(expected)) << threads;
    }
  }
}

// pytorch/pytorch#133204
TEST(Numerics, TheLastOfManyDuplicatesWinsEveryTime) {
  OperatorCall call =
      ScatterNDCall(Full<int64_t>({1}, -1), Full<int64_t>({kManyUpdates, 1}, 0),
                    Iota<int64_t>({kManyUpdates}));
  for (int round = 0; round < 3; ++round) {
    ExpectOutput(call, Full<int64_t>({1}, 799'999));
  }
  ExpectOutput(
      ScatterElementsCall(Iota<int32_t>({3}), Indices({5}, {0, 1, 1, 1, 2}),
                          Iota<int32_t>({5}, 11)),
      TensorOf<int32_t>({3}, {11, 14, 15}));
}

// apache/tvm#19435, onnx/onnx-tensorrt#957
TEST(Numerics, TheReductionIsApplied) {
  ExpectOutput(ScatterElementsCall(Full<float>({3, 3}, 1),
                                   Indices({2, 3}, {0, 1, 2, 0, 1, 2}),
                                   Iota<float>({2, 3}, 1), 0, Reduction::kAdd),
               TensorOf<float>({3, 3}, {6, 1, 1, 1, 8, 1, 1, 1, 10}));
}

// apache/tvm#19435
TEST(Numerics, UnknownReductionsAreRefusedAndUnsetOnesReplace) {
  v1::ScatterElementsRequest request;
  v1::TensorProto* data = request.mutable_data()->mutable_tensor();
  data->set_data_type(v1::DATA_TYPE_INT32);
  data->add_dims(1);
  data->add_int32_data(5);
  *request.mutable_updates()->mutable_tensor() = *data;
  request.mutable_updates()->mutable_tensor()->set_int32_data(0, 7);
  v1::TensorProto* indices = request.mutable_indices()->mutable_tensor();
  indices->set_data_type(v1::DATA_TYPE_INT64);
  indices->add_dims(1);
  indices->add_int64_data(0);
  v1::OperatorResponse response;
  ASSERT_THAT(
      CallStub(&v1::TensorOps::Stub::ScatterElements, request, &response),
      IsOk());
  EXPECT_EQ(response.output().raw_data(), std::string("\7\0\0\0", 4));
  for (const int number : {9, 99, -1}) {
    request.set_reduction(static_cast<v1::Reduction>(number));
    EXPECT_THAT(
        CallStub(&v1::TensorOps::Stub::ScatterElements, request, &response),
        StatusIs(kInvalid, ::testing::HasSubstr("reduction")));
  }
}

template <typename T>
OperatorCall OnesOntoZero() {
  return ScatterNDCall(Halves<T>({1}, {0}), Full<int64_t>({4096, 1}, 0),
                       Halves<T>({4096}, std::vector<double>(4096, 1)),
                       Reduction::kAdd);
}

// apache/mxnet#17703, tenstorrent/tt-metal#53386, microsoft/onnxruntime#18864,
// #32025, #32065
TEST(Numerics, HalvesRoundAfterEveryUpdateOrOnceAtTheEnd) {
  OperatorCall half = OnesOntoZero<Float16>();
  OperatorCall brain = OnesOntoZero<BFloat16>();
  ExpectOutput(half, Halves<Float16>({1}, {2048}));
  ExpectOutput(brain, Halves<BFloat16>({1}, {256}));
  half.options.accumulation = Accumulation::kWide;
  brain.options.accumulation = Accumulation::kWide;
  ExpectOutput(half, Halves<Float16>({1}, {4096}));
  ExpectOutput(brain, Halves<BFloat16>({1}, {4096}));
}

template <typename T>
void ExpectHalfReductions() {
  const auto reduce = [](Reduction reduction) {
    return ScatterNDCall(Halves<T>({2}, {3, 3}), Indices({2, 1}, {0, 1}),
                         Halves<T>({2}, {-2, 4}), reduction);
  };
  ExpectOutput(reduce(Reduction::kMax), Halves<T>({2}, {3, 4}));
  ExpectOutput(reduce(Reduction::kMin), Halves<T>({2}, {-2, 3}));
  ExpectOutput(reduce(Reduction::kMul), Halves<T>({2}, {-6, 12}));
}

// microsoft/onnxruntime#32025, #32065
TEST(Numerics, HalvesHaveEveryReduction) {
  ExpectHalfReductions<Float16>();
  ExpectHalfReductions<BFloat16>();
}

// microsoft/onnxruntime#32065
TEST(Numerics, BFloat16RoundsToNearestEven) {
  const auto add = [](double update) {
    return ScatterNDCall(Halves<BFloat16>({1}, {256}), Indices({1, 1}, {0}),
                         Halves<BFloat16>({1}, {update}), Reduction::kAdd);
  };
  ExpectOutput(add(1), Halves<BFloat16>({1}, {256}));
  ExpectOutput(add(3), Halves<BFloat16>({1}, {260}));
}

// onnx/onnx#8096, #8099
TEST(Numerics, MaximumAndMinimumWorkOnSingleElements) {
  const auto reduce = [](Reduction reduction) {
    return ScatterNDCall(TensorOf<float>({2, 2}, {1, 2, 3, 4}),
                         Indices({2, 2}, {0, 0, 1, 1}),
                         TensorOf<float>({2}, {5, 1}), reduction);
  };
  ExpectOutput(reduce(Reduction::kMax), TensorOf<float>({2, 2}, {5, 2, 3, 4}));
  ExpectOutput(reduce(Reduction::kMin), TensorOf<float>({2, 2}, {1, 2, 3, 1}));
}

// microsoft/onnxruntime#32033
TEST(Numerics, StringsAreJoinedInOrderAndKeepTheirBytes) {
  const auto scatter = [](Reduction reduction) {
    return ScatterNDCall(Strings({2}, {"a", "b"}), Indices({3, 1}, {0, 0, 1}),
                         Strings({3}, {"x", "y", "z"}), reduction);
  };
  ExpectOutput(scatter(Reduction::kNone), Strings({2}, {"y", "z"}));
  ExpectOutput(scatter(Reduction::kAdd), Strings({2}, {"axy", "bz"}));
  ExpectOutput(scatter(Reduction::kMax), Strings({2}, {"y", "z"}));
  ExpectOutput(scatter(Reduction::kMin), Strings({2}, {"a", "b"}));
  ExpectRefused(scatter(Reduction::kMul), kInvalid, "STRING");

  const std::string nul("\0a\0", 3);
  const std::string not_utf8 = "\xff\xfe\x80";
  ExpectOutput(GatherCall(Strings({2}, {nul, not_utf8}), Indices({2}, {1, 0})),
               Strings({2}, {not_utf8, nul}));
  ExpectOutput(ScatterNDCall(Strings({1}, {nul}), Indices({1, 1}, {0}),
                             Strings({1}, {not_utf8}), Reduction::kAdd),
               Strings({1}, {nul + not_utf8}));
}

// pytorch/pytorch#186523, #193584, openvinotoolkit/openvino#18069
TEST(Numerics, BoolsAreCombinedAsTruthValues) {
  const auto scatter = [](Reduction reduction) {
    return ScatterElementsCall(Bools({3}, {true, false, false}),
                               Indices({3}, {0, 1, 1}),
                               Bools({3}, {true, true, true}), 0, reduction);
  };
  ExpectOutput(scatter(Reduction::kAdd),
               Bytes(DType::kBool, {3}, {0x01, 0x01, 0x00}));
  ExpectOutput(scatter(Reduction::kMax), Bools({3}, {true, true, false}));
  ExpectOutput(scatter(Reduction::kMul), Bools({3}, {true, false, false}));
  ExpectOutput(scatter(Reduction::kMin), Bools({3}, {true, false, false}));
  ExpectRefused(scatter(Reduction::kSub), kInvalid, "BOOL");
}

// pytorch/pytorch#186523
TEST(Numerics, AnyByteButZeroIsTrueAndComesBackAsOne) {
  v1::GatherRequest request;
  v1::TensorProto* data = request.mutable_data()->mutable_tensor();
  data->set_data_type(v1::DATA_TYPE_BOOL);
  data->add_dims(3);
  data->set_raw_data(std::string("\x02\x00\xff", 3));
  v1::TensorProto* indices = request.mutable_indices()->mutable_tensor();
  indices->set_data_type(v1::DATA_TYPE_INT64);
  indices->add_dims(3);
  for (const int64_t index : {0, 1, 2}) indices->add_int64_data(index);
  v1::OperatorResponse response;
  ASSERT_THAT(CallStub(&v1::TensorOps::Stub::Gather, request, &response),
              IsOk());
  EXPECT_EQ(response.output().raw_data(), std::string("\x01\x00\x01", 3));
}

template <typename T>
OperatorCall ReduceOne(Reduction reduction, std::vector<T> data, T update) {
  const auto size = static_cast<int64_t>(data.size());
  return ScatterElementsCall(TensorOf<T>({size}, data), Indices({1}, {0}),
                             TensorOf<T>({1}, {update}), 0, reduction);
}

// pytorch/pytorch#142330, microsoft/onnxscript#2090
TEST(Numerics, WithoutSelfAReductionStartsFromItsIdentity) {
  constexpr int32_t kLowest = std::numeric_limits<int32_t>::min();
  constexpr float kInfinity = std::numeric_limits<float>::infinity();
  ExpectOutput(WithoutSelf(ReduceOne<int32_t>(Reduction::kMax, {100, 50}, -7)),
               TensorOf<int32_t>({2}, {-7, 50}));
  ExpectOutput(
      WithoutSelf(ReduceOne<int32_t>(Reduction::kMax, {100, 50}, kLowest)),
      TensorOf<int32_t>({2}, {kLowest, 50}));
  ExpectOutput(WithoutSelf(ReduceOne<uint8_t>(Reduction::kMin, {0}, 200)),
               TensorOf<uint8_t>({1}, {200}));
  ExpectOutput(WithoutSelf(ReduceOne<float>(Reduction::kMax, {1}, -kInfinity)),
               TensorOf<float>({1}, {-kInfinity}));
}

// pytorch/pytorch#142330
TEST(Numerics, TheMeanCountsSelfUnlessItIsExcluded) {
  const OperatorCall call =
      ScatterElementsCall(TensorOf<double>({1}, {10}), Indices({2}, {0, 0}),
                          TensorOf<double>({2}, {2, 4}), 0, Reduction::kMean);
  ExpectOutput(call, TensorOf<double>({1}, {16.0 / 3}));
  ExpectOutput(WithoutSelf(call), TensorOf<double>({1}, {3}));
}

// pytorch/pytorch#71895
TEST(Numerics, IntegerMeansWrapTheirSumAndFloorTheQuotient) {
  ExpectOutput(ScatterElementsCall(
                   TensorOf<int32_t>({1}, {-3}), Indices({2}, {0, 0}),
                   TensorOf<int32_t>({2}, {-2, -3}), 0, Reduction::kMean),
               TensorOf<int32_t>({1}, {-3}));
  ExpectOutput(ScatterElementsCall(
                   TensorOf<uint8_t>({1}, {200}), Indices({2}, {0, 0}),
                   TensorOf<uint8_t>({2}, {100, 2}), 0, Reduction::kMean),
               TensorOf<uint8_t>({1}, {15}));
}

// tensorflow/tensorflow#33021, #40577
TEST(Numerics, ComplexUpdatesTouchBothPartsOnce) {
  const auto reduce = [](Reduction reduction) {
    return ReduceOne<Complex64>(reduction, {{1, 1}}, {2, 3});
  };
  ExpectOutput(reduce(Reduction::kSub), TensorOf<Complex64>({1}, {{-1, -2}}));
  ExpectOutput(reduce(Reduction::kAdd), TensorOf<Complex64>({1}, {{3, 4}}));
  ExpectOutput(reduce(Reduction::kMul), TensorOf<Complex64>({1}, {{-1, 5}}));
  ExpectRefused(reduce(Reduction::kMax), kInvalid, "COMPLEX64");
}

// pytorch/pytorch#168358: its forward; gradients have their own service method.
TEST(Numerics, MaximumWithoutSelfIgnoresALargerSelf) {
  const auto maximum = [](float self) {
    return WithoutSelf(ScatterElementsCall(
        TensorOf<float>({2}, {self, 2}), Indices({3}, {0, 0, 1}),
        TensorOf<float>({3}, {10, 10, 30}), 0, Reduction::kMax));
  };
  ExpectOutput(maximum(99), TensorOf<float>({2}, {10, 30}));
  ExpectOutput(maximum(10), TensorOf<float>({2}, {10, 30}));
}

}  // namespace
}  // namespace scatterd::test
