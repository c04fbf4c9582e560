// The codec against protobuf's own parser and the contract as wire_oracle.h
// has it, on messages that no well-behaved peer would send.

#include <memory>
#include <optional>

#include "absl/strings/escaping.h"
#include "gmock/gmock.h"
#include "google/protobuf/message.h"
#include "gtest/gtest.h"
#include "proto/codec.h"
#include "tests/proto/codec_testing.h"
#include "tests/proto/random_messages.h"
#include "tests/proto/wire_oracle.h"
#include "tests/proto/wire_scrambler.h"
#include "tests/testing/status_matchers.h"
#include "tests/testing/tensor_matchers.h"

#if __has_include("google/protobuf/stubs/logging.h")
#include "google/protobuf/stubs/logging.h"
#endif

namespace scatterd::test {
namespace {

constexpr int kRounds = 4000;

// protobuf reports every string that is not UTF-8, of which there are many.
#if __has_include("google/protobuf/stubs/logging.h")
const google::protobuf::LogSilencer silencer;
#endif

// Decodes the tensor in `bytes` both ways and compares.  Returns whether there
// was one.
bool CompareTensor(const std::string& bytes, WireScrambler& random) {
  SCOPED_TRACE(absl::BytesToHexString(bytes));
  v1::TensorProto wire;
  std::optional<Tensor> expected;
  if (wire.ParseFromString(bytes)) expected = TensorOf(wire);
  const CutMessage message = CutMessage::AtRandom(bytes, 6, random.engine());
  const absl::StatusOr<Tensor> actual =
      DecodeTensor(message.pieces(), ReserveAnything);
  if (!expected) {
    EXPECT_THAT(actual, StatusIs(absl::StatusCode::kInvalidArgument,
                                 ::testing::StartsWith("tensor: C0: ")));
    return false;
  }
  EXPECT_THAT(actual, IsOkAndHolds(EqualsTensor(*expected)));
  if (actual.ok()) {
    EXPECT_EQ(actual->name(), expected->name());
  }
  return true;
}

TEST(CodecAgainstProtobuf, TensorsInEveryEncodingMeanTheSame) {
  WireScrambler random(1);
  int num_tensors = 0;
  for (int round = 0; round < kRounds && !::testing::Test::HasFailure();
       ++round) {
    v1::TensorProto wire;
    FillTensor(random, &wire);
    num_tensors += CompareTensor(random.Serialize(wire), random);
  }
  EXPECT_GT(num_tensors, kRounds / 2);
}

TEST(CodecAgainstProtobuf, DamagedTensorsAreRefusedOrMeanTheSame) {
  WireScrambler random(2);
  int num_tensors = 0;
  for (int round = 0; round < kRounds && !::testing::Test::HasFailure();
       ++round) {
    v1::TensorProto wire;
    FillTensor(random, &wire);
    num_tensors += CompareTensor(random.Damage(random.Serialize(wire)), random);
  }
  EXPECT_GT(num_tensors, kRounds / 20);
  EXPECT_LT(num_tensors, kRounds * 19 / 20);
}

// The same for a call.
bool CompareCall(OperatorId op, const std::string& bytes,
                 WireScrambler& random) {
  SCOPED_TRACE(absl::BytesToHexString(bytes));
  const std::unique_ptr<google::protobuf::Message> request = NewRequest(op);
  std::optional<OperatorCall> expected;
  if (request->ParseFromString(bytes)) expected = CallOf(op, *request);
  const CutMessage message = CutMessage::AtRandom(bytes, 12, random.engine());
  const absl::StatusOr<OperatorCall> actual =
      DecodeCall(op, message.pieces(), ReserveAnything);
  if (!expected) {
    EXPECT_THAT(actual,
                StatusIs(absl::StatusCode::kInvalidArgument,
                         ::testing::StartsWith(std::string(OperatorName(op)) +
                                               ": C0: ")));
    return false;
  }
  EXPECT_THAT(actual, IsOk());
  if (actual.ok()) {
    EXPECT_EQ(CallDifference(*actual, *expected), "");
  }
  return true;
}

class CallsAgainstProtobuf : public ::testing::TestWithParam<OperatorId> {};

TEST_P(CallsAgainstProtobuf, CallsInEveryEncodingMeanTheSame) {
  WireScrambler random(3);
  int num_calls = 0;
  for (int round = 0; round < kRounds / 4 && !HasFailure(); ++round) {
    const auto request = NewRequest(GetParam());
    FillRequest(random, &*request);
    num_calls += CompareCall(GetParam(), random.Serialize(*request), random);
  }
  EXPECT_GT(num_calls, kRounds / 16);
}

TEST_P(CallsAgainstProtobuf, DamagedCallsAreRefusedOrMeanTheSame) {
  WireScrambler random(4);
  int num_calls = 0;
  for (int round = 0; round < kRounds / 4 && !HasFailure(); ++round) {
    const auto request = NewRequest(GetParam());
    FillRequest(random, &*request);
    num_calls += CompareCall(GetParam(),
                             random.Damage(random.Serialize(*request)), random);
  }
  EXPECT_GT(num_calls, 0);
}

INSTANTIATE_TEST_SUITE_P(AllOperators, CallsAgainstProtobuf,
                         ::testing::ValuesIn(kAllOperators),
                         [](const auto& test) {
                           return std::string(OperatorRpcName(test.param));
                         });

}  // namespace
}  // namespace scatterd::test
