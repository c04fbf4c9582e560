// A client of the standard health service, for `scatterd --health_check`.

#ifndef SCATTERD_SERVER_HEALTH_PROBE_H_
#define SCATTERD_SERVER_HEALTH_PROBE_H_

#include <string>

#include "absl/status/status.h"
#include "absl/time/time.h"

namespace scatterd {

// Asks the server at `target`, a gRPC target, for its overall health.  OK if
// it serves; UNAVAILABLE if it says that it does not; else why it did not
// answer.
absl::Status ProbeHealth(const std::string& target, absl::Duration timeout);

}  // namespace scatterd

#endif  // SCATTERD_SERVER_HEALTH_PROBE_H_
