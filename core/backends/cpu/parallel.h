// Splitting a run over threads, and its early end.

#ifndef SCATTERD_CORE_BACKENDS_CPU_PARALLEL_H_
#define SCATTERD_CORE_BACKENDS_CPU_PARALLEL_H_

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <limits>

#include "absl/functional/function_ref.h"
#include "absl/status/status.h"
#include "core/backends/backend.h"

namespace scatterd::cpu {

// Work is counted in bytes that one thread moves in a row.  Below this many
// (about 200 us) it stays on the calling thread: waking another one costs about
// as much as it saves.
inline constexpr int64_t kSerialBytes = int64_t{4} << 20;

// What an access to a random place costs beside its bytes.
inline constexpr int64_t kRandomAccessBytes = 128;

// Data up to this size stays in a core's own cache.
inline constexpr size_t kNearBytes = size_t{1} << 20;

// Outputs from this size on go past the caches, which could not keep them.
inline constexpr size_t kStreamBytes = size_t{8} << 20;

// Bytes of work between two looks at the caller's deadline and wish.
inline constexpr int64_t kBlockBytes = int64_t{4} << 20;

// What ends a run before its time.  Thread-safe.
class RunState {
 public:
  explicit RunState(const Cancellation& cancellation)
      : cancellation_(cancellation) {}

  // True if the rest of the run is not wanted any more.  Called once a block.
  bool ShouldStop() {
    if (!stopped_.load(std::memory_order_relaxed) &&
        !cancellation_.Check().ok()) {
      stopped_.store(true, std::memory_order_relaxed);
    }
    return stopped_.load(std::memory_order_relaxed);
  }

  // Reports an offending position; the lowest one of the run stays, whichever
  // thread found it.  Whoever walks positions in ascending order may end with
  // the first; any other walk has to look at the rest.
  void ReportPosition(int64_t position) {
    int64_t lowest = position_.load(std::memory_order_relaxed);
    while (position < lowest &&
           !position_.compare_exchange_weak(lowest, position)) {
    }
  }

  // The lowest reported position, or kNone.
  static constexpr int64_t kNone = std::numeric_limits<int64_t>::max();
  int64_t position() const { return position_.load(std::memory_order_relaxed); }

  // Why the run stopped; OK if it did not.
  absl::Status StopStatus() const {
    return stopped_.load(std::memory_order_relaxed) ? cancellation_.Check()
                                                    : absl::OkStatus();
  }

 private:
  const Cancellation& cancellation_;
  std::atomic<bool> stopped_{false};
  std::atomic<int64_t> position_{kNone};
};

// item_bytes stands for all work on an item: nothing asks for a stop within a
// range unless `work` does.  count * item_bytes must fit int64_t.
//
// Calls work(begin, end) for consecutive ranges that cover [0, count): for one
// if all of it, at item_bytes each, is little work (see kSerialBytes), else on
// the pool for about four ranges a thread, none above kBlockBytes.  Ranges not
// yet begun are left out once `state` says stop.
inline void ForEachRange(ThreadPool& pool, RunState& state, int64_t count,
                         int64_t item_bytes,
                         absl::FunctionRef<void(int64_t, int64_t)> work) {
  if (count * item_bytes <= kSerialBytes) {
    if (count > 0 && !state.ShouldStop()) work(0, count);
    return;
  }
  const int64_t even = count / (4 * pool.num_threads()) + 1;
  const int64_t grain = std::min(even, kBlockBytes / item_bytes + 1);
  pool.ParallelFor((count + grain - 1) / grain, [&](int64_t chunk) {
    if (state.ShouldStop()) return;
    const int64_t begin = chunk * grain;
    work(begin, std::min(begin + grain, count));
  });
}

}  // namespace scatterd::cpu

#endif  // SCATTERD_CORE_BACKENDS_CPU_PARALLEL_H_
