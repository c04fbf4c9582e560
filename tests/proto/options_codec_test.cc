#include <string>

#include "core/errors.h"
#include "google/protobuf/descriptor.h"
#include "google/protobuf/message.h"
#include "gtest/gtest.h"
#include "proto/codec.h"
#include "scatterd/v1/operators.pb.h"
#include "tests/proto/codec_testing.h"
#include "tests/proto/wire_scrambler.h"
#include "tests/testing/status_matchers.h"
#include "tests/testing/tensor_literals.h"

namespace scatterd::test {
namespace {

OperatorCall WithOptions(ExecutionOptions options) {
  OperatorCall call;
  call.options = std::move(options);
  return call;
}

void ExpectReturns(const ExecutionOptions& options) {
  const absl::StatusOr<EncodedMessage> message =
      EncodeCall(WithOptions(options));
  ASSERT_THAT(message, IsOk());
  const absl::StatusOr<OperatorCall> decoded =
      DecodeCallBytes(OperatorId::kGather, message->Flatten());
  ASSERT_THAT(decoded, IsOk());
  EXPECT_EQ(CallDifference(*decoded, WithOptions(options)), "");
}

TEST(OptionsCodec, ReturnsEveryValueOfEveryOption) {
  for (int i = 1; i <= 7; ++i) {
    ExpectReturns({.dialect = static_cast<Dialect>(i)});
  }
  for (int i = 1; i <= 4; ++i) {
    ExpectReturns({.out_of_bounds = static_cast<OutOfBounds>(i)});
  }
  for (int i = 1; i <= 2; ++i) {
    ExpectReturns({.negative_indices = static_cast<NegativeIndices>(i)});
    ExpectReturns({.nan = static_cast<NanPolicy>(i)});
    ExpectReturns({.accumulation = static_cast<Accumulation>(i)});
  }
  for (int i = 1; i <= 3; ++i) {
    ExpectReturns({.duplicates = static_cast<Duplicates>(i)});
  }
  ExpectReturns({.device = "cuda:0"});
  ExpectReturns({.idempotency_key = "key \xe2\x82\xac"});
}

TEST(OptionsCodec, ReturnsFillValuesOfAllKinds) {
  ExpectReturns({.fill_value = TensorOf<double>({}, {-0.0})});
  ExpectReturns({.fill_value = Strings({}, {"fill"})});
  ExpectReturns({.fill_value = Iota<float>({3000})});
}

TEST(OptionsCodec, NumbersEnumsAsTheContractDoes) {
  v1::GatherRequest request;
  const absl::StatusOr<EncodedMessage> message =
      EncodeCall(WithOptions({.dialect = Dialect::kTensorflow,
                              .out_of_bounds = OutOfBounds::kSkip,
                              .negative_indices = NegativeIndices::kOutOfBounds,
                              .duplicates = Duplicates::kReject,
                              .nan = NanPolicy::kIgnore,
                              .accumulation = Accumulation::kWide}));
  ASSERT_THAT(message, IsOk());
  ASSERT_TRUE(request.ParseFromString(message->Flatten()));
  const v1::ExecutionOptions& options = request.options();
  EXPECT_EQ(static_cast<int>(options.dialect()), 2);
  EXPECT_EQ(static_cast<int>(options.out_of_bounds()), 2);
  EXPECT_EQ(static_cast<int>(options.negative_indices()), 2);
  EXPECT_EQ(static_cast<int>(options.duplicates()), 3);
  EXPECT_EQ(static_cast<int>(options.nan()), 2);
  EXPECT_EQ(static_cast<int>(options.accumulation()), 2);
}

TEST(OptionsCodec, TakesZeroAsNotSet) {
  std::string zeros;
  for (int number = 1; number <= 6; ++number) {
    zeros += WireVarint(static_cast<uint64_t>(number) << 3) + '\0';
  }
  const absl::StatusOr<OperatorCall> call =
      DecodeCallBytes(OperatorId::kGather, WireBytes(14, zeros));
  ASSERT_THAT(call, IsOk());
  EXPECT_EQ(CallDifference(*call, WithOptions({})), "");
}

TEST(OptionsCodec, RefusesUnknownValuesByTheNameOfTheField) {
  v1::ExecutionOptions options;
  const auto* descriptor = options.GetDescriptor();
  for (int number = 1; number <= 6; ++number) {
    const auto* field = descriptor->FindFieldByNumber(number);
    const std::string name(field->name());
    for (const int value : {8, 1000, -1}) {
      options.Clear();
      options.GetReflection()->SetEnumValue(&options, field, value);
      const absl::StatusOr<OperatorCall> call = DecodeCallBytes(
          OperatorId::kGather, WireBytes(14, options.SerializeAsString()));
      EXPECT_THAT(call, StatusIs(absl::StatusCode::kInvalidArgument,
                                 "gather: C0: options: " + name +
                                     " has an unknown value (" +
                                     std::to_string(value) + ")"));
      EXPECT_EQ(GetPayload(call.status(), kFieldPayload), "options." + name);
    }
  }
}

TEST(OptionsCodec, ChecksFillValuesLikeEveryTensor) {
  v1::GatherRequest request;
  request.mutable_options()->mutable_fill_value()->set_data_type(
      v1::DATA_TYPE_DOUBLE);
  const absl::StatusOr<OperatorCall> call =
      DecodeCallBytes(OperatorId::kGather, request.SerializeAsString());
  EXPECT_THAT(call, StatusIs(absl::StatusCode::kInvalidArgument,
                             "gather: C0: options.fill_value: raw_data has the "
                             "wrong length (0 vs 8 bytes)"));
  EXPECT_EQ(GetPayload(call.status(), kFieldPayload),
            "options.fill_value.raw_data");
}

TEST(OptionsCodec, RefusesTextThatIsNotUtf8) {
  for (const uint32_t number : {8u, 9u}) {
    const absl::StatusOr<OperatorCall> call = DecodeCallBytes(
        OperatorId::kGather, WireBytes(14, WireBytes(number, "\xc0\x80")));
    EXPECT_THAT(call, StatusIs(absl::StatusCode::kInvalidArgument,
                               ::testing::HasSubstr("is not UTF-8")));
  }
}

}  // namespace
}  // namespace scatterd::test
