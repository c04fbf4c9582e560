#include "server/grpc_status.h"

#include <string>

#include "core/errors.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "proto/status_details.h"

namespace scatterd {
namespace {

TEST(ToGrpcStatus, KeepsCodeMessageAndDetails) {
  const grpc::Status sent = ToGrpcStatus(
      ConstraintError("gather", 2, "indices", "indices has no axis"));
  EXPECT_EQ(sent.error_code(), grpc::StatusCode::INVALID_ARGUMENT);
  EXPECT_EQ(sent.error_message(), "gather: C2: indices has no axis");
  const absl::Status back =
      DecodeStatusDetails(absl::StatusCode::kInvalidArgument,
                          sent.error_message(), sent.error_details());
  EXPECT_EQ(GetPayload(back, kFieldPayload), "indices");
}

TEST(ToGrpcStatus, OkIsOk) { EXPECT_TRUE(ToGrpcStatus(absl::OkStatus()).ok()); }

TEST(ToGrpcStatus, StatusWithoutPayloadHasNoDetails) {
  EXPECT_EQ(ToGrpcStatus(absl::CancelledError("x")).error_details(), "");
}

TEST(ToGrpcStatus, LongMessagesAreCutAndKeepTheirDetails) {
  const grpc::Status sent = ToGrpcStatus(
      WithField(absl::InvalidArgumentError(std::string(100000, 'x')), "data"));
  EXPECT_LT(sent.error_message().size(), 1100u);
  EXPECT_LT(sent.error_details().size(), 3000u);
  EXPECT_EQ(GetPayload(
                DecodeStatusDetails(absl::StatusCode::kInvalidArgument,
                                    sent.error_message(), sent.error_details()),
                kFieldPayload),
            "data");
}

}  // namespace
}  // namespace scatterd
