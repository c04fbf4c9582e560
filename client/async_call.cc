#include "client/async_call.h"

#include <utility>

#include "absl/time/clock.h"

namespace scatterd {
namespace {

// Replies above this are handed to the worker, so that the completion queue is
// served while they are decoded.
constexpr size_t kMaxInlineReplyBytes = size_t{256} << 10;

}  // namespace

AsyncCall::AsyncCall(AsyncCaller& caller, PreparedCall call,
                     AsyncCaller::Done done)
    : caller_(caller),
      call_(std::move(call)),
      done_(std::move(done)),
      reply_(absl::CancelledError("cancelled by the caller")) {}

void AsyncCall::Begin() {
  registration_ =
      CancelRegistration(call_->options.canceller, [weak = weak_from_this()] {
        if (const auto self = weak.lock()) self->Cancel();
      });
  StartAttempt();
}

void AsyncCall::Cancel() {
  absl::MutexLock lock(&mutex_);
  cancelled_ = true;
  if (attempt_ != nullptr) attempt_->Cancel();
  if (retry_timer_ != 0 && caller_.worker_.Cancel(retry_timer_)) {
    retry_timer_ = 0;
    CompleteSoon();
  }
}

void AsyncCall::StartAttempt() {
  absl::MutexLock lock(&mutex_);
  retry_timer_ = 0;
  if (cancelled_) return CompleteSoon();
  num_awaited_ = 2;
  attempt_ = std::make_unique<Attempt>(*call_);
  attempt_->Start(*call_, caller_.connections_.Next(), &caller_.queue_, this,
                  [self = shared_from_this()] { self->OnReleased(); });
}

void AsyncCall::OnReleased() {
  // Inside gRPC: only pass it on.
  if (--num_awaited_ > 0) return;
  caller_.worker_.RunSoon([self = shared_from_this()] { self->OnSettled(); });
}

void AsyncCall::OnOver() {
  std::unique_ptr<Attempt> attempt;
  {
    absl::MutexLock lock(&mutex_);
    attempt = std::move(attempt_);
  }
  reply_ = attempt->Result();
  attempt.reset();
  if (--num_awaited_ == 0) OnSettled();
}

void AsyncCall::OnSettled() {
  if (!reply_.ok() && RetryLater()) return;
  call_.reset();
  if (reply_.ok() && reply_->Length() > kMaxInlineReplyBytes) {
    CompleteSoon();
  } else {
    Complete();
  }
}

bool AsyncCall::RetryLater() {
  const absl::Time now = absl::Now();
  absl::MutexLock lock(&mutex_);
  if (cancelled_) {
    reply_ = absl::CancelledError("cancelled by the caller");
    return false;
  }
  const std::optional<absl::Duration> delay =
      call_->retry.NextDelay(reply_.status(), now);
  if (!delay) return false;
  retry_timer_ = caller_.worker_.RunAt(
      now + *delay, [self = shared_from_this()] { self->StartAttempt(); });
  return true;
}

void AsyncCall::CompleteSoon() {
  caller_.worker_.RunSoon([self = shared_from_this()] { self->Complete(); });
}

void AsyncCall::Complete() {
  registration_.Reset();
  if (call_) {  // cancelled before an attempt
    call_.reset();
    reply_ = absl::CancelledError("cancelled by the caller");
  }
  const std::shared_ptr<AsyncCall> self = shared_from_this();
  std::exchange(done_, nullptr)(std::move(reply_));
  caller_.Remove(self);
}

}  // namespace scatterd
