// Statuses on their way to gRPC.

#ifndef SCATTERD_SERVER_GRPC_STATUS_H_
#define SCATTERD_SERVER_GRPC_STATUS_H_

#include "absl/status/status.h"
#include "grpcpp/support/status.h"

namespace scatterd {

// The same code, message and details.  Messages are cut at 1 KiB, which keeps
// the trailers within the 8 KiB that peers accept.
grpc::Status ToGrpcStatus(const absl::Status& status);

}  // namespace scatterd

#endif  // SCATTERD_SERVER_GRPC_STATUS_H_
