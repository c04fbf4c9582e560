#include "client/health.h"

#include <string>
#include <utility>

#include "google/protobuf/unknown_field_set.h"

namespace scatterd {
namespace {

using ::google::protobuf::UnknownField;
using ::google::protobuf::UnknownFieldSet;

constexpr int kServiceField = 1;
constexpr int kStatusField = 1;

HealthStatus FromNumber(uint64_t number) {
  return number <= static_cast<uint64_t>(HealthStatus::kServiceUnknown)
             ? static_cast<HealthStatus>(number)
             : HealthStatus::kUnknown;
}

}  // namespace

EncodedMessage EncodeHealthRequest(absl::string_view service) {
  UnknownFieldSet fields;
  fields.AddLengthDelimited(kServiceField, std::string(service));
  std::string bytes;
  fields.SerializeToString(&bytes);
  EncodedMessage message;
  message.Append(std::move(bytes));
  return message;
}

absl::StatusOr<HealthStatus> DecodeHealthResponse(MessagePieces message) {
  std::string bytes;
  for (const absl::string_view piece : message) {
    bytes.append(piece.data(), piece.size());
  }
  UnknownFieldSet fields;
  if (!fields.ParseFromString(bytes)) {
    return absl::InternalError("health: malformed reply");
  }
  HealthStatus status = HealthStatus::kUnknown;
  for (int i = 0; i < fields.field_count(); ++i) {
    const UnknownField& field = fields.field(i);
    if (field.number() == kStatusField &&
        field.type() == UnknownField::TYPE_VARINT) {
      status = FromNumber(field.varint());
    }
  }
  return status;
}

}  // namespace scatterd
