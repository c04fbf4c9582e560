#include "proto/field_scope.h"

#include <string>

#include "absl/strings/str_cat.h"
#include "core/errors.h"
#include "proto/codec.h"

namespace scatterd::internal {
namespace {

std::string Path(absl::string_view a, absl::string_view b) {
  return absl::StrCat(a, a.empty() || b.empty() ? "" : ".", b);
}

}  // namespace

absl::Status FieldScope::Error(absl::string_view field,
                               absl::string_view what) const {
  return ConstraintError(
      op, kMalformedConstraint, Path(Path(operand, source), field),
      absl::StrCat(operand, operand.empty() ? "" : ": ", what));
}

absl::Status FieldScope::Malformed(absl::string_view field) const {
  return Error(field, field.empty() ? "malformed message"
                                    : absl::StrCat("malformed ", field));
}

}  // namespace scatterd::internal
