// The queue in front of the kernels.

#ifndef SCATTERD_CORE_EXECUTOR_H_
#define SCATTERD_CORE_EXECUTOR_H_

#include <deque>
#include <functional>
#include <thread>
#include <vector>

#include "absl/base/thread_annotations.h"
#include "absl/status/status.h"
#include "absl/synchronization/mutex.h"
#include "core/cancellation.h"

namespace scatterd {

// Runs calls on a fixed set of threads, first come first served, with a
// bounded queue.  Thread-safe.
class Executor {
 public:
  // Called exactly once for an accepted task: with OK to do the work, or with
  // the reason why it must not be done (CANCELLED, DEADLINE_EXCEEDED,
  // UNAVAILABLE at shutdown).
  using Task = std::function<void(absl::Status)>;

  // num_threads >= 1; max_queue >= 1 tasks may wait.
  Executor(int num_threads, int max_queue);

  // Shutdown(), then waits for running tasks.
  ~Executor();

  Executor(const Executor&) = delete;
  Executor& operator=(const Executor&) = delete;

  // Queues `task`.  A call that is cancelled or late is refused here, dropped
  // again at the head of the queue, and stops in its kernels by the same
  // `cancellation`, which must outlive the task.
  //
  // RESOURCE_EXHAUSTED when the queue is full, UNAVAILABLE after Shutdown,
  // CANCELLED or DEADLINE_EXCEEDED; then `task` is not called.
  absl::Status Submit(const Cancellation& cancellation, Task task);

  // Refuses new tasks and drops waiting ones with UNAVAILABLE; returns at
  // once.
  void Shutdown();

  // Tasks waiting now.
  int queue_size() const;

 private:
  struct Entry {
    const Cancellation* cancellation;
    Task task;
  };

  void Work();

  const int max_queue_;
  mutable absl::Mutex mutex_;
  bool shutdown_ ABSL_GUARDED_BY(mutex_) = false;
  std::deque<Entry> queue_ ABSL_GUARDED_BY(mutex_);
  std::vector<std::thread> threads_;
};

}  // namespace scatterd

#endif  // SCATTERD_CORE_EXECUTOR_H_
