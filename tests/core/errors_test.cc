#include "core/errors.h"

#include "gmock/gmock.h"
#include "tests/testing/status_matchers.h"

namespace scatterd {
namespace {

using ::scatterd::test::StatusIs;

TEST(Errors, ConstraintErrorHasTheDocumentedForm) {
  const absl::Status status = ConstraintError("gather", 3, "axis", "is off");
  EXPECT_THAT(status, StatusIs(absl::StatusCode::kInvalidArgument,
                               std::string("gather: C3: is off")));
  EXPECT_EQ(GetPayload(status, kFieldPayload), "axis");
}

TEST(Errors, TheFirstFieldStays) {
  const absl::Status status =
      WithField(WithField(absl::InternalError("x"), "inner"), "outer");
  EXPECT_EQ(GetPayload(status, kFieldPayload), "inner");
}

TEST(Errors, LimitErrorNamesTheLimitAndWhenToRetry) {
  const absl::Status status = LimitError("max_queue", 11, 10, 50);
  EXPECT_THAT(status, StatusIs(absl::StatusCode::kResourceExhausted,
                               std::string("max_queue would be exceeded "
                                           "(11 vs 10)")));
  EXPECT_EQ(GetPayload(status, kRetryAfterPayload), "50");
  EXPECT_EQ(GetPayload(LimitError("x", 2, 1), kRetryAfterPayload), "");
}

TEST(Errors, OkStaysOk) {
  EXPECT_TRUE(WithField(absl::OkStatus(), "f").ok());
  EXPECT_TRUE(WithReason(absl::OkStatus(), "R").ok());
}

}  // namespace
}  // namespace scatterd
