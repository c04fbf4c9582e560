#include "core/cancellation.h"

#include "gtest/gtest.h"
#include "tests/testing/status_matchers.h"

namespace scatterd {
namespace {

using ::scatterd::test::IsOk;
using ::scatterd::test::StatusIs;

TEST(Cancellation, WantsTheWorkAtFirst) {
  EXPECT_THAT(Cancellation().Check(), IsOk());
  EXPECT_THAT(Cancellation(absl::Now() + absl::Hours(1)).Check(), IsOk());
}

TEST(Cancellation, ReportsTheCallersWish) {
  Cancellation cancellation;
  cancellation.Cancel();
  EXPECT_THAT(cancellation.Check(), StatusIs(absl::StatusCode::kCancelled));
}

TEST(Cancellation, ReportsThePassedDeadline) {
  const Cancellation cancellation(absl::Now() - absl::Milliseconds(1));
  EXPECT_THAT(cancellation.Check(),
              StatusIs(absl::StatusCode::kDeadlineExceeded));
}

}  // namespace
}  // namespace scatterd
