#include "server/logging.h"

#include <string>

#include "absl/time/time.h"
#include "gmock/gmock.h"
#include "google/protobuf/struct.pb.h"
#include "google/protobuf/util/json_util.h"
#include "gtest/gtest.h"

namespace scatterd {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

const absl::Time kTime =
    absl::FromUnixSeconds(1714564800) + absl::Microseconds(123456);

std::string Json(LogFields fields) {
  return FormatLogLine(LogFormat::kJson, kTime, LogLevel::kInfo, "tested",
                       fields);
}

std::string Text(LogFields fields) {
  return FormatLogLine(LogFormat::kText, kTime, LogLevel::kInfo, "tested",
                       fields);
}

// The string member `key` of a JSON object, by a parser that is not ours.
std::string Member(const std::string& json, const std::string& key) {
  google::protobuf::Struct parsed;
  const auto status =
      google::protobuf::util::JsonStringToMessage(json, &parsed);
  EXPECT_TRUE(status.ok()) << json;
  return parsed.fields().at(key).string_value();
}

TEST(LogLine, TextHasTimeLevelEventAndFields) {
  EXPECT_EQ(Text({{"port", 50051}, {"peer", "ipv4:127.0.0.1:1"}}),
            "time=2024-05-01T12:00:00.123456Z level=info event=tested "
            "port=50051 peer=ipv4:127.0.0.1:1");
}

TEST(LogLine, JsonHasTimeLevelEventAndFields) {
  EXPECT_EQ(Json({{"port", 50051}, {"peer", "x"}}),
            "{\"time\":\"2024-05-01T12:00:00.123456Z\",\"level\":\"info\","
            "\"event\":\"tested\",\"port\":50051,\"peer\":\"x\"}");
}

TEST(LogLine, TextQuotesWhatCouldBeMistaken) {
  EXPECT_THAT(Text({{"a", ""}}), HasSubstr(" a=\"\""));
  EXPECT_THAT(Text({{"a", "b c"}}), HasSubstr(" a=\"b c\""));
  EXPECT_THAT(Text({{"a", "b=c"}}), HasSubstr(" a=\"b=c\""));
  EXPECT_THAT(Text({{"a", "say \"b\""}}), HasSubstr(" a=\"say \\\"b\\\"\""));
}

TEST(LogLine, ValuesCannotForgeLines) {
  const std::string forged = "x\nlevel=error event=forged";
  EXPECT_THAT(Text({{"a", forged}}), Not(HasSubstr("\n")));
  EXPECT_THAT(Json({{"a", forged}}), Not(HasSubstr("\n")));
}

TEST(LogLine, JsonGivesEveryTextBackUnchanged) {
  std::string every_ascii;
  for (char c = 1; c > 0; ++c) every_ascii += c;
  const std::string umlauts = "äöü €";
  for (const std::string& text :
       {every_ascii, std::string("\0 in the middle", 15), umlauts,
        std::string("\xF0\x9F\x98\x80"), std::string("\\\"\\u0041/")}) {
    EXPECT_EQ(Member(Json({{"a", text}}), "a"), text);
  }
}

TEST(LogLine, JsonReplacesBytesThatAreNotUtf8) {
  const std::string replacement = "\xEF\xBF\xBD";
  const struct {
    std::string bytes;
    std::string expected;
  } cases[] = {
      {"a\xFFz", "a" + replacement + "z"},
      {"\xC0\xAF", replacement + replacement},  // overlong
      {"\xE0\x80\xAF", replacement + replacement + replacement},
      {"\xED\xA0\x80", replacement + replacement + replacement},  // surrogate
      {"\xF4\x90\x80\x80",  // beyond U+10FFFF
       replacement + replacement + replacement + replacement},
      {"a\xE2\x82", "a" + replacement + replacement},  // cut short
  };
  for (const auto& c : cases) {
    EXPECT_EQ(Member(Json({{"a", c.bytes}}), "a"), c.expected);
  }
}

TEST(Log, WritesItsLevelAndAbove) {
  Log log(LogLevel::kWarn, LogFormat::kText);
  EXPECT_FALSE(log.enabled(LogLevel::kInfo));
  EXPECT_TRUE(log.enabled(LogLevel::kWarn));
  ::testing::internal::CaptureStderr();
  log.Write(LogLevel::kInfo, "quiet", {});
  log.Write(LogLevel::kError, "loud", {{"n", 1}});
  const std::string written = ::testing::internal::GetCapturedStderr();
  EXPECT_THAT(written, Not(HasSubstr("quiet")));
  EXPECT_THAT(written, HasSubstr("level=error event=loud n=1\n"));
}

}  // namespace
}  // namespace scatterd
