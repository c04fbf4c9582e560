#include "proto/wire_reader.h"

#include <cstdint>
#include <string>

#include "gtest/gtest.h"
#include "tests/proto/codec_testing.h"
#include "tests/proto/wire_scrambler.h"

namespace scatterd::internal {
namespace {

using test::CutMessage;
using test::WireVarint;

// One piece for every byte.
CutMessage Shredded(const std::string& bytes) {
  std::vector<size_t> cuts;
  for (size_t i = 1; i < bytes.size(); ++i) cuts.push_back(i);
  return CutMessage(bytes, cuts);
}

// The varint that is all of `bytes`; nullopt if it is malformed.
std::optional<uint64_t> VarintIn(const std::string& bytes) {
  const CutMessage message = Shredded(bytes);
  WireReader reader(message.pieces());
  uint64_t value = 0;
  if (!reader.ReadVarint(&value) || !reader.done()) return std::nullopt;
  return value;
}

TEST(WireReader, ReadsVarintsOfEveryLength) {
  for (int shift = 0; shift < 64; ++shift) {
    for (const uint64_t value :
         {uint64_t{1} << shift, (uint64_t{1} << shift) - 1}) {
      EXPECT_EQ(VarintIn(WireVarint(value)), value);
    }
  }
  EXPECT_EQ(VarintIn(WireVarint(UINT64_MAX)), UINT64_MAX);
}

TEST(WireReader, ReadsVarintsWithPointlessBytes) {
  EXPECT_EQ(VarintIn("\x81\x80\x80\x80\x80\x80\x80\x80\x80\x01"),
            (uint64_t{1} << 63) | 1);
  EXPECT_EQ(VarintIn(std::string("\x85\x80\x00", 3)), 5u);
}

TEST(WireReader, RefusesVarintsThatDoNotEnd) {
  EXPECT_EQ(VarintIn(""), std::nullopt);
  EXPECT_EQ(VarintIn("\x80"), std::nullopt);
  EXPECT_EQ(VarintIn(std::string(10, '\x80') + "\x01"), std::nullopt);
}

bool ReadsTag(const std::string& bytes) {
  const CutMessage message = Shredded(bytes);
  WireReader reader(message.pieces());
  WireTag tag;
  return reader.ReadTag(&tag);
}

TEST(WireReader, RefusesTagsThatProtobufRefuses) {
  EXPECT_TRUE(ReadsTag("\x0a"));
  EXPECT_FALSE(ReadsTag(std::string(1, '\0')));  // field 0
  EXPECT_FALSE(ReadsTag("\x02"));                // field 0
  EXPECT_FALSE(ReadsTag("\x0e"));                // wire type 6
  EXPECT_FALSE(ReadsTag("\x0f"));                // wire type 7
  EXPECT_FALSE(ReadsTag("\x8a\x80\x80\x80\x80\x00"));
}

// Whether the value of the field in `bytes` can be skipped up to the end.
bool Skips(const std::string& bytes) {
  const CutMessage message = Shredded(bytes);
  WireReader reader(message.pieces());
  WireTag tag;
  return reader.ReadTag(&tag) && reader.SkipValue(tag) && reader.done();
}

TEST(WireReader, SkipsValuesOfEveryWireType) {
  EXPECT_TRUE(Skips("\x08\x96\x01"));
  EXPECT_TRUE(
      Skips("\x09"
            "12345678"));
  EXPECT_TRUE(
      Skips("\x0a\x03"
            "abc"));
  EXPECT_TRUE(
      Skips("\x0d"
            "1234"));
}

TEST(WireReader, RefusesToSkipWhatIsCutOff) {
  EXPECT_FALSE(Skips("\x08\x96"));
  EXPECT_FALSE(
      Skips("\x09"
            "1234567"));
  EXPECT_FALSE(
      Skips("\x0a\x04"
            "abc"));
  EXPECT_FALSE(
      Skips("\x0a\xff\xff\xff\xff\x0f"
            "abc"));
  EXPECT_FALSE(
      Skips("\x0d"
            "123"));
}

TEST(WireReader, SkipsGroupsThatEndWithTheirOwnTag) {
  EXPECT_TRUE(Skips("\x0b\x0c"));
  EXPECT_TRUE(Skips("\x0b\x10\x05\x0c"));
  EXPECT_TRUE(Skips("\x0b\x13\x14\x0c"));
  EXPECT_FALSE(Skips("\x0b\x10\x05"));
  EXPECT_FALSE(Skips("\x0b\x14"));
  EXPECT_FALSE(Skips("\x0c"));
}

TEST(WireReader, RefusesGroupsNestedWithoutEnd) {
  EXPECT_TRUE(Skips(std::string(100, '\x0b') + std::string(100, '\x0c')));
  EXPECT_FALSE(Skips(std::string(101, '\x0b') + std::string(101, '\x0c')));
  EXPECT_FALSE(Skips(std::string(1 << 20, '\x0b')));
}

TEST(WireReader, ReadsFixedNumbersAcrossPieces) {
  const CutMessage message = Shredded(
      "\x01\x02\x03\x04\x05\x06\x07\x08\x09"
      "\x0a\x0b\x0c");
  WireReader reader(message.pieces());
  uint32_t low = 0;
  uint64_t high = 0;
  ASSERT_TRUE(reader.ReadFixed32(&low));
  ASSERT_TRUE(reader.ReadFixed64(&high));
  EXPECT_EQ(low, 0x04030201u);
  EXPECT_EQ(high, 0x0c0b0a0908070605u);
  EXPECT_TRUE(reader.done());
  EXPECT_FALSE(reader.ReadFixed32(&low));
}

TEST(WireReader, GivesDelimitedBytesToAReaderOfTheirOwn) {
  const CutMessage message = Shredded(
      "\x03"
      "abcd");
  WireReader reader(message.pieces());
  WireReader body = reader;
  ASSERT_TRUE(reader.ReadDelimited(&body));
  EXPECT_EQ(reader.remaining(), 1u);
  EXPECT_EQ(reader.position(), 4u);
  std::string bytes;
  body.AppendRest(&bytes);
  EXPECT_EQ(bytes, "abc");
  EXPECT_TRUE(body.done());
}

TEST(WireReader, ReadsNothingFromNoPiecesAndEmptyPieces) {
  EXPECT_TRUE(WireReader({}).done());
  const CutMessage message("a", {0, 0, 1, 1});
  WireReader reader(message.pieces());
  char byte = 0;
  EXPECT_TRUE(reader.ReadBytes(&byte, 1));
  EXPECT_EQ(byte, 'a');
  EXPECT_TRUE(reader.done());
}

}  // namespace
}  // namespace scatterd::internal
