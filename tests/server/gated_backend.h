// A backend whose runs wait until the test lets them go on, so that a test can
// say "while a call is running".

#ifndef SCATTERD_TESTS_SERVER_GATED_BACKEND_H_
#define SCATTERD_TESTS_SERVER_GATED_BACKEND_H_

#include <memory>
#include <utility>

#include "absl/base/thread_annotations.h"
#include "absl/synchronization/mutex.h"
#include "core/cancellation.h"
#include "tests/server/wrapped_backend.h"

namespace scatterd::test {

// What the test holds.  Thread-safe.
class Gate {
 public:
  // Runs that wait and runs to come go on.
  void Open();

  // Waits until `n` runs have begun.  False after a minute.
  bool WaitForRuns(int n);

  int num_runs() const;

 private:
  friend class GatedBackend;

  // Counts a run and waits for the gate; CANCELLED or DEADLINE_EXCEEDED if
  // the caller goes first.
  absl::Status Pass(const Cancellation& cancellation);

  mutable absl::Mutex mutex_;
  bool open_ ABSL_GUARDED_BY(mutex_) = false;
  int num_runs_ ABSL_GUARDED_BY(mutex_) = 0;
};

class GatedBackend final : public WrappedBackend {
 public:
  explicit GatedBackend(std::shared_ptr<Gate> gate) : gate_(std::move(gate)) {}

 private:
  absl::Status BeforeRun(const PlanOperands&, const Tensor&,
                         const RunContext& context) override {
    return gate_->Pass(context.cancellation);
  }

  const std::shared_ptr<Gate> gate_;
};

}  // namespace scatterd::test

#endif  // SCATTERD_TESTS_SERVER_GATED_BACKEND_H_
