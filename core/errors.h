// The form of every error that a caller sees:
//   <operator>: C<n>: <what> (<got> vs <expected>)
// The number is the constraint's in the operator's documentation
// (core/ops/<operator>.cc).  Which request field is at fault travels as a
// status payload; the server turns it into google.rpc details.

#ifndef SCATTERD_CORE_ERRORS_H_
#define SCATTERD_CORE_ERRORS_H_

#include <string>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"

namespace scatterd {

// Payload keys.  The value of kFieldPayload is a field path of the request
// ("indices"); that of kReasonPayload an UPPER_SNAKE_CASE reason that programs
// may test ("INDEX_OUT_OF_RANGE"); that of kRetryAfterPayload a decimal number
// of milliseconds after which trying again may help.
inline constexpr absl::string_view kFieldPayload = "scatterd/field";
inline constexpr absl::string_view kReasonPayload = "scatterd/reason";
inline constexpr absl::string_view kRetryAfterPayload =
    "scatterd/retry_after_ms";

// INVALID_ARGUMENT "<op>: C<n>: <what>" about request field `field`.
absl::Status ConstraintError(absl::string_view op, int n,
                             absl::string_view field, absl::string_view what);

// Names the field at fault of a status that has none yet; returns it.
absl::Status WithField(absl::Status status, absl::string_view field);

// For a status about a message inside field `parent`: puts the parent before
// the field that the status names; returns it.
absl::Status BelowField(absl::Status status, absl::string_view parent);

// Names a machine-readable reason; returns the status.
absl::Status WithReason(absl::Status status, absl::string_view reason);

// RESOURCE_EXHAUSTED: `limit` names the flag or resource, with what was asked
// for and what is allowed.  `retry_after_ms` > 0 where waiting helps.
absl::Status LimitError(absl::string_view limit, uint64_t got, uint64_t allowed,
                        int retry_after_ms = 0);

// A name that a caller chose, in quotes, for messages and field paths: escaped
// to ASCII, and cut where it is long.
std::string QuotedName(absl::string_view name);

// The payload's text; empty if there is none.
std::string GetPayload(const absl::Status& status, absl::string_view key);

}  // namespace scatterd

#endif  // SCATTERD_CORE_ERRORS_H_
