#include "proto/field_merger.h"

#include <bit>
#include <utility>

#include "absl/strings/str_cat.h"
#include "core/status_macros.h"
#include "proto/utf8.h"

namespace scatterd::internal {

absl::Status FieldMerger::Double(double* value) {
  if (tag_.type != WireType::kFixed64) return Skip();
  uint64_t bits = 0;
  if (!message_.ReadFixed64(&bits)) return scope_.Malformed();
  *value = std::bit_cast<double>(bits);
  return absl::OkStatus();
}

absl::Status FieldMerger::Text(absl::string_view name, std::string* text) {
  return Delimited([&](WireReader body) -> absl::Status {
    SCATTERD_RETURN_IF_ERROR(reserve_(body.remaining()));
    std::string bytes;
    bytes.reserve(body.remaining());
    body.AppendRest(&bytes);
    if (!IsValidUtf8(bytes)) {
      return scope_.Error(name, absl::StrCat(name, " is not UTF-8"));
    }
    *text = std::move(bytes);
    return absl::OkStatus();
  });
}

absl::Status FieldMerger::Delimited(
    absl::FunctionRef<absl::Status(WireReader body)> take) {
  if (tag_.type != WireType::kDelimited) return Skip();
  WireReader body = message_;
  if (!message_.ReadDelimited(&body)) return scope_.Malformed();
  return take(body);
}

absl::Status FieldMerger::Skip() {
  return message_.SkipValue(tag_) ? absl::OkStatus() : scope_.Malformed();
}

absl::Status MergeFields(
    WireReader message, const FieldScope& scope, ReserveBytes reserve,
    absl::FunctionRef<absl::Status(FieldMerger& field)> merge_field) {
  while (!message.done()) {
    FieldMerger field(scope, reserve, &message);
    if (!field.ReadTag()) return scope.Malformed();
    SCATTERD_RETURN_IF_ERROR(merge_field(field));
  }
  return absl::OkStatus();
}

}  // namespace scatterd::internal
