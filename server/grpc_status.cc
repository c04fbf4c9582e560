#include "server/grpc_status.h"

#include <string>

#include "absl/strings/cord.h"
#include "absl/strings/str_cat.h"
#include "proto/status_details.h"

namespace scatterd {
namespace {

constexpr size_t kMaxMessageSize = 1024;

#define SCATTERD_SAME_CODE(absl_code, grpc_code)                 \
  static_assert(static_cast<int>(absl::StatusCode::absl_code) == \
                static_cast<int>(grpc::StatusCode::grpc_code))
SCATTERD_SAME_CODE(kOk, OK);
SCATTERD_SAME_CODE(kCancelled, CANCELLED);
SCATTERD_SAME_CODE(kUnknown, UNKNOWN);
SCATTERD_SAME_CODE(kInvalidArgument, INVALID_ARGUMENT);
SCATTERD_SAME_CODE(kDeadlineExceeded, DEADLINE_EXCEEDED);
SCATTERD_SAME_CODE(kNotFound, NOT_FOUND);
SCATTERD_SAME_CODE(kAlreadyExists, ALREADY_EXISTS);
SCATTERD_SAME_CODE(kPermissionDenied, PERMISSION_DENIED);
SCATTERD_SAME_CODE(kResourceExhausted, RESOURCE_EXHAUSTED);
SCATTERD_SAME_CODE(kFailedPrecondition, FAILED_PRECONDITION);
SCATTERD_SAME_CODE(kAborted, ABORTED);
SCATTERD_SAME_CODE(kOutOfRange, OUT_OF_RANGE);
SCATTERD_SAME_CODE(kUnimplemented, UNIMPLEMENTED);
SCATTERD_SAME_CODE(kInternal, INTERNAL);
SCATTERD_SAME_CODE(kUnavailable, UNAVAILABLE);
SCATTERD_SAME_CODE(kDataLoss, DATA_LOSS);
SCATTERD_SAME_CODE(kUnauthenticated, UNAUTHENTICATED);
#undef SCATTERD_SAME_CODE

absl::Status WithShortMessage(const absl::Status& status) {
  if (status.message().size() <= kMaxMessageSize) return status;
  absl::Status cut(
      status.code(),
      absl::StrCat(status.message().substr(0, kMaxMessageSize), "..."));
  status.ForEachPayload(
      [&cut](absl::string_view url, const absl::Cord& payload) {
        cut.SetPayload(url, payload);
      });
  return cut;
}

}  // namespace

grpc::Status ToGrpcStatus(const absl::Status& status) {
  const absl::Status sent = WithShortMessage(status);
  return grpc::Status(static_cast<grpc::StatusCode>(sent.code()),
                      std::string(sent.message()), EncodeStatusDetails(sent));
}

}  // namespace scatterd
