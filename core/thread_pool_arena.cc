#include "core/thread_pool_arena.h"

#include <sched.h>
#include <tbb/blocked_range.h>
#include <tbb/global_control.h>
#include <tbb/parallel_for.h>
#include <tbb/partitioner.h>
#include <tbb/task_arena.h>
#include <tbb/task_scheduler_observer.h>

#include <mutex>
#include <optional>
#include <vector>

namespace scatterd::internal {
namespace {

std::vector<int> AvailableCpus() {
  cpu_set_t set;
  CPU_ZERO(&set);
  std::vector<int> cpus;
  if (sched_getaffinity(0, sizeof(set), &set) != 0) return cpus;
  for (int cpu = 0; cpu < CPU_SETSIZE; ++cpu) {
    if (CPU_ISSET(cpu, &set)) cpus.push_back(cpu);
  }
  return cpus;
}

// Pins workers as they enter the arena.  Virtual machines that hide their
// caches make the kernel stack a woken worker on its waker's CPU, where it
// waits (docs/performance.md).
class PinningObserver : public tbb::task_scheduler_observer {
 public:
  explicit PinningObserver(tbb::task_arena& arena)
      : tbb::task_scheduler_observer(arena), cpus_(AvailableCpus()) {
    observe(true);
  }
  ~PinningObserver() override { observe(false); }

  void on_scheduler_entry(bool is_worker) override {
    const int index = tbb::this_task_arena::current_thread_index();
    if (!is_worker || index < 0 || cpus_.empty()) return;
    cpu_set_t set;
    CPU_ZERO(&set);
    CPU_SET(cpus_[static_cast<size_t>(index) % cpus_.size()], &set);
    sched_setaffinity(0, sizeof(set), &set);
  }

 private:
  const std::vector<int> cpus_;
};

// oneTBB makes no more workers than CPUs unless it is told to, and of several
// limits it takes the lowest: so one limit, for the largest pool there was.
void AllowThreads(size_t num_threads) {
  static std::mutex mutex;
  static tbb::global_control* control = nullptr;
  static size_t allowed = 0;
  const std::lock_guard lock(mutex);
  if (num_threads <= allowed) return;
  delete control;
  allowed = num_threads;
  control = new tbb::global_control(
      tbb::global_control::max_allowed_parallelism, allowed);
}

}  // namespace

struct ThreadPoolArena::State {
  explicit State(int num_threads)
      : arena(num_threads + 1, /*reserved_for_masters=*/1) {
    AllowThreads(static_cast<size_t>(num_threads) + 1);
    arena.initialize();
  }

  tbb::task_arena arena;
  std::optional<PinningObserver> observer;
};

ThreadPoolArena::ThreadPoolArena(int num_threads, bool pin)
    : state_(std::make_unique<State>(num_threads)) {
  if (pin) state_->observer.emplace(state_->arena);
}

ThreadPoolArena::~ThreadPoolArena() = default;

void ThreadPoolArena::Run(int64_t num_chunks,
                          absl::FunctionRef<void(int64_t)> work) {
  state_->arena.execute([&] {
    tbb::parallel_for(
        tbb::blocked_range<int64_t>(0, num_chunks, 1),
        [&](const tbb::blocked_range<int64_t>& range) {
          for (int64_t i = range.begin(); i < range.end(); ++i) work(i);
        },
        tbb::simple_partitioner());
  });
}

}  // namespace scatterd::internal
