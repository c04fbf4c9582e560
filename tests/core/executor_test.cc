#include "core/executor.h"

#include <atomic>
#include <memory>
#include <vector>

#include "absl/synchronization/notification.h"
#include "core/errors.h"
#include "gmock/gmock.h"
#include "tests/testing/status_matchers.h"

namespace scatterd {
namespace {

using ::scatterd::test::IsOk;
using ::scatterd::test::StatusIs;
using ::testing::HasSubstr;

// Keeps the executor's only thread busy until told to let go.
class Blocker {
 public:
  explicit Blocker(Executor& executor) {
    EXPECT_THAT(executor.Submit(wanted_,
                                [this](absl::Status) {
                                  started_.Notify();
                                  release_.WaitForNotification();
                                }),
                IsOk());
    started_.WaitForNotification();
  }
  void Release() { release_.Notify(); }

 private:
  Cancellation wanted_;
  absl::Notification started_;
  absl::Notification release_;
};

TEST(Executor, RunsTasksInTheirOrder) {
  std::vector<int> order;
  Cancellation wanted;
  {
    Executor executor(1, 10);
    absl::Notification done;
    for (int i = 0; i < 5; ++i) {
      ASSERT_THAT(executor.Submit(wanted,
                                  [&, i](absl::Status status) {
                                    EXPECT_THAT(status, IsOk());
                                    order.push_back(i);
                                    if (i == 4) done.Notify();
                                  }),
                  IsOk());
    }
    done.WaitForNotification();
  }
  EXPECT_EQ(order, (std::vector<int>{0, 1, 2, 3, 4}));
}

TEST(Executor, RefusesTasksBeyondItsQueueAndSaysWhenToRetry) {
  Executor executor(1, 2);
  Blocker blocker(executor);
  Cancellation wanted;
  std::atomic<int> ran{0};
  const auto task = [&ran](absl::Status status) { ran += status.ok(); };
  EXPECT_THAT(executor.Submit(wanted, task), IsOk());
  EXPECT_THAT(executor.Submit(wanted, task), IsOk());
  EXPECT_EQ(executor.queue_size(), 2);
  const absl::Status refused =
      executor.Submit(wanted, [](absl::Status) { FAIL(); });
  EXPECT_THAT(refused, StatusIs(absl::StatusCode::kResourceExhausted,
                                HasSubstr("--max_queue would be exceeded "
                                          "(3 vs 2)")));
  EXPECT_NE(GetPayload(refused, kRetryAfterPayload), "");
  absl::Notification done;
  blocker.Release();
  while (!executor.Submit(wanted, [&](absl::Status) { done.Notify(); }).ok()) {
  }
  done.WaitForNotification();
  EXPECT_EQ(ran, 2);
}

TEST(Executor, RefusesWorkThatNobodyWantsAnyMore) {
  Executor executor(1, 2);
  Cancellation cancelled;
  cancelled.Cancel();
  EXPECT_THAT(executor.Submit(cancelled, [](absl::Status) { FAIL(); }),
              StatusIs(absl::StatusCode::kCancelled));
  const Cancellation late(absl::Now() - absl::Seconds(1));
  EXPECT_THAT(executor.Submit(late, [](absl::Status) { FAIL(); }),
              StatusIs(absl::StatusCode::kDeadlineExceeded));
}

TEST(Executor, DropsWorkThatWasCancelledInTheQueue) {
  Executor executor(1, 2);
  Blocker blocker(executor);
  Cancellation cancellation;
  absl::Status seen;
  absl::Notification done;
  ASSERT_THAT(executor.Submit(cancellation,
                              [&](absl::Status status) {
                                seen = status;
                                done.Notify();
                              }),
              IsOk());
  cancellation.Cancel();
  blocker.Release();
  done.WaitForNotification();
  EXPECT_THAT(seen, StatusIs(absl::StatusCode::kCancelled));
}

TEST(Executor, ShutdownDropsWaitingTasksAndRefusesNewOnes) {
  Executor executor(1, 5);
  Blocker blocker(executor);
  Cancellation wanted;
  absl::Status seen;
  ASSERT_THAT(
      executor.Submit(wanted, [&](absl::Status status) { seen = status; }),
      IsOk());
  executor.Shutdown();
  EXPECT_THAT(seen, StatusIs(absl::StatusCode::kUnavailable));
  EXPECT_THAT(executor.Submit(wanted, [](absl::Status) { FAIL(); }),
              StatusIs(absl::StatusCode::kUnavailable));
  blocker.Release();
}

}  // namespace
}  // namespace scatterd
