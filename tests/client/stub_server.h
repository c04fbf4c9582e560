// A gRPC server that answers as a test says, on a Unix socket in a folder of
// its own.

#ifndef SCATTERD_TESTS_CLIENT_STUB_SERVER_H_
#define SCATTERD_TESTS_CLIENT_STUB_SERVER_H_

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>

#include "absl/status/status.h"
#include "core/call.h"
#include "grpcpp/generic/async_generic_service.h"
#include "grpcpp/server.h"
#include "proto/codec.h"

namespace scatterd::test {

struct StubRequest {
  std::string method;
  std::multimap<std::string, std::string> metadata;
  std::string body;
};

// A status, with its payloads as details, or a message.
using StubReply = absl::StatusOr<EncodedMessage>;

// Called for every request, from several threads; nullopt: never answer.
using StubHandler = std::function<std::optional<StubReply>(const StubRequest&)>;

class StubServer {
 public:
  explicit StubServer(StubHandler handler);

  // Cancels the calls that were never answered.
  ~StubServer();

  // "unix:/...".
  const std::string& address() const { return address_; }

 private:
  class Service;

  std::string folder_;
  std::string address_;
  std::unique_ptr<Service> service_;
  std::unique_ptr<grpc::Server> server_;
};

// A folder under the system's temporary one, and its removal.
std::string MakeTemporaryFolder();
void RemoveFolder(const std::string& folder);

// The call that a request of service TensorOps carries.  Ends the program if
// it is none.
OperatorCall DecodeRequest(const StubRequest& request);

// OperatorResponse with this output.
EncodedMessage ReplyWith(const Tensor& output);

// Answers with `data`, so that a test sees its own input come back.
StubReply EchoData(const StubRequest& request);

}  // namespace scatterd::test

#endif  // SCATTERD_TESTS_CLIENT_STUB_SERVER_H_
