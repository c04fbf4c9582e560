// Gradient requests and responses: out and back, against protobuf, merged and
// refused.

#include <limits>
#include <string>

#include "absl/strings/escaping.h"
#include "core/errors.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "proto/codec.h"
#include "scatterd/v1/operators.pb.h"
#include "tests/proto/codec_testing.h"
#include "tests/proto/random_messages.h"
#include "tests/proto/wire_oracle.h"
#include "tests/proto/wire_scrambler.h"
#include "tests/testing/status_matchers.h"
#include "tests/testing/tensor_literals.h"
#include "tests/testing/tensor_matchers.h"

namespace scatterd::test {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;

constexpr auto kInvalid = absl::StatusCode::kInvalidArgument;

std::string EncodeToString(const GradientCall& call) {
  const absl::StatusOr<EncodedMessage> message = EncodeGradientCall(call);
  EXPECT_THAT(message, IsOk());
  return message.ok() ? message->Flatten() : "";
}

GradientCall FullGradientCall() {
  GradientCall call;
  call.forward = ScatterNDCall(Iota<float>({40, 40}), Indices({1, 1}, {3}),
                               Iota<float>({1, 40}), Reduction::kMul);
  call.forward.options.device = "cpu";
  call.grad_output = Iota<float>({40, 40}, 7);
  call.scale = -0.25;
  call.options.dialect = Dialect::kJax;
  call.options.fill_value = TensorOf<float>({}, {0.5f});
  return call;
}

TEST(GradientCodec, ReturnsEveryField) {
  const GradientCall call = FullGradientCall();
  const auto decoded = DecodeGradientCallBytes(EncodeToString(call));
  ASSERT_THAT(decoded, IsOk());
  EXPECT_EQ(GradientCallDifference(*decoded, call), "");
}

TEST(GradientCodec, KeepsTheOperatorOfTheForwardRequest) {
  for (const OperatorId op : kAllOperators) {
    GradientCall call;
    call.forward.op = op;
    call.forward.data = ZerosSpec{{DType::kFloat, {2}}};
    const auto decoded = DecodeGradientCallBytes(EncodeToString(call));
    ASSERT_THAT(decoded, IsOk()) << OperatorName(op);
    EXPECT_EQ(GradientCallDifference(*decoded, call), "") << OperatorName(op);
  }
}

TEST(GradientCodec, SpeaksGradientRequest) {
  v1::GradientRequest wire;
  ASSERT_TRUE(wire.ParseFromString(EncodeToString(FullGradientCall())));
  EXPECT_EQ(wire.forward_case(), v1::GradientRequest::kScatterNd);
  EXPECT_EQ(wire.scatter_nd().reduction(), v1::REDUCTION_MUL);
  EXPECT_EQ(wire.grad_output().tensor().dims_size(), 2);
  EXPECT_EQ(wire.scale(), -0.25);
  EXPECT_EQ(wire.options().dialect(), v1::DIALECT_JAX);
}

TEST(GradientCodec, AScaleOfZeroIsNotAnAbsentOne) {
  GradientCall call = FullGradientCall();
  for (const std::optional<double> scale :
       {std::optional<double>(), std::optional(0.0), std::optional(-0.0),
        std::optional(std::numeric_limits<double>::quiet_NaN())}) {
    call.scale = scale;
    const auto decoded = DecodeGradientCallBytes(EncodeToString(call));
    ASSERT_THAT(decoded, IsOk());
    EXPECT_EQ(GradientCallDifference(*decoded, call), "");
  }
}

TEST(GradientCodec, PayloadsAreNotCopiedOnTheWayOut) {
  GradientCall call = FullGradientCall();
  const auto message = EncodeGradientCall(call);
  ASSERT_THAT(message, IsOk());
  int shared = 0;
  for (const Buffer& part : message->parts()) {
    shared += part.data() == std::get<Tensor>(call.forward.data).bytes();
    shared += part.data() == std::get<Tensor>(call.grad_output).bytes();
  }
  EXPECT_EQ(shared, 2);
}

// --- Merging ----------------------------------------------------------------

absl::StatusOr<GradientCall> DecodeParts(
    std::initializer_list<v1::GradientRequest> parts) {
  std::string bytes;
  for (const v1::GradientRequest& part : parts) {
    bytes += part.SerializeAsString();
  }
  return DecodeGradientCallBytes(bytes);
}

TEST(GradientMerge, PartsOfOneForwardRequestAddUp) {
  v1::GradientRequest first, second;
  first.mutable_gather()->set_axis(3);
  second.mutable_gather()->set_batch_dims(2);
  const auto call = DecodeParts({first, second});
  ASSERT_THAT(call, IsOk());
  EXPECT_EQ(call->forward.attributes.axis, 3);
  EXPECT_EQ(call->forward.attributes.batch_dims, 2);
}

TEST(GradientMerge, AnotherForwardRequestReplaces) {
  v1::GradientRequest first, second;
  first.mutable_gather()->set_axis(3);
  second.mutable_gather_elements();
  const auto call = DecodeParts({first, second});
  ASSERT_THAT(call, IsOk());
  EXPECT_EQ(call->forward.op, OperatorId::kGatherElements);
  EXPECT_EQ(call->forward.attributes.axis, 0);
  const auto back = DecodeParts({first, second, first});
  EXPECT_EQ(back->forward.op, OperatorId::kGather);
}

TEST(GradientMerge, TheLastScaleWins) {
  v1::GradientRequest first, second;
  first.mutable_gather();
  first.set_scale(3);
  second.set_scale(0);
  const auto call = DecodeParts({first, second});
  ASSERT_THAT(call, IsOk());
  EXPECT_EQ(call->scale, 0);
}

// --- Refusals ---------------------------------------------------------------

void ExpectRefused(const v1::GradientRequest& request,
                   const std::string& message, const std::string& field) {
  const auto call = DecodeGradientCallBytes(request.SerializeAsString());
  ASSERT_THAT(call, StatusIs(kInvalid, HasSubstr(message)));
  EXPECT_EQ(GetPayload(call.status(), kFieldPayload), field);
}

TEST(GradientCodec, RefusesARequestWithoutAForwardRequest) {
  ExpectRefused({}, "gradient: C0: the forward request is missing", "forward");
}

TEST(GradientCodec, NamesFieldsOfTheForwardRequestBelowIt) {
  v1::GradientRequest request;
  v1::TensorProto* updates =
      request.mutable_scatter_nd()->mutable_updates()->mutable_tensor();
  updates->set_data_type(v1::DATA_TYPE_FLOAT);
  updates->set_raw_data("12345");
  ExpectRefused(request, "scatter_nd: C0: updates: ",
                "scatter_nd.updates.tensor.raw_data");
}

TEST(GradientCodec, NamesItsOwnFields) {
  v1::GradientRequest request;
  request.mutable_gather();
  request.mutable_grad_output()->mutable_tensor()->set_data_type(99);
  ExpectRefused(request,
                "gradient: C0: grad_output: ", "grad_output.tensor.data_type");
  request.clear_grad_output();
  request.mutable_options()->set_dialect(static_cast<v1::Dialect>(77));
  ExpectRefused(request, "gradient: C0: options: dialect", "options.dialect");
}

// --- Responses --------------------------------------------------------------

GradientResult FullGradientResult() {
  GradientResult result;
  result.grad_data = Iota<double>({2, 3});
  result.grad_data.set_name("data");
  result.grad_updates = Iota<double>({4});
  result.stats = {1, 2, "cpu", 3, 4};
  return result;
}

TEST(GradientCodec, ReturnsBothGradients) {
  const GradientResult result = FullGradientResult();
  const auto message = EncodeGradientResult(result);
  ASSERT_THAT(message, IsOk());
  const auto decoded = DecodeGradientResultBytes(message->Flatten());
  ASSERT_THAT(decoded, IsOk());
  EXPECT_THAT(decoded->grad_data, EqualsTensor(result.grad_data));
  EXPECT_EQ(decoded->grad_data.name(), "data");
  EXPECT_THAT(*decoded->grad_updates, EqualsTensor(*result.grad_updates));
  EXPECT_EQ(decoded->stats.bytes_written, 4u);

  v1::GradientResponse wire;
  ASSERT_TRUE(wire.ParseFromString(message->Flatten()));
  EXPECT_EQ(wire.grad_data().raw_data().size(), 48u);
  EXPECT_EQ(wire.grad_updates().raw_data().size(), 32u);
  EXPECT_EQ(wire.stats().device(), "cpu");
}

TEST(GradientCodec, AGathersResponseHasNoGradientOfUpdates) {
  GradientResult result = FullGradientResult();
  result.grad_updates.reset();
  const auto decoded =
      DecodeGradientResultBytes(EncodeGradientResult(result)->Flatten());
  ASSERT_THAT(decoded, IsOk());
  EXPECT_FALSE(decoded->grad_updates.has_value());
}

TEST(GradientCodec, RefusesAResponseWithoutAGradientOfData) {
  EXPECT_THAT(DecodeGradientResultBytes(""),
              StatusIs(kInvalid, HasSubstr("grad_data is missing")));
}

// --- Against protobuf -------------------------------------------------------

constexpr int kRounds = 2000;

// Decodes both ways and compares.  Returns whether there was a call.
bool CompareGradient(const std::string& bytes, WireScrambler& random) {
  SCOPED_TRACE(absl::BytesToHexString(bytes));
  v1::GradientRequest wire;
  std::optional<GradientCall> expected;
  if (wire.ParseFromString(bytes)) expected = GradientCallOf(wire);
  const CutMessage message = CutMessage::AtRandom(bytes, 12, random.engine());
  const auto actual = DecodeGradientCall(message.pieces(), ReserveAnything);
  if (!expected) {
    EXPECT_THAT(actual, StatusIs(kInvalid, HasSubstr(": C0: ")));
    return false;
  }
  EXPECT_THAT(actual, IsOk());
  if (actual.ok()) {
    EXPECT_EQ(GradientCallDifference(*actual, *expected), "");
  }
  return true;
}

TEST(GradientAgainstProtobuf, CallsInEveryEncodingMeanTheSame) {
  WireScrambler random(5);
  int num_calls = 0;
  for (int round = 0; round < kRounds && !::testing::Test::HasFailure();
       ++round) {
    v1::GradientRequest request;
    FillGradientRequest(random, &request);
    num_calls += CompareGradient(random.Serialize(request), random);
  }
  EXPECT_GT(num_calls, kRounds / 8);
}

TEST(GradientAgainstProtobuf, DamagedCallsAreRefusedOrMeanTheSame) {
  WireScrambler random(6);
  int num_calls = 0;
  for (int round = 0; round < kRounds && !::testing::Test::HasFailure();
       ++round) {
    v1::GradientRequest request;
    FillGradientRequest(random, &request);
    num_calls +=
        CompareGradient(random.Damage(random.Serialize(request)), random);
  }
  EXPECT_GT(num_calls, 0);
}

}  // namespace
}  // namespace scatterd::test
