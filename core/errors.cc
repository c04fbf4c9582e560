#include "core/errors.h"

#include "absl/strings/cord.h"
#include "absl/strings/escaping.h"
#include "absl/strings/str_cat.h"

namespace scatterd {
namespace {

// Messages travel in a header, which must not grow with what a caller sends.
constexpr size_t kMaxNameInMessage = 64;

}  // namespace

absl::Status WithField(absl::Status status, absl::string_view field) {
  if (!status.ok() && !status.GetPayload(kFieldPayload)) {
    status.SetPayload(kFieldPayload, absl::Cord(field));
  }
  return status;
}

absl::Status BelowField(absl::Status status, absl::string_view parent) {
  const absl::optional<absl::Cord> field = status.GetPayload(kFieldPayload);
  if (field) {
    absl::Cord path(parent);
    if (!field->empty()) path.Append(".");
    path.Append(*field);
    status.SetPayload(kFieldPayload, path);
  }
  return status;
}

absl::Status WithReason(absl::Status status, absl::string_view reason) {
  if (!status.ok()) status.SetPayload(kReasonPayload, absl::Cord(reason));
  return status;
}

absl::Status ConstraintError(absl::string_view op, int n,
                             absl::string_view field, absl::string_view what) {
  return WithField(
      absl::InvalidArgumentError(absl::StrCat(op, ": C", n, ": ", what)),
      field);
}

absl::Status LimitError(absl::string_view limit, uint64_t got, uint64_t allowed,
                        int retry_after_ms) {
  absl::Status status =
      WithReason(absl::ResourceExhaustedError(absl::StrCat(
                     limit, " would be exceeded (", got, " vs ", allowed, ")")),
                 "LIMIT_EXCEEDED");
  if (retry_after_ms > 0) {
    status.SetPayload(kRetryAfterPayload,
                      absl::Cord(absl::StrCat(retry_after_ms)));
  }
  return status;
}

std::string QuotedName(absl::string_view name) {
  const bool cut = name.size() > kMaxNameInMessage;
  return absl::StrCat("'", absl::CHexEscape(name.substr(0, kMaxNameInMessage)),
                      cut ? "..." : "", "'");
}

std::string GetPayload(const absl::Status& status, absl::string_view key) {
  const absl::optional<absl::Cord> payload = status.GetPayload(key);
  return payload ? std::string(*payload) : std::string();
}

}  // namespace scatterd
