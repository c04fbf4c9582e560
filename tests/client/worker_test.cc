#include "client/worker.h"

#include <memory>
#include <vector>

#include "absl/synchronization/notification.h"
#include "absl/time/clock.h"
#include "gtest/gtest.h"

namespace scatterd {
namespace {

TEST(Worker, RunsDueTasksInTheOrderOfTheirTimes) {
  std::vector<int> order;
  absl::Notification blocked, release, done;
  Worker worker;
  worker.RunSoon([&] {
    blocked.Notify();
    release.WaitForNotification();
  });
  blocked.WaitForNotification();
  const absl::Time past = absl::Now() - absl::Seconds(1);
  worker.RunAt(past + absl::Milliseconds(2), [&] { order.push_back(2); });
  worker.RunAt(past + absl::Milliseconds(1), [&] { order.push_back(1); });
  worker.RunAt(past + absl::Milliseconds(2), [&] { order.push_back(3); });
  worker.RunSoon([&] { order.push_back(0); });
  worker.RunAt(past + absl::Milliseconds(3), [&] { done.Notify(); });
  release.Notify();
  done.WaitForNotification();
  EXPECT_EQ(order, (std::vector<int>{0, 1, 2, 3}));
}

TEST(Worker, RunsNothingBeforeItsTime) {
  Worker worker;
  absl::Notification done;
  absl::Time ran;
  const absl::Time time = absl::Now() + absl::Milliseconds(20);
  worker.RunAt(time, [&] {
    ran = absl::Now();
    done.Notify();
  });
  done.WaitForNotification();
  EXPECT_GE(ran, time);
}

TEST(Worker, ANewTaskMayComeBeforeTheOneThatIsAwaited) {
  Worker worker;
  absl::Notification done;
  worker.RunAt(absl::Now() + absl::Hours(1), [] { FAIL(); });
  worker.RunSoon([&] { done.Notify(); });
  done.WaitForNotification();
}

TEST(Worker, CancelTellsWhetherItWasInTime) {
  Worker worker;
  const uint64_t later =
      worker.RunAt(absl::Now() + absl::Hours(1), [] { FAIL(); });
  EXPECT_TRUE(worker.Cancel(later));
  EXPECT_FALSE(worker.Cancel(later));
  EXPECT_FALSE(worker.Cancel(12345));
}

TEST(Worker, ItsEndRunsWhatIsDueAndDropsTheRest) {
  int num_run = 0;
  auto owned = std::make_shared<int>(0);
  {
    Worker worker;
    worker.RunAt(absl::Now() + absl::Hours(1),
                 [&num_run, owned] { num_run += 100; });
    for (int i = 0; i < 10; ++i) worker.RunSoon([&] { ++num_run; });
  }
  EXPECT_EQ(num_run, 10);
  EXPECT_EQ(owned.use_count(), 1);
}

TEST(Worker, TasksMayAddTasks) {
  absl::Notification done;
  Worker worker;
  worker.RunSoon([&] { worker.RunSoon([&] { done.Notify(); }); });
  done.WaitForNotification();
}

}  // namespace
}  // namespace scatterd
