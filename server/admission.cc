#include "server/admission.h"

#include <limits>
#include <utility>

#include "core/errors.h"

namespace scatterd {
namespace {

// About the time that a large call takes; callers add their own backoff.
constexpr int kRetryAfterMs = 100;

}  // namespace

Ticket::Ticket(Ticket&& other) noexcept
    : admission_(std::exchange(other.admission_, nullptr)),
      bytes_(std::exchange(other.bytes_, 0)) {}

Ticket& Ticket::operator=(Ticket&& other) noexcept {
  if (this != &other) {
    Release();
    admission_ = std::exchange(other.admission_, nullptr);
    bytes_ = std::exchange(other.bytes_, 0);
  }
  return *this;
}

absl::Status Ticket::Grow(uint64_t bytes) {
  absl::Status status = admission_->Grow(bytes_, bytes);
  if (status.ok()) bytes_ += bytes;
  return status;
}

void Ticket::Shrink(uint64_t bytes) {
  admission_->Shrink(bytes);
  bytes_ -= bytes;
}

void Ticket::Release() {
  if (admission_ == nullptr) return;
  std::exchange(admission_, nullptr)->Release(std::exchange(bytes_, 0));
}

absl::StatusOr<Ticket> Admission::Acquire(uint64_t bytes) {
  absl::MutexLock lock(&mutex_);
  if (draining_) return absl::UnavailableError("the server is shutting down");
  if (bytes > max_inflight_bytes_ - inflight_bytes_) {
    return Refusal(bytes, /*held=*/0);
  }
  inflight_bytes_ += bytes;
  ++num_tickets_;
  return Ticket(this, bytes);
}

absl::Status Admission::Grow(uint64_t held, uint64_t bytes) {
  absl::MutexLock lock(&mutex_);
  if (bytes > max_inflight_bytes_ - inflight_bytes_) {
    return Refusal(bytes, held);
  }
  inflight_bytes_ += bytes;
  return absl::OkStatus();
}

// Waiting helps only a call that would fit if it were alone.
absl::Status Admission::Refusal(uint64_t bytes, uint64_t held) const {
  const bool fits_alone = bytes <= max_inflight_bytes_ - held;
  const uint64_t max = std::numeric_limits<uint64_t>::max();
  const uint64_t wanted =
      bytes > max - inflight_bytes_ ? max : inflight_bytes_ + bytes;
  return LimitError("--max_inflight_bytes", wanted, max_inflight_bytes_,
                    fits_alone ? kRetryAfterMs : 0);
}

void Admission::Shrink(uint64_t bytes) {
  absl::MutexLock lock(&mutex_);
  inflight_bytes_ -= bytes;
}

void Admission::Release(uint64_t bytes) {
  absl::MutexLock lock(&mutex_);
  inflight_bytes_ -= bytes;
  --num_tickets_;
}

void Admission::StartDraining() {
  absl::MutexLock lock(&mutex_);
  draining_ = true;
}

bool Admission::WaitUntilIdle(absl::Duration timeout) {
  absl::MutexLock lock(&mutex_);
  return mutex_.AwaitWithTimeout(absl::Condition(this, &Admission::idle),
                                 timeout);
}

uint64_t Admission::inflight_bytes() const {
  absl::MutexLock lock(&mutex_);
  return inflight_bytes_;
}

int64_t Admission::num_tickets() const {
  absl::MutexLock lock(&mutex_);
  return num_tickets_;
}

}  // namespace scatterd
