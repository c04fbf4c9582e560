#ifndef SCATTERD_CLIENT_RETRY_STATE_H_
#define SCATTERD_CLIENT_RETRY_STATE_H_

#include <optional>

#include "absl/status/status.h"
#include "absl/time/time.h"
#include "scatterd/client.h"

namespace scatterd {

// INVALID_ARGUMENT that names the member which has no meaning.
absl::Status CheckRetryPolicy(const RetryPolicy& policy);

// Counts one call's attempts and decides after each whether another follows.
class RetryState {
 public:
  // `allowed` false: the call must not be made twice.
  RetryState(const RetryPolicy& policy, bool allowed, absl::Time deadline)
      : policy_(policy), allowed_(allowed), deadline_(deadline) {}

  // An attempt has failed with `status`.  How long to wait before the next
  // one; nullopt if `status` is the call's.
  std::optional<absl::Duration> NextDelay(const absl::Status& status,
                                          absl::Time now);

 private:
  absl::Duration Backoff() const;

  RetryPolicy policy_;
  bool allowed_;
  absl::Time deadline_;
  int failed_attempts_ = 0;
};

}  // namespace scatterd

#endif  // SCATTERD_CLIENT_RETRY_STATE_H_
