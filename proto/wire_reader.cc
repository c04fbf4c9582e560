#include "proto/wire_reader.h"

#include <algorithm>
#include <bit>
#include <cstring>

namespace scatterd::internal {
namespace {

// As deep as protobuf's parsers follow nested groups.
constexpr int kMaxGroupDepth = 100;

constexpr int kMaxVarintBytes = 10;

template <typename T>
T FromLittleEndian(T value) {
  if constexpr (std::endian::native == std::endian::big) {
    T swapped = 0;
    for (size_t i = 0; i < sizeof(T); ++i) {
      swapped = (swapped << 8) | ((value >> (8 * i)) & 0xff);
    }
    return swapped;
  } else {
    return value;
  }
}

}  // namespace

WireReader::WireReader(MessagePieces pieces) : pieces_(pieces) {
  for (const absl::string_view piece : pieces_) end_ += piece.size();
}

uint64_t WireReader::Contiguous() {
  if (position_ == end_) return 0;
  while (offset_ == pieces_[piece_].size()) {
    ++piece_;
    offset_ = 0;
  }
  return std::min<uint64_t>(pieces_[piece_].size() - offset_, end_ - position_);
}

void WireReader::Advance(uint64_t size) {
  offset_ += size;
  position_ += size;
}

bool WireReader::ReadVarint(uint64_t* value) {
  if (Contiguous() != 0) {
    const uint8_t byte = static_cast<uint8_t>(*here());
    if (byte < 0x80) {
      *value = byte;
      Advance(1);
      return true;
    }
  }
  return ReadVarintSlowly(kMaxVarintBytes, value);
}

bool WireReader::ReadVarintSlowly(int max_bytes, uint64_t* value) {
  uint64_t result = 0;
  for (int i = 0; i < max_bytes; ++i) {
    if (Contiguous() == 0) return false;
    const uint8_t byte = static_cast<uint8_t>(*here());
    Advance(1);
    result |= uint64_t{byte & 0x7fu} << (7 * i);
    if (byte < 0x80) {
      *value = result;
      return true;
    }
  }
  return false;
}

bool WireReader::ReadTag(WireTag* tag) {
  // Like protobuf, five bytes of which 32 bits count.
  uint64_t value = 0;
  if (!ReadVarintSlowly(5, &value)) return false;
  const uint32_t bits = static_cast<uint32_t>(value);
  tag->field = bits >> 3;
  tag->type = static_cast<WireType>(bits & 7u);
  return tag->field != 0 && tag->type <= WireType::kFixed32;
}

bool WireReader::ReadLength(uint64_t* length) {
  return ReadVarintSlowly(5, length) && *length <= remaining();
}

bool WireReader::ReadFixed32(uint32_t* value) {
  if (!ReadBytes(value, sizeof(*value))) return false;
  *value = FromLittleEndian(*value);
  return true;
}

bool WireReader::ReadFixed64(uint64_t* value) {
  if (!ReadBytes(value, sizeof(*value))) return false;
  *value = FromLittleEndian(*value);
  return true;
}

bool WireReader::ReadDelimited(WireReader* body) {
  uint64_t length = 0;
  if (!ReadLength(&length)) return false;
  *body = *this;
  body->EndAt(position_ + length);
  return Skip(length);
}

bool WireReader::ReadBytes(void* destination, uint64_t size) {
  if (size > remaining()) return false;
  char* next = static_cast<char*>(destination);
  while (size != 0) {
    const uint64_t count = std::min(Contiguous(), size);
    std::memcpy(next, here(), count);
    Advance(count);
    next += count;
    size -= count;
  }
  return true;
}

void WireReader::AppendRest(std::string* destination) {
  for (uint64_t count = Contiguous(); count != 0; count = Contiguous()) {
    destination->append(here(), count);
    Advance(count);
  }
}

bool WireReader::Skip(uint64_t size) {
  if (size > remaining()) return false;
  while (size != 0) {
    const uint64_t count = std::min(Contiguous(), size);
    Advance(count);
    size -= count;
  }
  return true;
}

bool WireReader::SkipValue(WireTag tag) { return SkipValue(tag, 0); }

bool WireReader::SkipValue(WireTag tag, int depth) {
  uint64_t value = 0;
  switch (tag.type) {
    case WireType::kVarint:
      return ReadVarint(&value);
    case WireType::kFixed64:
      return Skip(8);
    case WireType::kDelimited:
      return ReadLength(&value) && Skip(value);
    case WireType::kGroupBegin:
      return depth < kMaxGroupDepth && SkipGroup(tag.field, depth + 1);
    case WireType::kGroupEnd:
      return false;  // without a begin
    case WireType::kFixed32:
      return Skip(4);
  }
  return false;
}

bool WireReader::SkipGroup(uint32_t field, int depth) {
  WireTag tag;
  while (ReadTag(&tag)) {
    if (tag.type == WireType::kGroupEnd) return tag.field == field;
    if (!SkipValue(tag, depth)) return false;
  }
  return false;
}

}  // namespace scatterd::internal
