// Written and read by hand: the program may also hold another library's
// google.rpc messages, and protobuf allows only one definition of each.

#include "proto/status_details.h"

#include <cstdint>

#include "absl/strings/cord.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "core/errors.h"
#include "proto/utf8.h"
#include "proto/wire_reader.h"
#include "proto/wire_writer.h"

namespace scatterd {
namespace {

using internal::WireReader;
using internal::WireTag;
using internal::WireType;
using internal::WireWriter;

constexpr absl::string_view kTypePrefix = "type.googleapis.com/";
constexpr absl::string_view kBadRequest = "google.rpc.BadRequest";
constexpr absl::string_view kErrorInfo = "google.rpc.ErrorInfo";
constexpr absl::string_view kRetryInfo = "google.rpc.RetryInfo";
constexpr absl::string_view kDomain = "scatterd";

// Field numbers of proto/google/rpc.
constexpr uint32_t kStatusCode = 1;
constexpr uint32_t kStatusMessage = 2;
constexpr uint32_t kStatusDetails = 3;
constexpr uint32_t kAnyTypeUrl = 1;
constexpr uint32_t kAnyValue = 2;
constexpr uint32_t kFieldViolations = 1;
constexpr uint32_t kViolationField = 1;
constexpr uint32_t kViolationDescription = 2;
constexpr uint32_t kReason = 1;
constexpr uint32_t kReasonDomain = 2;
constexpr uint32_t kRetryDelay = 1;
constexpr uint32_t kDurationSeconds = 1;
constexpr uint32_t kDurationNanos = 2;

constexpr int64_t kNanosPerMilli = 1000000;

// A message of up to two fields.
class Fields {
 public:
  Fields& Number(uint32_t field, uint64_t value) {
    if (value != 0) writer_.VarintField(field, value);
    return *this;
  }
  Fields& Bytes(uint32_t field, absl::string_view bytes) {
    writer_.BytesField(field, bytes);
    return *this;
  }
  std::string Finish() { return writer_.Finish().Flatten(); }

 private:
  WireWriter writer_;
};

std::string Any(absl::string_view type, absl::string_view value) {
  return Fields()
      .Bytes(kAnyTypeUrl, absl::StrCat(kTypePrefix, type))
      .Bytes(kAnyValue, value)
      .Finish();
}

std::string BadRequest(absl::string_view field, absl::string_view what) {
  const std::string violation = Fields()
                                    .Bytes(kViolationField, field)
                                    .Bytes(kViolationDescription, what)
                                    .Finish();
  return Any(kBadRequest, Fields().Bytes(kFieldViolations, violation).Finish());
}

std::string ErrorInfo(absl::string_view reason) {
  return Any(
      kErrorInfo,
      Fields().Bytes(kReason, reason).Bytes(kReasonDomain, kDomain).Finish());
}

std::string RetryInfo(uint64_t milliseconds) {
  const std::string delay =
      Fields()
          .Number(kDurationSeconds, milliseconds / 1000)
          .Number(kDurationNanos, milliseconds % 1000 * kNanosPerMilli)
          .Finish();
  return Any(kRetryInfo, Fields().Bytes(kRetryDelay, delay).Finish());
}

// Calls read(field, body) for the length-delimited fields of a message and
// number(field, value) for its varints; false if it is malformed or one of
// them says so.
template <typename Read, typename Number>
bool ForEachField(WireReader message, Read read, Number number) {
  while (!message.done()) {
    WireTag tag;
    if (!message.ReadTag(&tag)) return false;
    WireReader body = message;
    uint64_t value = 0;
    switch (tag.type) {
      case WireType::kDelimited:
        if (!message.ReadDelimited(&body)) return false;
        if (!read(tag.field, body)) return false;
        break;
      case WireType::kVarint:
        if (!message.ReadVarint(&value)) return false;
        number(tag.field, value);
        break;
      default:
        if (!message.SkipValue(tag)) return false;
    }
  }
  return true;
}

constexpr auto kNoNumbers = [](uint32_t, uint64_t) {};

std::string Rest(WireReader reader) {
  std::string bytes;
  reader.AppendRest(&bytes);
  return bytes;
}

// What the details say.
struct Details {
  std::string field;
  std::string reason;
  int64_t retry_after_ms = -1;

  bool ReadBadRequest(WireReader message) {
    return ForEachField(
        message,
        [this](uint32_t number, WireReader violation) {
          if (number != kFieldViolations || !field.empty()) return true;
          return ForEachField(
              violation,
              [this](uint32_t inner, WireReader body) {
                if (inner == kViolationField) field = Rest(body);
                return true;
              },
              kNoNumbers);
        },
        kNoNumbers);
  }

  bool ReadErrorInfo(WireReader message) {
    std::string text, domain;
    const bool ok = ForEachField(
        message,
        [&](uint32_t number, WireReader body) {
          if (number == kReason) text = Rest(body);
          if (number == kReasonDomain) domain = Rest(body);
          return true;
        },
        kNoNumbers);
    if (ok && domain == kDomain) reason = text;
    return ok;
  }

  bool ReadRetryInfo(WireReader message) {
    uint64_t seconds = 0, nanos = 0;
    const bool ok = ForEachField(
        message,
        [&](uint32_t number, WireReader delay) {
          if (number != kRetryDelay) return true;
          return ForEachField(
              delay, [](uint32_t, WireReader) { return true; },
              [&](uint32_t inner, uint64_t value) {
                if (inner == kDurationSeconds) seconds = value;
                if (inner == kDurationNanos) nanos = value;
              });
        },
        kNoNumbers);
    constexpr uint64_t kMaxSeconds = 315576000000;  // of a Duration
    if (!ok || seconds > kMaxSeconds || nanos > 999999999) return false;
    retry_after_ms =
        static_cast<int64_t>(seconds * 1000 + nanos / kNanosPerMilli);
    return true;
  }

  bool ReadAny(WireReader message) {
    std::string type_url;
    WireReader value({});
    const bool ok = ForEachField(
        message,
        [&](uint32_t number, WireReader body) {
          if (number == kAnyTypeUrl) type_url = Rest(body);
          if (number == kAnyValue) value = body;
          return true;
        },
        kNoNumbers);
    if (!ok) return false;
    if (type_url == absl::StrCat(kTypePrefix, kBadRequest)) {
      return ReadBadRequest(value);
    }
    if (type_url == absl::StrCat(kTypePrefix, kErrorInfo)) {
      return ReadErrorInfo(value);
    }
    if (type_url == absl::StrCat(kTypePrefix, kRetryInfo)) {
      return ReadRetryInfo(value);
    }
    return true;
  }

  bool ReadStatus(WireReader message) {
    return ForEachField(
        message,
        [this](uint32_t number, WireReader body) {
          return number != kStatusDetails || ReadAny(body);
        },
        kNoNumbers);
  }
};

void SetText(absl::Status& status, absl::string_view key,
             const std::string& text) {
  if (!text.empty() && internal::IsValidUtf8(text)) {
    status.SetPayload(key, absl::Cord(text));
  }
}

}  // namespace

std::string EncodeStatusDetails(const absl::Status& status) {
  const std::string field = GetPayload(status, kFieldPayload);
  const std::string reason = GetPayload(status, kReasonPayload);
  uint64_t retry_after_ms = 0;
  const bool retries =
      absl::SimpleAtoi(GetPayload(status, kRetryAfterPayload), &retry_after_ms);
  if (field.empty() && reason.empty() && !retries) return "";

  Fields fields;
  fields.Number(kStatusCode, static_cast<uint64_t>(status.code()))
      .Bytes(kStatusMessage, status.message());
  if (!field.empty()) {
    fields.Bytes(kStatusDetails, BadRequest(field, status.message()));
  }
  if (!reason.empty()) fields.Bytes(kStatusDetails, ErrorInfo(reason));
  if (retries) fields.Bytes(kStatusDetails, RetryInfo(retry_after_ms));
  return fields.Finish();
}

absl::Status DecodeStatusDetails(absl::StatusCode code,
                                 absl::string_view message,
                                 absl::string_view details) {
  absl::Status status(code, message);
  Details found;
  if (!found.ReadStatus(WireReader({&details, 1}))) return status;
  SetText(status, kFieldPayload, found.field);
  SetText(status, kReasonPayload, found.reason);
  if (found.retry_after_ms >= 0) {
    SetText(status, kRetryAfterPayload, absl::StrCat(found.retry_after_ms));
  }
  return status;
}

}  // namespace scatterd
