#include "client/sync_call.h"

#include <algorithm>
#include <atomic>
#include <memory>
#include <optional>
#include <utility>

#include "absl/base/thread_annotations.h"
#include "absl/functional/function_ref.h"
#include "absl/synchronization/mutex.h"
#include "absl/time/clock.h"
#include "client/attempt.h"
#include "client/cancel_registration.h"
#include "grpcpp/completion_queue.h"

namespace scatterd {
namespace {

// Between looks at a condition that no completion queue reports.
constexpr absl::Duration kPollSlice = absl::Milliseconds(5);

class SyncCall {
 public:
  SyncCall(ConnectionPool& connections, PreparedCall call)
      : connections_(connections),
        call_(std::move(call)),
        registration_(call_.options.canceller, [this] { Cancel(); }) {}

  ~SyncCall() {
    registration_.Reset();
    queue_.Shutdown();
    void* tag;
    bool ok;
    while (queue_.Next(&tag, &ok)) {
    }
  }

  absl::StatusOr<grpc::ByteBuffer> Run() {
    while (true) {
      absl::StatusOr<grpc::ByteBuffer> reply = RunAttempt();
      if (reply.ok()) return reply;
      const std::optional<absl::Duration> delay =
          call_.retry.NextDelay(reply.status(), absl::Now());
      if (!delay || PollUntil(absl::Now() + *delay,
                              [this] { return cancelled_.load(); })) {
        return cancelled_ ? Cancelled() : reply.status();
      }
    }
  }

 private:
  static absl::Status Cancelled() {
    return absl::CancelledError("cancelled by the caller");
  }

  void Cancel() {
    cancelled_ = true;
    absl::MutexLock lock(&mutex_);
    if (attempt_ != nullptr) attempt_->Cancel();
  }

  // Returns when nothing in flight refers to the message any more.
  absl::StatusOr<grpc::ByteBuffer> RunAttempt() {
    const auto released = std::make_shared<std::atomic<bool>>(false);
    absl::StatusOr<grpc::ByteBuffer> reply =
        SendAndReceive([released] { *released = true; });
    PollUntil(absl::InfiniteFuture(), [&released] { return released->load(); });
    return reply;
  }

  absl::StatusOr<grpc::ByteBuffer> SendAndReceive(
      std::function<void()> on_released) {
    Attempt attempt(call_);
    SetAttempt(&attempt);
    if (cancelled_) attempt.Cancel();
    attempt.Start(call_, connections_.Next(), &queue_, this,
                  std::move(on_released));
    void* tag;
    bool ok;
    queue_.Next(&tag, &ok);
    SetAttempt(nullptr);
    return attempt.Result();
  }

  void SetAttempt(Attempt* attempt) {
    absl::MutexLock lock(&mutex_);
    attempt_ = attempt;
  }

  // Does the connections' work until `condition` holds (true) or `time` has
  // come (false).  Sleeping instead would leave it to nobody.
  bool PollUntil(absl::Time time, absl::FunctionRef<bool()> condition) {
    while (!condition()) {
      const absl::Time now = absl::Now();
      if (now >= time) return false;
      void* tag;
      bool ok;
      queue_.AsyncNext(&tag, &ok,
                       absl::ToChronoTime(std::min(time, now + kPollSlice)));
    }
    return true;
  }

  ConnectionPool& connections_;
  PreparedCall call_;
  grpc::CompletionQueue queue_;
  std::atomic<bool> cancelled_{false};
  absl::Mutex mutex_;
  Attempt* attempt_ ABSL_GUARDED_BY(mutex_) = nullptr;
  CancelRegistration registration_;  // last: it may call Cancel at once
};

}  // namespace

absl::StatusOr<grpc::ByteBuffer> RunSyncCall(ConnectionPool& connections,
                                             PreparedCall call) {
  return SyncCall(connections, std::move(call)).Run();
}

}  // namespace scatterd
