// The oneTBB side of ThreadPool.  Its .cc is the only file that includes
// oneTBB, and the ThreadSanitizer build leaves it uninstrumented: half of a
// synchronisation seen is worse than none.

#ifndef SCATTERD_CORE_THREAD_POOL_ARENA_H_
#define SCATTERD_CORE_THREAD_POOL_ARENA_H_

#include <cstdint>
#include <memory>

#include "absl/functional/function_ref.h"

namespace scatterd::internal {

class ThreadPoolArena {
 public:
  // num_threads workers beside the calling threads; `pin`: worker i stays on
  // the i-th CPU that the process may use.
  ThreadPoolArena(int num_threads, bool pin);
  ~ThreadPoolArena();

  // See ThreadPool::ParallelFor.
  void Run(int64_t num_chunks, absl::FunctionRef<void(int64_t)> work);

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace scatterd::internal

#endif  // SCATTERD_CORE_THREAD_POOL_ARENA_H_
