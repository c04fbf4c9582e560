#include "server/option_values.h"

#include <limits>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/testing/status_matchers.h"

namespace scatterd::internal {
namespace {

using ::scatterd::test::IsOkAndHolds;
using ::scatterd::test::StatusIs;
using ::testing::HasSubstr;

constexpr uint64_t kMax = std::numeric_limits<uint64_t>::max();

TEST(ParseSize, ReadsBytesAndBinaryUnits) {
  EXPECT_THAT(ParseSize("0", 0, kMax), IsOkAndHolds(0u));
  EXPECT_THAT(ParseSize("1048577", 0, kMax), IsOkAndHolds(1048577u));
  EXPECT_THAT(ParseSize("64KiB", 0, kMax), IsOkAndHolds(65536u));
  EXPECT_THAT(ParseSize("3 MiB", 0, kMax), IsOkAndHolds(3145728u));
  EXPECT_THAT(ParseSize("2GiB", 0, kMax), IsOkAndHolds(uint64_t{1} << 31));
  EXPECT_THAT(ParseSize("1TiB", 0, kMax), IsOkAndHolds(uint64_t{1} << 40));
}

TEST(ParseSize, RefusesWhatIsNoSize) {
  for (const char* text :
       {"", "x", "KiB", "-1", "+1", "1.5GiB", "1GB", "1gib", "1KiBKiB", "0x10",
        "1 000", "18446744073709551616", "99999999999999TiB"}) {
    EXPECT_THAT(ParseSize(text, 0, kMax),
                StatusIs(absl::StatusCode::kInvalidArgument,
                         HasSubstr("expected a size")))
        << text;
  }
}

TEST(ParseSize, NamesTheRange) {
  EXPECT_THAT(ParseSize("1KiB", 1025, 1 << 20),
              StatusIs(absl::StatusCode::kInvalidArgument,
                       HasSubstr("from 1025 to 1MiB")));
  EXPECT_THAT(ParseSize("2MiB", 1025, 1 << 20),
              StatusIs(absl::StatusCode::kInvalidArgument));
}

TEST(FormatSize, IsReadBackExactly) {
  for (const uint64_t bytes :
       {uint64_t{0}, uint64_t{1}, uint64_t{1023}, uint64_t{1024},
        uint64_t{1536}, uint64_t{5} << 20, uint64_t{1} << 30, uint64_t{1} << 45,
        kMax}) {
    EXPECT_THAT(ParseSize(FormatSize(bytes), 0, kMax), IsOkAndHolds(bytes));
  }
  EXPECT_EQ(FormatSize(uint64_t{3} << 30), "3GiB");
  EXPECT_EQ(FormatSize(1536), "1536");
}

TEST(ParseInt, AcceptsTheRangeAndNothingElse) {
  EXPECT_THAT(ParseInt("1", 1, 8), IsOkAndHolds(1));
  EXPECT_THAT(ParseInt("8", 1, 8), IsOkAndHolds(8));
  for (const char* text : {"0", "9", "", "two", "1.0", "99999999999"}) {
    EXPECT_THAT(ParseInt(text, 1, 8),
                StatusIs(absl::StatusCode::kInvalidArgument,
                         HasSubstr("an integer from 1 to 8")))
        << text;
  }
}

TEST(ParseDouble, AcceptsTheRangeAndNothingElse) {
  EXPECT_THAT(ParseDouble("0.5", 0, 1), IsOkAndHolds(0.5));
  for (const char* text : {"-0.1", "1.5", "", "nan", "inf", "soon"}) {
    EXPECT_THAT(ParseDouble(text, 0, 1),
                StatusIs(absl::StatusCode::kInvalidArgument,
                         HasSubstr("a number from 0 to 1")))
        << text;
  }
}

TEST(ParseChoice, NamesTheWords) {
  constexpr Choice<int> kChoices[] = {{"one", 1}, {"two", 2}};
  EXPECT_THAT(ParseChoice<int>("two", kChoices), IsOkAndHolds(2));
  EXPECT_THAT(ParseChoice<int>("Two", kChoices),
              StatusIs(absl::StatusCode::kInvalidArgument,
                       HasSubstr("expected one or two")));
  EXPECT_EQ(FormatChoice<int>(1, kChoices), "one");
}

}  // namespace
}  // namespace scatterd::internal
