// The threads that share one call's work.

#ifndef SCATTERD_CORE_THREAD_POOL_H_
#define SCATTERD_CORE_THREAD_POOL_H_

#include <cstdint>
#include <memory>

#include "absl/functional/function_ref.h"

namespace scatterd {
namespace internal {
class ThreadPoolArena;
}  // namespace internal

// Whether workers stay on one CPU each.
enum class Pinning { kAuto, kOn, kOff };

// A bounded oneTBB arena.  Thread-safe: concurrent calls share its workers, so
// the process never has more than num_threads() of them.
class ThreadPool {
 public:
  // num_threads <= 0: one per CPU that the process may use.
  explicit ThreadPool(int num_threads = 0, Pinning pinning = Pinning::kAuto);
  ~ThreadPool();

  ThreadPool(const ThreadPool&) = delete;
  ThreadPool& operator=(const ThreadPool&) = delete;

  int num_threads() const { return num_threads_; }

  // Calls work(i) once for every i in [0, num_chunks), in no particular order,
  // on the pool's workers and on the calling thread, which helps; returns when
  // all are done, and what they wrote is visible to the caller.  `work` must
  // not throw.  With one thread or one chunk it runs inline.
  void ParallelFor(int64_t num_chunks, absl::FunctionRef<void(int64_t)> work);

 private:
  int num_threads_;
  std::unique_ptr<internal::ThreadPoolArena> arena_;  // null with one thread
};

// The CPUs that this process may run on; at least 1.
int NumAvailableCpus();

}  // namespace scatterd

#endif  // SCATTERD_CORE_THREAD_POOL_H_
