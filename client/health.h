// grpc.health.v1, whose two messages are one field each: written and read by
// hand, so that the client needs no generated code for them.

#ifndef SCATTERD_CLIENT_HEALTH_H_
#define SCATTERD_CLIENT_HEALTH_H_

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "proto/codec.h"
#include "scatterd/client.h"

namespace scatterd {

inline constexpr absl::string_view kHealthCheckMethod =
    "/grpc.health.v1.Health/Check";

// HealthCheckRequest {string service = 1}.
EncodedMessage EncodeHealthRequest(absl::string_view service);

// HealthCheckResponse {ServingStatus status = 1}; INTERNAL if it is none.
absl::StatusOr<HealthStatus> DecodeHealthResponse(MessagePieces message);

}  // namespace scatterd

#endif  // SCATTERD_CLIENT_HEALTH_H_
