#include "client/retry_state.h"

#include "core/errors.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/testing/status_matchers.h"

namespace scatterd {
namespace {

using ::scatterd::test::IsOk;
using ::scatterd::test::StatusIs;
using ::testing::HasSubstr;

const absl::Time kNow = absl::FromUnixSeconds(1'000'000);

RetryPolicy WithoutJitter() {
  RetryPolicy policy;
  policy.max_attempts = 10;
  policy.initial_backoff = absl::Milliseconds(100);
  policy.max_backoff = absl::Milliseconds(350);
  policy.multiplier = 2;
  policy.jitter = 0;
  return policy;
}

TEST(RetryState, WaitsLongerEachTimeUpToTheMaximum) {
  RetryState retry(WithoutJitter(), true, absl::InfiniteFuture());
  const absl::Status status = absl::UnavailableError("");
  EXPECT_EQ(retry.NextDelay(status, kNow), absl::Milliseconds(100));
  EXPECT_EQ(retry.NextDelay(status, kNow), absl::Milliseconds(200));
  EXPECT_EQ(retry.NextDelay(status, kNow), absl::Milliseconds(350));
  EXPECT_EQ(retry.NextDelay(status, kNow), absl::Milliseconds(350));
}

TEST(RetryState, StopsAfterMaxAttempts) {
  RetryPolicy policy = WithoutJitter();
  policy.max_attempts = 2;
  RetryState retry(policy, true, absl::InfiniteFuture());
  EXPECT_TRUE(retry.NextDelay(absl::UnavailableError(""), kNow));
  EXPECT_FALSE(retry.NextDelay(absl::UnavailableError(""), kNow));
}

TEST(RetryState, OnlyUnavailableIsRetried) {
  for (int code = 1; code <= 16; ++code) {
    SCOPED_TRACE(code);
    RetryState retry(WithoutJitter(), true, absl::InfiniteFuture());
    const absl::Status status(static_cast<absl::StatusCode>(code), "");
    EXPECT_EQ(retry.NextDelay(status, kNow).has_value(),
              absl::IsUnavailable(status));
  }
}

TEST(RetryState, ResourceExhaustedIsRetriedWhenTheServerSaysWhen) {
  RetryState retry(WithoutJitter(), true, absl::InfiniteFuture());
  EXPECT_EQ(retry.NextDelay(LimitError("queue", 2, 1, 250), kNow),
            absl::Milliseconds(250));
  EXPECT_FALSE(retry.NextDelay(LimitError("queue", 2, 1), kNow));
}

TEST(RetryState, NeverWaitsLessThanItsOwnBackoff) {
  RetryState retry(WithoutJitter(), true, absl::InfiniteFuture());
  EXPECT_EQ(retry.NextDelay(LimitError("queue", 2, 1, 1), kNow),
            absl::Milliseconds(100));
}

TEST(RetryState, NeverWaitsPastTheDeadline) {
  const absl::Status status = absl::UnavailableError("");
  RetryState late(WithoutJitter(), true, kNow + absl::Milliseconds(100));
  EXPECT_FALSE(late.NextDelay(status, kNow));
  RetryState in_time(WithoutJitter(), true, kNow + absl::Milliseconds(101));
  EXPECT_TRUE(in_time.NextDelay(status, kNow));
}

TEST(RetryState, NeverRepeatsACallThatMustNotBe) {
  RetryState retry(WithoutJitter(), false, absl::InfiniteFuture());
  EXPECT_FALSE(retry.NextDelay(absl::UnavailableError(""), kNow));
}

TEST(RetryState, JitterStaysInItsRange) {
  RetryPolicy policy = WithoutJitter();
  policy.jitter = 0.5;
  bool differs = false;
  for (int i = 0; i < 100; ++i) {
    RetryState retry(policy, true, absl::InfiniteFuture());
    const auto delay = retry.NextDelay(absl::UnavailableError(""), kNow);
    ASSERT_TRUE(delay);
    EXPECT_GE(*delay, absl::Milliseconds(50));
    EXPECT_LE(*delay, absl::Milliseconds(150));
    differs = differs || *delay != absl::Milliseconds(100);
  }
  EXPECT_TRUE(differs);
}

TEST(RetryPolicy, NamesTheMemberWithoutMeaning) {
  EXPECT_THAT(CheckRetryPolicy(RetryPolicy()), IsOk());
  const auto check = [](void (*change)(RetryPolicy&), const char* member) {
    RetryPolicy policy;
    change(policy);
    EXPECT_THAT(
        CheckRetryPolicy(policy),
        StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr(member)));
  };
  check([](RetryPolicy& p) { p.max_attempts = 0; }, "max_attempts");
  check([](RetryPolicy& p) { p.initial_backoff = -absl::Seconds(1); },
        "initial_backoff");
  check([](RetryPolicy& p) { p.max_backoff = -absl::Seconds(1); },
        "max_backoff");
  check([](RetryPolicy& p) { p.multiplier = 0.5; }, "multiplier");
  check([](RetryPolicy& p) { p.jitter = 1.5; }, "jitter");
}

}  // namespace
}  // namespace scatterd
