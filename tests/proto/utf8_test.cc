#include "proto/utf8.h"

#include <cstdint>
#include <string>

#include "gtest/gtest.h"

namespace scatterd::internal {
namespace {

// The code point in the form of `size` bytes, whether or not that is its own.
std::string Encoded(uint32_t code_point, int size) {
  if (size == 1) return std::string(1, static_cast<char>(code_point));
  std::string bytes;
  for (int i = 0; i < size - 1; ++i) {
    bytes.insert(bytes.begin(), static_cast<char>(0x80 | (code_point & 0x3f)));
    code_point >>= 6;
  }
  const uint32_t lead = (0xf0u << (4 - size)) & 0xff;
  bytes.insert(bytes.begin(), static_cast<char>(lead | code_point));
  return bytes;
}

int ShortestSize(uint32_t code_point) {
  if (code_point < 0x80) return 1;
  if (code_point < 0x800) return 2;
  return code_point < 0x10000 ? 3 : 4;
}

TEST(Utf8, AcceptsEveryCodePointInItsShortestFormOnly) {
  for (uint32_t code_point = 0; code_point < 0x1fffff; ++code_point) {
    const int shortest = ShortestSize(code_point);
    const bool is_surrogate = code_point >= 0xd800 && code_point <= 0xdfff;
    const bool valid = !is_surrogate && code_point <= 0x10ffff;
    ASSERT_EQ(IsValidUtf8(Encoded(code_point, shortest)), valid) << code_point;
    if (shortest < 4) {
      ASSERT_FALSE(IsValidUtf8(Encoded(code_point, shortest + 1)))
          << code_point;
    }
  }
}

TEST(Utf8, RefusesSequencesThatAreCutOffOrBroken) {
  EXPECT_TRUE(IsValidUtf8(""));
  EXPECT_TRUE(IsValidUtf8(absl::string_view("a\0b", 3)));
  EXPECT_TRUE(IsValidUtf8("\xe2\x82\xac"));
  EXPECT_FALSE(IsValidUtf8("\xe2\x82"));
  EXPECT_FALSE(IsValidUtf8("\xe2\x82x"));
  EXPECT_FALSE(IsValidUtf8("\x82"));
  EXPECT_FALSE(IsValidUtf8("x\xff"));
  EXPECT_FALSE(IsValidUtf8("\xf8\x88\x80\x80\x80"));
}

}  // namespace
}  // namespace scatterd::internal
