// When to stop: the caller's wish and the caller's clock.

#ifndef SCATTERD_CORE_CANCELLATION_H_
#define SCATTERD_CORE_CANCELLATION_H_

#include <atomic>

#include "absl/status/status.h"
#include "absl/time/clock.h"
#include "absl/time/time.h"

namespace scatterd {

// Shared by whoever may stop a call and whoever works for it.  Thread-safe.
class Cancellation {
 public:
  explicit Cancellation(absl::Time deadline = absl::InfiniteFuture())
      : deadline_(deadline) {}

  void Cancel() { cancelled_.store(true, std::memory_order_relaxed); }

  // OK while the work is still wanted, else CANCELLED or DEADLINE_EXCEEDED.
  // Cheap enough for every block of a kernel.
  absl::Status Check() const {
    if (cancelled_.load(std::memory_order_relaxed)) {
      return absl::CancelledError("cancelled by the caller");
    }
    if (deadline_ != absl::InfiniteFuture() && absl::Now() >= deadline_) {
      return absl::DeadlineExceededError("deadline exceeded");
    }
    return absl::OkStatus();
  }

 private:
  std::atomic<bool> cancelled_{false};
  const absl::Time deadline_;
};

}  // namespace scatterd

#endif  // SCATTERD_CORE_CANCELLATION_H_
