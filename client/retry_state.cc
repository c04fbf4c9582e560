#include "client/retry_state.h"

#include <algorithm>
#include <cmath>
#include <random>
#include <string>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "core/errors.h"

namespace scatterd {
namespace {

absl::Status Bad(absl::string_view what) {
  return absl::InvalidArgumentError(absl::StrCat("client: retry.", what));
}

// What the server asks for; nullopt if it does not.
std::optional<absl::Duration> RetryAfter(const absl::Status& status) {
  int64_t milliseconds;
  if (!absl::SimpleAtoi(GetPayload(status, kRetryAfterPayload),
                        &milliseconds)) {
    return std::nullopt;
  }
  return absl::Milliseconds(std::max<int64_t>(milliseconds, 0));
}

double RandomFactor(double jitter) {
  thread_local std::minstd_rand generator{std::random_device{}()};
  return std::uniform_real_distribution<>(1 - jitter, 1 + jitter)(generator);
}

}  // namespace

absl::Status CheckRetryPolicy(const RetryPolicy& policy) {
  if (policy.max_attempts < 1) return Bad("max_attempts must be at least 1");
  if (policy.initial_backoff < absl::ZeroDuration() ||
      policy.max_backoff < absl::ZeroDuration()) {
    return Bad("initial_backoff and max_backoff must not be negative");
  }
  if (!(policy.multiplier >= 1)) return Bad("multiplier must be at least 1");
  if (!(policy.jitter >= 0 && policy.jitter <= 1)) {
    return Bad("jitter must be in [0, 1]");
  }
  return absl::OkStatus();
}

absl::Duration RetryState::Backoff() const {
  const double growth = std::pow(policy_.multiplier, failed_attempts_ - 1);
  return std::min(policy_.initial_backoff * growth, policy_.max_backoff) *
         RandomFactor(policy_.jitter);
}

std::optional<absl::Duration> RetryState::NextDelay(const absl::Status& status,
                                                    absl::Time now) {
  ++failed_attempts_;
  const std::optional<absl::Duration> retry_after = RetryAfter(status);
  const bool transient = absl::IsUnavailable(status) ||
                         (absl::IsResourceExhausted(status) && retry_after);
  if (!allowed_ || !transient || failed_attempts_ >= policy_.max_attempts) {
    return std::nullopt;
  }
  const absl::Duration delay =
      std::max(Backoff(), retry_after.value_or(absl::ZeroDuration()));
  if (now + delay >= deadline_) return std::nullopt;
  return delay;
}

}  // namespace scatterd
