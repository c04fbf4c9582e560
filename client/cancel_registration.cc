#include "client/cancel_registration.h"

#include <utility>

namespace scatterd {

void Canceller::Cancel() {
  absl::MutexLock lock(&mutex_);
  if (cancelled_) return;
  cancelled_ = true;
  // Under the lock, so that Reset can wait for a callback that runs.
  for (const auto& [id, on_cancel] : calls_) on_cancel();
}

bool Canceller::cancelled() const {
  absl::MutexLock lock(&mutex_);
  return cancelled_;
}

CancelRegistration::CancelRegistration(std::shared_ptr<Canceller> canceller,
                                       std::function<void()> on_cancel)
    : canceller_(std::move(canceller)) {
  if (canceller_ == nullptr) return;
  absl::MutexLock lock(&canceller_->mutex_);
  if (canceller_->cancelled_) on_cancel();
  id_ = canceller_->next_id_++;
  canceller_->calls_.emplace(id_, std::move(on_cancel));
}

CancelRegistration::CancelRegistration(CancelRegistration&& other) noexcept
    : canceller_(std::exchange(other.canceller_, nullptr)), id_(other.id_) {}

CancelRegistration& CancelRegistration::operator=(
    CancelRegistration&& other) noexcept {
  Reset();
  canceller_ = std::exchange(other.canceller_, nullptr);
  id_ = other.id_;
  return *this;
}

void CancelRegistration::Reset() {
  if (canceller_ == nullptr) return;
  {
    absl::MutexLock lock(&canceller_->mutex_);
    canceller_->calls_.erase(id_);
  }
  canceller_ = nullptr;
}

}  // namespace scatterd
