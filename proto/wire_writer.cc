#include "proto/wire_writer.h"

#include <bit>
#include <utility>

namespace scatterd::internal {
namespace {

uint64_t TagOf(uint32_t field, WireType type) {
  return (uint64_t{field} << 3) | static_cast<uint64_t>(type);
}

}  // namespace

uint64_t VarintSize(uint64_t value) {
  return (static_cast<uint64_t>(std::bit_width(value | 1)) + 6) / 7;
}

uint64_t TagSize(uint32_t field) { return VarintSize(uint64_t{field} << 3); }

uint64_t DelimitedSize(uint32_t field, uint64_t body_size) {
  return TagSize(field) + VarintSize(body_size) + body_size;
}

void WireWriter::Varint(uint64_t value) {
  while (value >= 0x80) {
    pending_.push_back(static_cast<char>(value | 0x80));
    value >>= 7;
  }
  pending_.push_back(static_cast<char>(value));
}

void WireWriter::VarintField(uint32_t field, uint64_t value) {
  Varint(TagOf(field, WireType::kVarint));
  Varint(value);
}

void WireWriter::DelimitedHeader(uint32_t field, uint64_t body_size) {
  Varint(TagOf(field, WireType::kDelimited));
  Varint(body_size);
}

void WireWriter::BytesField(uint32_t field, absl::string_view bytes) {
  DelimitedHeader(field, bytes.size());
  Bytes(bytes);
}

void WireWriter::Payload(Buffer payload) {
  if (payload.size() < kMinPayloadPart) {
    if (payload.size() == 0) return;
    pending_.append(reinterpret_cast<const char*>(payload.data()),
                    payload.size());
    return;
  }
  Flush();
  message_.Append(std::move(payload));
}

void WireWriter::Flush() {
  if (!pending_.empty()) message_.Append(std::move(pending_));
  pending_.clear();
}

EncodedMessage WireWriter::Finish() {
  Flush();
  return std::exchange(message_, EncodedMessage());
}

}  // namespace scatterd::internal
