// The log line of a call that failed.

#ifndef SCATTERD_SERVER_CALL_LOG_H_
#define SCATTERD_SERVER_CALL_LOG_H_

#include <cstdint>
#include <string>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "server/logging.h"

namespace scatterd {

// What is logged of a call beside its status.
struct CallFacts {
  absl::string_view operation;  // "gather_nd"
  std::string peer;
  uint64_t request_bytes = 0;
  uint64_t elapsed_ns = 0;
};

// Logs the failure and returns the status for the caller.  What is the
// caller's fault is logged at debug, what the server refuses at info.  What
// is our fault is logged at error with a reference; the caller is told the
// reference and nothing else.
absl::Status ReportFailure(const absl::Status& status, const CallFacts& call,
                           Log& log);

}  // namespace scatterd

#endif  // SCATTERD_SERVER_CALL_LOG_H_
