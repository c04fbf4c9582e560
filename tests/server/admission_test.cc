#include "server/admission.h"

#include <limits>
#include <thread>
#include <utility>

#include "core/errors.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/testing/status_matchers.h"

namespace scatterd {
namespace {

using ::scatterd::test::IsOk;
using ::scatterd::test::StatusIs;
using ::testing::HasSubstr;

constexpr uint64_t kMaxUint64 = std::numeric_limits<uint64_t>::max();

TEST(Admission, TicketsAddUpAndGiveBack) {
  Admission admission(100);
  {
    absl::StatusOr<Ticket> a = admission.Acquire(30);
    absl::StatusOr<Ticket> b = admission.Acquire(20);
    ASSERT_THAT(a, IsOk());
    ASSERT_THAT(b, IsOk());
    EXPECT_THAT(b->Grow(50), IsOk());
    EXPECT_EQ(b->bytes(), 70u);
    EXPECT_EQ(admission.inflight_bytes(), 100u);
    EXPECT_EQ(admission.num_tickets(), 2);
    b->Shrink(60);
    EXPECT_EQ(admission.inflight_bytes(), 40u);
  }
  EXPECT_EQ(admission.inflight_bytes(), 0u);
  EXPECT_EQ(admission.num_tickets(), 0);
}

TEST(Admission, ExactlyTheLimitFits) {
  Admission admission(100);
  EXPECT_THAT(admission.Acquire(100), IsOk());
  EXPECT_THAT(admission.Acquire(101),
              StatusIs(absl::StatusCode::kResourceExhausted));
}

TEST(Admission, RefusalNamesTheLimitAndBothNumbers) {
  Admission admission(100);
  const absl::StatusOr<Ticket> held = admission.Acquire(80);
  EXPECT_THAT(admission.Acquire(30),
              StatusIs(absl::StatusCode::kResourceExhausted,
                       HasSubstr("--max_inflight_bytes would be exceeded "
                                 "(110 vs 100)")));
}

TEST(Admission, RefusalTellsWhenToTryAgainOnlyIfWaitingHelps) {
  Admission admission(100);
  const absl::StatusOr<Ticket> held = admission.Acquire(80);
  EXPECT_NE(GetPayload(admission.Acquire(30).status(), kRetryAfterPayload), "");
  EXPECT_EQ(GetPayload(admission.Acquire(101).status(), kRetryAfterPayload),
            "");
}

TEST(Admission, GrowthThatNeverFitsIsNotToBeTriedAgain) {
  Admission admission(100);
  absl::StatusOr<Ticket> ticket = admission.Acquire(60);
  ASSERT_THAT(ticket, IsOk());
  const absl::Status status = ticket->Grow(41);
  EXPECT_THAT(status, StatusIs(absl::StatusCode::kResourceExhausted));
  EXPECT_EQ(GetPayload(status, kRetryAfterPayload), "");
}

TEST(Admission, RefusedGrowthLeavesTheTicketAsItWas) {
  Admission admission(100);
  absl::StatusOr<Ticket> ticket = admission.Acquire(60);
  ASSERT_THAT(ticket, IsOk());
  EXPECT_THAT(ticket->Grow(41), StatusIs(absl::StatusCode::kResourceExhausted));
  EXPECT_EQ(ticket->bytes(), 60u);
  EXPECT_EQ(admission.inflight_bytes(), 60u);
}

TEST(Admission, HugeRequestsDoNotWrapAround) {
  Admission admission(kMaxUint64);
  absl::StatusOr<Ticket> ticket = admission.Acquire(10);
  ASSERT_THAT(ticket, IsOk());
  EXPECT_THAT(ticket->Grow(kMaxUint64),
              StatusIs(absl::StatusCode::kResourceExhausted));
  EXPECT_THAT(admission.Acquire(kMaxUint64),
              StatusIs(absl::StatusCode::kResourceExhausted));
}

TEST(Admission, MovedTicketIsGivenBackOnce) {
  Admission admission(100);
  absl::StatusOr<Ticket> ticket = admission.Acquire(60);
  ASSERT_THAT(ticket, IsOk());
  Ticket moved = *std::move(ticket);
  Ticket target = std::move(moved);
  EXPECT_EQ(admission.inflight_bytes(), 60u);
  target.Release();
  target.Release();
  EXPECT_EQ(admission.inflight_bytes(), 0u);
  EXPECT_EQ(admission.num_tickets(), 0);
}

TEST(Admission, AssignmentGivesBackWhatWasHeld) {
  Admission admission(100);
  Ticket ticket = *admission.Acquire(60);
  ticket = *admission.Acquire(10);
  EXPECT_EQ(admission.inflight_bytes(), 10u);
  EXPECT_EQ(admission.num_tickets(), 1);
}

TEST(Admission, DrainingRefusesNewTicketsAndLetsOldOnesGrow) {
  Admission admission(100);
  Ticket ticket = *admission.Acquire(10);
  admission.StartDraining();
  EXPECT_THAT(admission.Acquire(0), StatusIs(absl::StatusCode::kUnavailable));
  EXPECT_THAT(ticket.Grow(10), IsOk());
}

TEST(Admission, WaitsUntilTheLastTicketIsBack) {
  Admission admission(100);
  Ticket ticket = *admission.Acquire(0);
  EXPECT_FALSE(admission.WaitUntilIdle(absl::ZeroDuration()));
  std::thread releaser([&] { ticket.Release(); });
  EXPECT_TRUE(admission.WaitUntilIdle(absl::Seconds(60)));
  releaser.join();
}

}  // namespace
}  // namespace scatterd
