#include "tests/server/gated_backend.h"

#include "core/status_macros.h"

namespace scatterd::test {

void Gate::Open() {
  absl::MutexLock lock(&mutex_);
  open_ = true;
}

bool Gate::WaitForRuns(int n) {
  absl::MutexLock lock(&mutex_);
  const auto reached = [&]() ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_) {
    return num_runs_ >= n;
  };
  return mutex_.AwaitWithTimeout(absl::Condition(&reached), absl::Minutes(1));
}

int Gate::num_runs() const {
  absl::MutexLock lock(&mutex_);
  return num_runs_;
}

absl::Status Gate::Pass(const Cancellation& cancellation) {
  constexpr absl::Duration kBlock = absl::Milliseconds(1);
  absl::MutexLock lock(&mutex_);
  ++num_runs_;
  while (!mutex_.AwaitWithTimeout(absl::Condition(&open_), kBlock)) {
    SCATTERD_RETURN_IF_ERROR(cancellation.Check());
  }
  return absl::OkStatus();
}

}  // namespace scatterd::test
