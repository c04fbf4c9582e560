#include "proto/utf8.h"

#include <cstddef>
#include <cstdint>

namespace scatterd::internal {
namespace {

// What may follow a lead byte.
struct Sequence {
  int num_continuations;  // -1: not a lead byte
  uint8_t low, high;      // of the first continuation byte
};

Sequence SequenceOf(uint8_t lead) {
  if (lead < 0x80) return {0, 0, 0};
  if (lead < 0xc2) return {-1, 0, 0};
  if (lead < 0xe0) return {1, 0x80, 0xbf};
  if (lead == 0xe0) return {2, 0xa0, 0xbf};
  if (lead == 0xed) return {2, 0x80, 0x9f};
  if (lead < 0xf0) return {2, 0x80, 0xbf};
  if (lead == 0xf0) return {3, 0x90, 0xbf};
  if (lead < 0xf4) return {3, 0x80, 0xbf};
  if (lead == 0xf4) return {3, 0x80, 0x8f};
  return {-1, 0, 0};
}

}  // namespace

bool IsValidUtf8(absl::string_view text) {
  size_t i = 0;
  while (i < text.size()) {
    Sequence rest = SequenceOf(static_cast<uint8_t>(text[i++]));
    if (rest.num_continuations < 0) return false;
    for (int n = 0; n < rest.num_continuations; ++n) {
      if (i == text.size()) return false;
      const uint8_t byte = static_cast<uint8_t>(text[i++]);
      if (byte < rest.low || byte > rest.high) return false;
      rest.low = 0x80;
      rest.high = 0xbf;
    }
  }
  return true;
}

}  // namespace scatterd::internal
