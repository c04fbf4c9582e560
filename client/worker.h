#ifndef SCATTERD_CLIENT_WORKER_H_
#define SCATTERD_CLIENT_WORKER_H_

#include <cstdint>
#include <functional>
#include <map>
#include <thread>
#include <utility>

#include "absl/base/thread_annotations.h"
#include "absl/synchronization/mutex.h"
#include "absl/time/time.h"

namespace scatterd {

// One thread that runs functions at given times.  Thread-safe.
class Worker {
 public:
  Worker();

  // Runs what is due, drops the rest.
  ~Worker();

  Worker(const Worker&) = delete;
  Worker& operator=(const Worker&) = delete;

  // Runs `task` at `time` or soon after; due tasks run in the order of their
  // times.  The result names it for Cancel.  Never blocks, never runs `task`
  // itself.
  uint64_t RunAt(absl::Time time, std::function<void()> task);
  void RunSoon(std::function<void()> task) {
    RunAt(absl::InfinitePast(), std::move(task));
  }

  // True if the task had not begun and will not.
  bool Cancel(uint64_t id);

 private:
  // When, then in the order of RunAt.
  using Key = std::pair<absl::Time, uint64_t>;

  void Loop();
  bool IsDue() const ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);

  absl::Mutex mutex_;
  absl::CondVar changed_;
  bool stopping_ ABSL_GUARDED_BY(mutex_) = false;
  uint64_t next_id_ ABSL_GUARDED_BY(mutex_) = 1;
  std::map<Key, std::function<void()>> tasks_ ABSL_GUARDED_BY(mutex_);
  std::map<uint64_t, absl::Time> times_ ABSL_GUARDED_BY(mutex_);
  std::thread thread_;
};

}  // namespace scatterd

#endif  // SCATTERD_CLIENT_WORKER_H_
