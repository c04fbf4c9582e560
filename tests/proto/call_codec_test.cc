// Calls that go out and come back.

#include <string>
#include <vector>

#include "core/errors.h"
#include "gmock/gmock.h"
#include "google/protobuf/descriptor.h"
#include "google/protobuf/message.h"
#include "gtest/gtest.h"
#include "proto/codec.h"
#include "tests/proto/codec_testing.h"
#include "tests/proto/wire_oracle.h"
#include "tests/testing/status_matchers.h"
#include "tests/testing/tensor_literals.h"

namespace scatterd::test {
namespace {

std::string EncodeToString(const OperatorCall& call) {
  const absl::StatusOr<EncodedMessage> message = EncodeCall(call);
  EXPECT_THAT(message, IsOk());
  return message.ok() ? message->Flatten() : "";
}

bool HasField(OperatorId op, const std::string& name) {
  return NewRequest(op)->GetDescriptor()->FindFieldByName(name) != nullptr;
}

// A call with a value in every field that the operator has.
OperatorCall FullCall(OperatorId op) {
  OperatorCall call;
  call.op = op;
  Tensor data = Iota<float>({40, 40});
  data.set_name("data");
  call.data = data;
  call.indices = ResidentRef{"idx", 3};
  if (HasField(op, "updates")) call.updates = ZerosSpec{{DType::kFloat, {2}}};
  if (HasField(op, "axis")) call.attributes.axis = -1;
  if (HasField(op, "batch_dims")) call.attributes.batch_dims = 1;
  if (HasField(op, "reduction")) call.attributes.reduction = Reduction::kMean;
  call.attributes.exclude_self = HasField(op, "exclude_self");
  call.options.out_of_bounds = OutOfBounds::kSkip;
  call.options.fill_value = TensorOf<float>({}, {0.5f});
  call.options.device = "cpu";
  call.output = ResidentTarget{"result", 7, true, true};
  return call;
}

class CallCodec : public ::testing::TestWithParam<OperatorId> {};

TEST_P(CallCodec, ReturnsEveryField) {
  const OperatorCall call = FullCall(GetParam());
  const absl::StatusOr<OperatorCall> decoded =
      DecodeCallBytes(GetParam(), EncodeToString(call));
  ASSERT_THAT(decoded, IsOk());
  EXPECT_EQ(CallDifference(*decoded, call), "");
}

TEST_P(CallCodec, SpeaksTheRequestMessageOfItsMethod) {
  const OperatorCall call = FullCall(GetParam());
  const auto request = NewRequest(GetParam());
  ASSERT_TRUE(request->ParseFromString(EncodeToString(call)));
  // Every field of the message is set, and nothing else is there.
  for (int i = 0; i < request->GetDescriptor()->field_count(); ++i) {
    const auto* field = request->GetDescriptor()->field(i);
    EXPECT_TRUE(request->GetReflection()->HasField(*request, field))
        << field->full_name();
  }
  const auto parsed = CallOf(GetParam(), *request);
  ASSERT_TRUE(parsed.has_value());
  EXPECT_EQ(CallDifference(*parsed, call), "");
}

TEST_P(CallCodec, ReturnsDefaults) {
  OperatorCall call;
  call.op = GetParam();
  EXPECT_EQ(EncodeToString(call), "");
  const absl::StatusOr<OperatorCall> decoded = DecodeCallBytes(GetParam(), "");
  ASSERT_THAT(decoded, IsOk());
  EXPECT_EQ(CallDifference(*decoded, call), "");
}

class ScatterCallCodec : public ::testing::TestWithParam<OperatorId> {};

TEST_P(ScatterCallCodec, ReturnsEveryReduction) {
  for (int number = 1; number <= 8; ++number) {
    OperatorCall call;
    call.op = GetParam();
    call.attributes.reduction = static_cast<Reduction>(number);
    const absl::StatusOr<OperatorCall> decoded =
        DecodeCallBytes(GetParam(), EncodeToString(call));
    ASSERT_THAT(decoded, IsOk());
    EXPECT_EQ(decoded->attributes.reduction, call.attributes.reduction);
  }
}

TEST_P(ScatterCallCodec, RefusesUnknownReductions) {
  const auto request = NewRequest(GetParam());
  const auto* field = request->GetDescriptor()->FindFieldByName("reduction");
  ASSERT_NE(field, nullptr);
  for (const int number : {9, -1}) {
    request->GetReflection()->SetEnumValue(&*request, field, number);
    const absl::StatusOr<OperatorCall> call =
        DecodeCallBytes(GetParam(), request->SerializeAsString());
    EXPECT_THAT(call, StatusIs(absl::StatusCode::kInvalidArgument,
                               std::string(OperatorName(GetParam())) +
                                   ": C0: reduction has an unknown value (" +
                                   std::to_string(number) + ")"));
    EXPECT_EQ(GetPayload(call.status(), kFieldPayload), "reduction");
  }
}

TEST_P(CallCodec, RefusesEveryTruncationOfALargeOperand) {
  const std::string bytes = EncodeToString(FullCall(GetParam()));
  for (size_t size = 1; size < 100; ++size) {
    EXPECT_THAT(DecodeCallBytes(GetParam(), bytes.substr(0, size)),
                StatusIs(absl::StatusCode::kInvalidArgument));
  }
}

std::string TestName(const ::testing::TestParamInfo<OperatorId>& test) {
  return std::string(OperatorRpcName(test.param));
}

std::vector<OperatorId> Scatters() {
  std::vector<OperatorId> scatters;
  for (const OperatorId op : kAllOperators) {
    if (IsScatter(op)) scatters.push_back(op);
  }
  return scatters;
}

INSTANTIATE_TEST_SUITE_P(AllOperators, CallCodec,
                         ::testing::ValuesIn(kAllOperators), TestName);
INSTANTIATE_TEST_SUITE_P(AllOperators, ScatterCallCodec,
                         ::testing::ValuesIn(Scatters()), TestName);

TEST(CallOperands, OfEverySourceReturn) {
  OperatorCall call;
  call.op = OperatorId::kScatterND;
  call.data = SharedMemoryRef{
      "region", uint64_t{1} << 40, 96, {DType::kComplex64, {3, 4}}};
  call.indices = Indices({1, 1}, {-1});
  call.updates = ResidentRef{"a/b:c", UINT64_MAX};
  call.output = SharedMemoryRef{"out", 64, 96, {DType::kComplex64, {3, 4}}};
  const absl::StatusOr<OperatorCall> decoded =
      DecodeCallBytes(call.op, EncodeToString(call));
  ASSERT_THAT(decoded, IsOk());
  EXPECT_EQ(CallDifference(*decoded, call), "");
}

TEST(CallOperands, OfLargeTensorsAreNotCopied) {
  const Tensor data = Full<double>({1024}, 1);
  const absl::StatusOr<EncodedMessage> message =
      EncodeCall(GatherCall(data, Indices({1}, {0})));
  ASSERT_THAT(message, IsOk());
  int num_shared = 0;
  for (const Buffer& part : message->parts()) {
    num_shared += part.data() == data.bytes();
  }
  EXPECT_EQ(num_shared, 1);
  EXPECT_LE(message->parts().size(), 3u);
}

TEST(CallOperands, UpdatesOfAGatherDoNotTravel) {
  OperatorCall call = GatherCall(Iota<float>({3}), Indices({1}, {0}));
  const std::string without = EncodeToString(call);
  call.updates = Iota<float>({1});
  EXPECT_EQ(EncodeToString(call), without);
}

// Field `field` of the request and what is wrong with it.
void ExpectRefused(const v1::ScatterNDRequest& request,
                   const std::string& field, const std::string& what) {
  const absl::StatusOr<OperatorCall> call =
      DecodeCallBytes(OperatorId::kScatterND, request.SerializeAsString());
  EXPECT_THAT(call, StatusIs(absl::StatusCode::kInvalidArgument,
                             "scatter_nd: C0: " + what));
  EXPECT_EQ(GetPayload(call.status(), kFieldPayload), field);
}

TEST(CallOperands, SpecsAreCheckedLikeTensors) {
  v1::ScatterNDRequest request;
  v1::TensorSpec& zeros = *request.mutable_data()->mutable_zeros();
  ExpectRefused(request, "data.zeros.data_type", "data: data_type is not set");
  zeros.set_data_type(v1::DATA_TYPE_FLOAT);
  zeros.add_dims(-5);
  ExpectRefused(
      request, "data.zeros.dims",
      "data: dimension 0 of shape [-5] is negative (-5 vs at least 0)");
  zeros.mutable_dims()->Resize(33, 1);
  zeros.set_dims(0, 1);
  ExpectRefused(request, "data.zeros.dims",
                "data: rank is too large (33 vs at most 32)");
}

TEST(CallOperands, SharedMemoryNeedsASpec) {
  v1::ScatterNDRequest request;
  request.mutable_updates()->mutable_shared_memory()->set_region("r");
  ExpectRefused(request, "updates.shared_memory.data_type",
                "updates: data_type is not set");
}

TEST(CallOutput, SharedMemoryNeedsASpec) {
  v1::ScatterNDRequest request;
  request.mutable_output()->mutable_shared_memory()->set_region("r");
  ExpectRefused(request, "output.shared_memory.data_type",
                "output: data_type is not set");
}

}  // namespace
}  // namespace scatterd::test
