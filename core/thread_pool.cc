#include "core/thread_pool.h"

#include <sched.h>

#include "core/thread_pool_arena.h"

// oneTBB orders the chunks and the caller; ThreadSanitizer, which cannot see
// into its library, has to be told.
#if defined(SCATTERD_TSAN)
#include <sanitizer/tsan_interface.h>
namespace {
char chunks_order;
}
#define SCATTERD_TSAN_ACQUIRE() __tsan_acquire(&chunks_order)
#define SCATTERD_TSAN_RELEASE() __tsan_release(&chunks_order)
#else
#define SCATTERD_TSAN_ACQUIRE()
#define SCATTERD_TSAN_RELEASE()
#endif

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
  const auto chunk = [&work](int64_t i) {
    SCATTERD_TSAN_ACQUIRE();
    work(i);
    SCATTERD_TSAN_RELEASE();
  };
  SCATTERD_TSAN_RELEASE();
  arena_->Run(num_chunks, chunk);
  SCATTERD_TSAN_ACQUIRE();
}

}  // namespace scatterd
