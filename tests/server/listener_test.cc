#include "server/listener.h"

#include <string>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/testing/status_matchers.h"

namespace scatterd {
namespace {

using ::scatterd::test::IsOk;
using ::scatterd::test::StatusIs;
using ::testing::HasSubstr;

TEST(ParseListener, ReadsEveryKind) {
  for (const char* value :
       {"127.0.0.1:50051", "0.0.0.0:0", "[::]:65535", "[fe80::1]:1",
        "localhost:80", "unix:/run/scatterd.sock", "unix:relative.sock",
        "unix-abstract:scatterd"}) {
    const absl::StatusOr<Listener> listener = ParseListener(value);
    ASSERT_THAT(listener, IsOk()) << value;
    EXPECT_EQ(listener->ToString(), value);
  }
}

TEST(ParseListener, RefusesWhatIsNoAddress) {
  for (const std::string value :
       {"", ":", ":50051", "localhost", "localhost:", "localhost:http",
        "localhost:-1", "localhost:65536", "::1:50051", "[::1]", "[::1:50051",
        "[]:1", "[localhost]:1", "/run/s.sock", "unix:", "unix-abstract:"}) {
    EXPECT_THAT(
        ParseListener(value),
        StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("expected")))
        << value;
  }
}

TEST(ParseListener, RefusesUnixNamesThatTheSystemCannotHold) {
  const std::string longest(107, 'x');
  EXPECT_THAT(ParseListener("unix:" + longest), IsOk());
  EXPECT_THAT(ParseListener("unix:" + longest + "x"),
              StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("107")));
  EXPECT_THAT(ParseListener("unix-abstract:" + longest + "x"),
              StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("107")));
}

TEST(Listener, WildcardsAreReachedOverLoopback) {
  EXPECT_EQ(ParseListener("0.0.0.0:7")->ClientTarget(), "127.0.0.1:7");
  EXPECT_EQ(ParseListener("[::]:7")->ClientTarget(), "[::1]:7");
  EXPECT_EQ(ParseListener("10.0.0.1:7")->ClientTarget(), "10.0.0.1:7");
  EXPECT_EQ(ParseListener("unix:/a")->ClientTarget(), "unix:/a");
}

}  // namespace
}  // namespace scatterd
