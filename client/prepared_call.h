#ifndef SCATTERD_CLIENT_PREPARED_CALL_H_
#define SCATTERD_CLIENT_PREPARED_CALL_H_

#include <functional>
#include <string>

#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "client/retry_state.h"
#include "grpcpp/support/byte_buffer.h"
#include "proto/codec.h"
#include "scatterd/client.h"

namespace scatterd {

// A unary call of any method, ready to be sent as often as it takes.
struct PreparedCall {
  std::string method;      // "/scatterd.v1.TensorOps/Gather"
  EncodedMessage message;  // refers to the operands' own memory
  CallOptions options;
  absl::Time deadline;
  RetryState retry;
};

// INVALID_ARGUMENT for metadata that gRPC would abort on.
absl::Status CheckMetadata(const CallOptions& options);

// The earlier of timeout and deadline, or the client's default.
absl::Time EffectiveDeadline(const CallOptions& options,
                             absl::Duration default_timeout, absl::Time now);

// `message` for one attempt, without copying payload.  `on_released` is called
// once, when gRPC refers to none of it any more: on any thread, perhaps inside
// gRPC, perhaps before this returns.  It must not block or call gRPC.
grpc::ByteBuffer MakeRequest(const EncodedMessage& message,
                             std::function<void()> on_released);

}  // namespace scatterd

#endif  // SCATTERD_CLIENT_PREPARED_CALL_H_
