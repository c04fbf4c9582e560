#include "server/call_log.h"

#include <atomic>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/time/clock.h"

namespace scatterd {
namespace {

bool IsOurFault(absl::StatusCode code) {
  return code == absl::StatusCode::kInternal ||
         code == absl::StatusCode::kUnknown ||
         code == absl::StatusCode::kDataLoss;
}

LogLevel LevelOf(absl::StatusCode code) {
  if (IsOurFault(code)) return LogLevel::kError;
  const bool refused = code == absl::StatusCode::kResourceExhausted ||
                       code == absl::StatusCode::kUnavailable;
  return refused ? LogLevel::kInfo : LogLevel::kDebug;
}

// Unique over all processes for practical purposes.
std::string NewReference() {
  static const int64_t start = absl::GetCurrentTimeNanos();
  static std::atomic<uint32_t> count{0};
  return absl::StrFormat("%x-%x", start, ++count);
}

void WriteLine(const absl::Status& status, const CallFacts& call,
               absl::string_view reference, Log& log) {
  log.Write(LevelOf(status.code()), "call_failed",
            {{"operation", call.operation},
             {"code", absl::StatusCodeToString(status.code())},
             {"message", status.message()},
             {"reference", reference},
             {"peer", call.peer},
             {"request_bytes", call.request_bytes},
             {"elapsed_us", call.elapsed_ns / 1000}});
}

}  // namespace

absl::Status ReportFailure(const absl::Status& status, const CallFacts& call,
                           Log& log) {
  if (!IsOurFault(status.code())) {
    WriteLine(status, call, "", log);
    return status;
  }
  const std::string reference = NewReference();
  WriteLine(status, call, reference, log);
  return absl::InternalError(absl::StrCat(
      call.operation, ": internal error (reference ", reference, ")"));
}

}  // namespace scatterd
