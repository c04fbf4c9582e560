#include "client/worker.h"

#include "absl/time/clock.h"

namespace scatterd {

Worker::Worker() : thread_([this] { Loop(); }) {}

Worker::~Worker() {
  {
    absl::MutexLock lock(&mutex_);
    stopping_ = true;
    changed_.Signal();
  }
  thread_.join();
}

uint64_t Worker::RunAt(absl::Time time, std::function<void()> task) {
  absl::MutexLock lock(&mutex_);
  const uint64_t id = next_id_++;
  tasks_.emplace(Key(time, id), std::move(task));
  times_.emplace(id, time);
  changed_.Signal();
  return id;
}

bool Worker::Cancel(uint64_t id) {
  std::function<void()> dropped;  // destroyed after the lock is
  absl::MutexLock lock(&mutex_);
  const auto it = times_.find(id);
  if (it == times_.end()) return false;
  const auto task = tasks_.find(Key(it->second, id));
  dropped = std::move(task->second);
  tasks_.erase(task);
  times_.erase(it);
  return true;
}

bool Worker::IsDue() const {
  return !tasks_.empty() && tasks_.begin()->first.first <= absl::Now();
}

void Worker::Loop() {
  mutex_.Lock();
  while (true) {
    if (IsDue()) {
      auto node = tasks_.extract(tasks_.begin());
      times_.erase(node.key().second);
      mutex_.Unlock();
      node.mapped()();
      node = {};  // what the task owns goes without the lock, too
      mutex_.Lock();
    } else if (stopping_) {
      break;
    } else {
      changed_.WaitWithDeadline(&mutex_, tasks_.empty()
                                             ? absl::InfiniteFuture()
                                             : tasks_.begin()->first.first);
    }
  }
  mutex_.Unlock();
}

}  // namespace scatterd
