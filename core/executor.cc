#include "core/executor.h"

#include <utility>

#include "core/errors.h"

namespace scatterd {
namespace {

// Long enough for a typical call to leave the queue.
constexpr int kRetryAfterMs = 50;

absl::Status ShuttingDown() {
  return absl::UnavailableError("the server is shutting down");
}

}  // namespace

Executor::Executor(int num_threads, int max_queue) : max_queue_(max_queue) {
  for (int i = 0; i < num_threads; ++i) {
    threads_.emplace_back([this] { Work(); });
  }
}

Executor::~Executor() {
  Shutdown();
  for (std::thread& thread : threads_) thread.join();
}

absl::Status Executor::Submit(const Cancellation& cancellation, Task task) {
  absl::Status wanted = cancellation.Check();
  if (!wanted.ok()) return wanted;
  absl::MutexLock lock(&mutex_);
  if (shutdown_) return ShuttingDown();
  if (static_cast<int>(queue_.size()) >= max_queue_) {
    return LimitError("--max_queue", queue_.size() + 1,
                      static_cast<uint64_t>(max_queue_), kRetryAfterMs);
  }
  queue_.push_back({&cancellation, std::move(task)});
  return absl::OkStatus();
}

void Executor::Shutdown() {
  std::deque<Entry> dropped;
  {
    absl::MutexLock lock(&mutex_);
    shutdown_ = true;
    dropped.swap(queue_);
  }
  for (Entry& entry : dropped) entry.task(ShuttingDown());
}

int Executor::queue_size() const {
  absl::MutexLock lock(&mutex_);
  return static_cast<int>(queue_.size());
}

void Executor::Work() {
  while (true) {
    Entry entry;
    {
      absl::MutexLock lock(&mutex_);
      const auto ready = [this]() ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_) {
        return shutdown_ || !queue_.empty();
      };
      mutex_.Await(absl::Condition(&ready));
      if (queue_.empty()) return;
      entry = std::move(queue_.front());
      queue_.pop_front();
    }
    entry.task(entry.cancellation->Check());
  }
}

}  // namespace scatterd
