#include <string>

#include "core/errors.h"
#include "gtest/gtest.h"
#include "proto/codec.h"
#include "scatterd/v1/operators.pb.h"
#include "tests/proto/codec_testing.h"
#include "tests/proto/wire_scrambler.h"
#include "tests/testing/random_tensors.h"
#include "tests/testing/status_matchers.h"
#include "tests/testing/tensor_literals.h"
#include "tests/testing/tensor_matchers.h"

namespace scatterd::test {
namespace {

const ExecutionStats kStats = {1, uint64_t{1} << 63, "cpu", 300, 70000};

void ExpectStats(const ExecutionStats& actual, const ExecutionStats& expected) {
  EXPECT_EQ(actual.queue_ns, expected.queue_ns);
  EXPECT_EQ(actual.compute_ns, expected.compute_ns);
  EXPECT_EQ(actual.device, expected.device);
  EXPECT_EQ(actual.bytes_read, expected.bytes_read);
  EXPECT_EQ(actual.bytes_written, expected.bytes_written);
}

TEST(ResultCodec, ReturnsResultsOfAllDTypes) {
  RandomTensors random(3);
  for (const DType dtype : kAllDTypes) {
    Tensor output = random.Make({dtype, {50, 3}});
    output.set_name("result");
    const absl::StatusOr<EncodedMessage> message =
        EncodeResult({output, kStats});
    ASSERT_THAT(message, IsOk());
    const absl::StatusOr<OperatorResult> result =
        DecodeResultBytes(message->Flatten());
    ASSERT_THAT(result, IsOk());
    ASSERT_TRUE(result->output.has_value());
    EXPECT_THAT(*result->output, EqualsTensor(output));
    EXPECT_EQ(result->output->name(), "result");
    ExpectStats(result->stats, kStats);
  }
}

TEST(ResultCodec, ReturnsResultsWithoutATensor) {
  const absl::StatusOr<EncodedMessage> message =
      EncodeResult({std::nullopt, kStats});
  ASSERT_THAT(message, IsOk());
  const absl::StatusOr<OperatorResult> result =
      DecodeResultBytes(message->Flatten());
  ASSERT_THAT(result, IsOk());
  EXPECT_FALSE(result->output.has_value());
  ExpectStats(result->stats, kStats);
}

TEST(ResultCodec, SpeaksOperatorResponse) {
  const absl::StatusOr<EncodedMessage> message =
      EncodeResult({TensorOf<float>({2}, {1, 2}), kStats});
  ASSERT_THAT(message, IsOk());
  v1::OperatorResponse response;
  ASSERT_TRUE(response.ParseFromString(message->Flatten()));
  EXPECT_EQ(response.output().data_type(), v1::DATA_TYPE_FLOAT);
  EXPECT_EQ(response.output().raw_data().size(), 8u);
  EXPECT_EQ(response.stats().queue_ns(), 1u);
  EXPECT_EQ(response.stats().compute_ns(), uint64_t{1} << 63);
  EXPECT_EQ(response.stats().device(), "cpu");
  EXPECT_EQ(response.stats().bytes_read(), 300u);
  EXPECT_EQ(response.stats().bytes_written(), 70000u);
}

TEST(ResultCodec, RefersToTheOutputsElements) {
  const Tensor output = Full<float>({4096}, 1);
  const absl::StatusOr<EncodedMessage> message = EncodeResult({output, kStats});
  ASSERT_THAT(message, IsOk());
  ASSERT_EQ(message->parts().size(), 3u);
  EXPECT_EQ(message->parts()[1].data(), output.bytes());
}

TEST(ResultCodec, MergesWhatOccursTwice) {
  v1::OperatorResponse first, second;
  first.mutable_output()->set_data_type(v1::DATA_TYPE_UINT8);
  first.mutable_stats()->set_queue_ns(5);
  second.mutable_output()->set_raw_data("\x09");
  second.mutable_stats()->set_device("cpu");
  const absl::StatusOr<OperatorResult> result =
      DecodeResultBytes(first.SerializeAsString() + second.SerializeAsString());
  ASSERT_THAT(result, IsOk());
  EXPECT_THAT(*result->output, EqualsTensor(TensorOf<uint8_t>({}, {9})));
  EXPECT_EQ(result->stats.queue_ns, 5u);
  EXPECT_EQ(result->stats.device, "cpu");
}

TEST(ResultCodec, IgnoresWhereTheResultWasStored) {
  v1::OperatorResponse response;
  response.mutable_resident()->set_name("x");
  const absl::StatusOr<OperatorResult> result =
      DecodeResultBytes(response.SerializeAsString());
  ASSERT_THAT(result, IsOk());
  EXPECT_FALSE(result->output.has_value());
}

TEST(ResultCodec, RefusesBrokenResponses) {
  EXPECT_THAT(DecodeResultBytes("\x0a\x05"),
              StatusIs(absl::StatusCode::kInvalidArgument,
                       "response: C0: malformed message"));
  const absl::StatusOr<OperatorResult> result =
      DecodeResultBytes(WireBytes(1, ""));
  EXPECT_THAT(result, StatusIs(absl::StatusCode::kInvalidArgument,
                               "response: C0: output: data_type is not set"));
  EXPECT_EQ(GetPayload(result.status(), kFieldPayload), "output.data_type");
}

}  // namespace
}  // namespace scatterd::test
