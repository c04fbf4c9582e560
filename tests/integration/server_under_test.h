// The server that the integration tests of one program share.
//
// It is started by the first call and stopped after the last test, where it
// must drain and exit with status 0: whatever the tests sent, it has survived.

#ifndef SCATTERD_TESTS_INTEGRATION_SERVER_UNDER_TEST_H_
#define SCATTERD_TESTS_INTEGRATION_SERVER_UNDER_TEST_H_

#include <string>

#include "absl/status/statusor.h"
#include "core/call.h"
#include "core/graph.h"
#include "scatterd/v1/operators.grpc.pb.h"

namespace scatterd::test {

// Through the C++ client.
absl::StatusOr<OperatorResult> CallServer(const OperatorCall& call);

absl::StatusOr<GradientResult> CallServerGradient(const GradientCall& call);
absl::StatusOr<GraphResult> RunOnServer(const GraphCall& call);

// Where it listens, for other clients.
const std::string& ServerAddress();

// For requests that the client would not make.
scatterd::v1::TensorOps::Stub& ServerStub();

// A call as seen by the caller of a generated stub: the server's status.
template <typename Request>
absl::Status CallStub(grpc::Status (v1::TensorOps::Stub::*method)(
                          grpc::ClientContext*, const Request&,
                          v1::OperatorResponse*),
                      const Request& request, v1::OperatorResponse* response) {
  grpc::ClientContext context;
  const grpc::Status status =
      (ServerStub().*method)(&context, request, response);
  return absl::Status(static_cast<absl::StatusCode>(status.error_code()),
                      status.error_message());
}

// The call gives `expected`, bit for bit, from the server and, so that the
// oracle is held to published values too, from the oracle.
void ExpectOutput(const OperatorCall& call, const Tensor& expected);

// The call fails with this code and a message that has `what` in it; the
// oracle agrees on the code.
void ExpectRefused(const OperatorCall& call, absl::StatusCode code,
                   const std::string& what);

}  // namespace scatterd::test

#endif  // SCATTERD_TESTS_INTEGRATION_SERVER_UNDER_TEST_H_
