// The client's connections.

#ifndef SCATTERD_CLIENT_CONNECTION_POOL_H_
#define SCATTERD_CLIENT_CONNECTION_POOL_H_

#include <atomic>
#include <cstddef>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "grpcpp/generic/generic_stub.h"
#include "scatterd/client.h"

namespace scatterd {

// Channels with one connection each.  Thread-safe.
class ConnectionPool {
 public:
  // `target` comes from ParseAddress.  Does not connect.
  ConnectionPool(const std::string& target, const ClientOptions& options);

  // The connection for the next attempt: all of them in turn.
  grpc::GenericStub& Next() { return stubs_[next_++ % stubs_.size()]; }

 private:
  std::vector<grpc::GenericStub> stubs_;
  std::atomic<size_t> next_{0};
};

// The gRPC target of an address (see Client::Create).  INVALID_ARGUMENT if it
// is none.
absl::StatusOr<std::string> ParseAddress(absl::string_view address);

}  // namespace scatterd

#endif  // SCATTERD_CLIENT_CONNECTION_POOL_H_
