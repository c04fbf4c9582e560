// Against the google.rpc messages that other programs have.

#include "proto/status_details.h"

#include <string>

#include "absl/strings/cord.h"
#include "absl/strings/str_cat.h"
#include "core/errors.h"
#include "google/rpc/error_details.pb.h"
#include "google/rpc/status.pb.h"
#include "gtest/gtest.h"
#include "tests/testing/status_matchers.h"

namespace scatterd::test {
namespace {

absl::Status WithRetryAfter(absl::Status status, absl::string_view text) {
  status.SetPayload(kRetryAfterPayload, absl::Cord(text));
  return status;
}

// A status with everything that details can hold.
absl::Status FullStatus() {
  return WithRetryAfter(
      WithReason(WithField(absl::ResourceExhaustedError("too much"),
                           "data.tensor.raw_data"),
                 "LIMIT_EXCEEDED"),
      "1250");
}

google::rpc::Status Parsed(const std::string& details) {
  google::rpc::Status status;
  EXPECT_TRUE(status.ParseFromString(details));
  return status;
}

// The first detail of this type.
template <typename Message>
Message Detail(const google::rpc::Status& status) {
  Message message;
  for (const auto& detail : status.details()) {
    if (detail.UnpackTo(&message)) return message;
  }
  ADD_FAILURE() << "no " << Message::descriptor()->full_name();
  return message;
}

void ExpectSame(const absl::Status& actual, const absl::Status& expected) {
  EXPECT_EQ(actual.code(), expected.code());
  EXPECT_EQ(actual.message(), expected.message());
  for (const absl::string_view key :
       {kFieldPayload, kReasonPayload, kRetryAfterPayload}) {
    EXPECT_EQ(GetPayload(actual, key), GetPayload(expected, key)) << key;
  }
}

absl::Status Decode(const absl::Status& status, const std::string& details) {
  return DecodeStatusDetails(status.code(), status.message(), details);
}

TEST(StatusDetails, HoldTheCallsCodeAndMessage) {
  const google::rpc::Status status = Parsed(EncodeStatusDetails(FullStatus()));
  EXPECT_EQ(status.code(), 8);
  EXPECT_EQ(status.message(), "too much");
  EXPECT_EQ(status.details_size(), 3);
}

TEST(StatusDetails, NameTheFieldInBadRequest) {
  const auto detail = Detail<google::rpc::BadRequest>(
      Parsed(EncodeStatusDetails(FullStatus())));
  ASSERT_EQ(detail.field_violations_size(), 1);
  EXPECT_EQ(detail.field_violations(0).field(), "data.tensor.raw_data");
  EXPECT_EQ(detail.field_violations(0).description(), "too much");
}

TEST(StatusDetails, NameTheReasonInErrorInfo) {
  const auto detail =
      Detail<google::rpc::ErrorInfo>(Parsed(EncodeStatusDetails(FullStatus())));
  EXPECT_EQ(detail.reason(), "LIMIT_EXCEEDED");
  EXPECT_EQ(detail.domain(), "scatterd");
}

TEST(StatusDetails, TellWhenToRetryInRetryInfo) {
  const auto detail =
      Detail<google::rpc::RetryInfo>(Parsed(EncodeStatusDetails(FullStatus())));
  EXPECT_EQ(detail.retry_delay().seconds(), 1);
  EXPECT_EQ(detail.retry_delay().nanos(), 250000000);
}

TEST(StatusDetails, AreEmptyForAStatusWithoutPayloads) {
  EXPECT_EQ(EncodeStatusDetails(absl::NotFoundError("no such tensor")), "");
  EXPECT_EQ(EncodeStatusDetails(absl::OkStatus()), "");
  EXPECT_EQ(
      EncodeStatusDetails(WithRetryAfter(absl::UnavailableError("x"), "soon")),
      "");
}

TEST(StatusDetails, ReturnEveryPayload) {
  const absl::Status field =
      WithField(absl::InvalidArgumentError("gather: C1: \xe2\x82\xac"), "axis");
  const absl::Status reason =
      WithReason(absl::OutOfRangeError("out"), "INDEX_OUT_OF_RANGE");
  const absl::Status retry =
      WithRetryAfter(absl::UnavailableError("draining"), "0");
  for (const absl::Status& status : {FullStatus(), field, reason, retry}) {
    ExpectSame(Decode(status, EncodeStatusDetails(status)), status);
  }
}

TEST(StatusDetails, AreReadAsProtobufWritesThem) {
  google::rpc::Status wire;
  wire.set_code(8);
  wire.add_details()->PackFrom(google::rpc::Status());  // nobody expects it
  google::rpc::RetryInfo retry;
  retry.mutable_retry_delay()->set_seconds(2);
  wire.add_details()->PackFrom(retry);
  google::rpc::BadRequest bad_request;
  bad_request.add_field_violations()->set_field("indices");
  bad_request.add_field_violations()->set_field("updates");
  wire.add_details()->PackFrom(bad_request);
  google::rpc::ErrorInfo info;
  info.set_reason("QUOTA");
  info.set_domain("scatterd");
  info.mutable_metadata()->insert({"limit", "1"});
  wire.add_details()->PackFrom(info);

  const absl::Status expected = WithRetryAfter(
      WithReason(WithField(absl::ResourceExhaustedError("no"), "indices"),
                 "QUOTA"),
      "2000");
  ExpectSame(Decode(expected, wire.SerializeAsString()), expected);
}

TEST(StatusDetails, OfOtherDomainsGiveNoReason) {
  google::rpc::Status wire;
  google::rpc::ErrorInfo info;
  info.set_reason("SOMETHING");
  info.set_domain("proxy.example");
  wire.add_details()->PackFrom(info);
  const absl::Status plain = absl::UnavailableError("no");
  ExpectSame(Decode(plain, wire.SerializeAsString()), plain);
}

TEST(StatusDetails, ThatDoNotParseAreIgnored) {
  const absl::Status plain = absl::InternalError("reference 7");
  const std::string details = EncodeStatusDetails(FullStatus());
  ExpectSame(Decode(plain, "\xff\xff"), plain);
  ExpectSame(Decode(plain, ""), plain);
  // Cut inside the first detail.
  ExpectSame(Decode(plain, details.substr(0, 40)), plain);
}

TEST(StatusDetails, WithADelayThatIsNoDelayAreIgnored) {
  google::rpc::RetryInfo retry;
  retry.mutable_retry_delay()->set_seconds(-1);
  google::rpc::Status wire;
  wire.add_details()->PackFrom(retry);
  const absl::Status plain = absl::UnavailableError("no");
  ExpectSame(Decode(plain, wire.SerializeAsString()), plain);
}

}  // namespace
}  // namespace scatterd::test
