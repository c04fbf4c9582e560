// Statuses on the wire: google.rpc.Status in the grpc-status-details-bin
// trailer, made from and turned back into the payloads of core/errors.h
// (field -> BadRequest, reason -> ErrorInfo of domain "scatterd",
// retry-after -> RetryInfo).

#ifndef SCATTERD_PROTO_STATUS_DETAILS_H_
#define SCATTERD_PROTO_STATUS_DETAILS_H_

#include <string>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"

namespace scatterd {

// The serialized google.rpc.Status for `status`; empty if it has no payloads.
std::string EncodeStatusDetails(const absl::Status& status);

// A status with this code and message and the payloads found in `details`
// (serialized google.rpc.Status).  Details that do not parse are ignored.
absl::Status DecodeStatusDetails(absl::StatusCode code,
                                 absl::string_view message,
                                 absl::string_view details);

}  // namespace scatterd

#endif  // SCATTERD_PROTO_STATUS_DETAILS_H_
