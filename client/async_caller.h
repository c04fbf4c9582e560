#ifndef SCATTERD_CLIENT_ASYNC_CALLER_H_
#define SCATTERD_CLIENT_ASYNC_CALLER_H_

#include <functional>
#include <memory>
#include <set>
#include <thread>

#include "absl/base/thread_annotations.h"
#include "absl/status/statusor.h"
#include "absl/synchronization/mutex.h"
#include "client/connection_pool.h"
#include "client/prepared_call.h"
#include "client/worker.h"
#include "grpcpp/completion_queue.h"
#include "grpcpp/support/byte_buffer.h"

namespace scatterd {

class AsyncCall;

// Makes calls without waiting for them, on two threads for all of them: one
// serves gRPC's completion queue, the other the waits and large replies.
// Thread-safe.
class AsyncCaller {
 public:
  using Done = std::function<void(absl::StatusOr<grpc::ByteBuffer>)>;

  explicit AsyncCaller(ConnectionPool& connections);

  // Cancels every call and waits until their `done` have run.
  ~AsyncCaller();

  AsyncCaller(const AsyncCaller&) = delete;
  AsyncCaller& operator=(const AsyncCaller&) = delete;

  // `done` is called exactly once, on one of the two threads, when nothing
  // refers to the message any more.
  void Start(PreparedCall call, Done done);

  // For calls that cannot be made: `done` gets `status` like that of Start.
  void Fail(absl::Status status, Done done);

 private:
  friend class AsyncCall;

  void Serve();
  void CancelAll();
  void Remove(const std::shared_ptr<AsyncCall>& call);

  ConnectionPool& connections_;
  grpc::CompletionQueue queue_;
  Worker worker_;
  absl::Mutex mutex_;
  std::set<std::shared_ptr<AsyncCall>> calls_ ABSL_GUARDED_BY(mutex_);
  int num_failing_ ABSL_GUARDED_BY(mutex_) = 0;  // whose `done` is to run
  std::thread thread_;
};

}  // namespace scatterd

#endif  // SCATTERD_CLIENT_ASYNC_CALLER_H_
