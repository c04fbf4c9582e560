// A gRPC client that sends whatever bytes a test wants.

#ifndef SCATTERD_TESTS_SERVER_RAW_CLIENT_H_
#define SCATTERD_TESTS_SERVER_RAW_CLIENT_H_

#include <memory>
#include <optional>
#include <string>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/time/time.h"
#include "core/call.h"
#include "grpcpp/channel.h"
#include "grpcpp/client_context.h"
#include "grpcpp/completion_queue.h"
#include "grpcpp/generic/generic_stub.h"
#include "grpcpp/support/byte_buffer.h"

namespace scatterd::test {

// Long enough for any call on a loaded machine.
inline constexpr absl::Duration kPatience = absl::Seconds(60);

grpc::ByteBuffer ToBuffer(absl::string_view bytes);
std::string ToString(const grpc::ByteBuffer& buffer);

// "/scatterd.v1.TensorOps/ScatterND".
std::string MethodOf(OperatorId op);

// The request's bytes.  Ends the program if the call cannot be encoded.
grpc::ByteBuffer RequestOf(const OperatorCall& call);

// A channel of its own, without message limits.
std::shared_ptr<grpc::Channel> NewChannel(const std::string& target);

// A call under way.
class PendingCall {
 public:
  PendingCall(grpc::Channel& channel, const std::string& method,
              const grpc::ByteBuffer& request,
              absl::Duration timeout = kPatience);
  ~PendingCall();

  void Cancel() { context_.TryCancel(); }

  // Waits for the reply; the status has the payloads of core/errors.h.
  absl::StatusOr<std::string> Wait();

 private:
  grpc::ClientContext context_;
  grpc::CompletionQueue queue_;
  grpc::ByteBuffer reply_;
  grpc::Status status_;
  std::unique_ptr<grpc::GenericClientAsyncResponseReader> reader_;
  bool waited_ = false;
};

// A call whose messages are sent and read one by one, each step waiting for
// gRPC to have done it.
class StreamCall {
 public:
  StreamCall(grpc::Channel& channel, const std::string& method,
             absl::Duration timeout = kPatience);
  ~StreamCall();

  void Cancel() { context_.TryCancel(); }
  bool Write(absl::string_view message);
  bool WritesDone();

  // Waits for the server's first sign.
  bool ReadInitialMetadata();

  // The next message; nullopt when there are no more.
  std::optional<std::string> Read();

  // Waits for the end.
  grpc::Status Finish();

 private:
  bool Next();

  grpc::ClientContext context_;
  grpc::CompletionQueue queue_;
  std::unique_ptr<grpc::GenericClientAsyncReaderWriter> stream_;
  bool finished_ = false;
};

// Calls `method` and waits.
absl::StatusOr<std::string> CallRaw(grpc::Channel& channel,
                                    const std::string& method,
                                    absl::string_view request,
                                    absl::Duration timeout = kPatience);

absl::StatusOr<OperatorResult> Execute(grpc::Channel& channel,
                                       const OperatorCall& call,
                                       absl::Duration timeout = kPatience);

// The output alone.
absl::StatusOr<Tensor> Output(grpc::Channel& channel, const OperatorCall& call);

// A small request for so much work (a scatter onto that many zero bytes) that
// the server does not run it on its polling thread.
OperatorCall QueuedCall();

}  // namespace scatterd::test

#endif  // SCATTERD_TESTS_SERVER_RAW_CLIENT_H_
