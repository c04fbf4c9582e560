#ifndef SCATTERD_CLIENT_ATTEMPT_H_
#define SCATTERD_CLIENT_ATTEMPT_H_

#include <functional>
#include <memory>

#include "absl/status/statusor.h"
#include "client/prepared_call.h"
#include "grpcpp/client_context.h"
#include "grpcpp/completion_queue.h"
#include "grpcpp/generic/generic_stub.h"
#include "grpcpp/support/byte_buffer.h"
#include "grpcpp/support/status.h"

namespace scatterd {

// One try of a call.
class Attempt {
 public:
  explicit Attempt(const PreparedCall& call);

  Attempt(const Attempt&) = delete;
  Attempt& operator=(const Attempt&) = delete;

  // Sends the call; `tag` comes out of `cq` once, when it is over.  Until then
  // this object must live.  `on_released` as in MakeRequest.
  void Start(const PreparedCall& call, grpc::GenericStub& stub,
             grpc::CompletionQueue* cq, void* tag,
             std::function<void()> on_released);

  // From any thread, at any time.
  void Cancel() { context_.TryCancel(); }

  // After `tag`: the reply, or the status with its payloads.
  absl::StatusOr<grpc::ByteBuffer> Result() const;

 private:
  grpc::ClientContext context_;
  std::unique_ptr<grpc::GenericClientAsyncResponseReader> reader_;
  grpc::ByteBuffer reply_;
  grpc::Status status_;
};

}  // namespace scatterd

#endif  // SCATTERD_CLIENT_ATTEMPT_H_
