#ifndef SCATTERD_CLIENT_ASYNC_CALL_H_
#define SCATTERD_CLIENT_ASYNC_CALL_H_

#include <atomic>
#include <cstdint>
#include <memory>
#include <optional>

#include "absl/base/thread_annotations.h"
#include "absl/status/statusor.h"
#include "absl/synchronization/mutex.h"
#include "client/async_caller.h"
#include "client/attempt.h"
#include "client/cancel_registration.h"
#include "client/prepared_call.h"
#include "grpcpp/support/byte_buffer.h"

namespace scatterd {

// One asynchronous call, from its first attempt to its callback.  Steps follow
// one another:
//
//   Begin, StartAttempt -> [sent] -> OnOver (completion queue)
//                                 -> OnReleased (gRPC, at any time)
//   both -> OnSettled -> a timer, then StartAttempt again, or Complete
//
// Only Cancel may come at any time.  AsyncCaller owns it until Complete.
class AsyncCall : public std::enable_shared_from_this<AsyncCall> {
 public:
  AsyncCall(AsyncCaller& caller, PreparedCall call, AsyncCaller::Done done);

  void Begin();
  void Cancel();

  // The attempt's event has come out of the completion queue.
  void OnOver();

 private:
  void StartAttempt();
  void OnReleased();
  void OnSettled();
  bool RetryLater();
  void CompleteSoon();
  void Complete();

  AsyncCaller& caller_;
  std::optional<PreparedCall> call_;  // none once nothing is sent any more
  AsyncCaller::Done done_;
  CancelRegistration registration_;

  // Over and released, in either order: whoever comes last goes on.
  std::atomic<int> num_awaited_{0};
  absl::StatusOr<grpc::ByteBuffer> reply_;

  absl::Mutex mutex_;
  bool cancelled_ ABSL_GUARDED_BY(mutex_) = false;
  std::unique_ptr<Attempt> attempt_ ABSL_GUARDED_BY(mutex_);
  uint64_t retry_timer_ ABSL_GUARDED_BY(mutex_) = 0;  // 0 = not waiting
};

}  // namespace scatterd

#endif  // SCATTERD_CLIENT_ASYNC_CALL_H_
