#include "core/thread_pool.h"

#include <sched.h>

#include <atomic>

#include "core/thread_pool_arena.h"

namespace scatterd {

int NumAvailableCpus() {
  cpu_set_t set;
  CPU_ZERO(&set);
  if (sched_getaffinity(0, sizeof(set), &set) != 0) return 1;
  const int count = CPU_COUNT(&set);
  return count < 1 ? 1 : count;
}

ThreadPool::ThreadPool(int num_threads, Pinning pinning)
    : num_threads_(num_threads > 0 ? num_threads : NumAvailableCpus()) {
  if (num_threads_ == 1) return;
  // A worker for every CPU that the process may use: then each has its own.
  const bool pin =
      pinning == Pinning::kOn ||
      (pinning == Pinning::kAuto && num_threads_ == NumAvailableCpus());
  arena_ = std::make_unique<internal::ThreadPoolArena>(num_threads_, pin);
}

ThreadPool::~ThreadPool() = default;

void ThreadPool::ParallelFor(int64_t num_chunks,
                             absl::FunctionRef<void(int64_t)> work) {
  if (arena_ == nullptr || num_chunks <= 1) {
    for (int64_t i = 0; i < num_chunks; ++i) work(i);
    return;
  }
  // oneTBB orders these already; the atomics tell ThreadSanitizer so, which
  // cannot see into its library.
  std::atomic<int64_t> done{0};
  done.store(0, std::memory_order_release);
  arena_->Run(num_chunks, [&](int64_t i) {
    done.load(std::memory_order_acquire);
    work(i);
    done.fetch_add(1, std::memory_order_acq_rel);
  });
  done.load(std::memory_order_acquire);
}

}  // namespace scatterd
