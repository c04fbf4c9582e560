// Where a server listens, and where it must not.

#include <netinet/in.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <memory>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/server/raw_client.h"
#include "tests/testing/loopback_server.h"
#include "tests/testing/status_matchers.h"

namespace scatterd::test {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

class ListenersTest : public ::testing::Test {
 protected:
  ListenersTest() {
    std::string pattern = "/tmp/listeners_test.XXXXXX";
    folder_ = mkdtemp(pattern.data());
  }
  ~ListenersTest() override { std::filesystem::remove_all(folder_); }

  std::string InFolder(const std::string& name) const {
    return absl::StrCat(folder_, "/", name);
  }

  absl::StatusOr<std::unique_ptr<Server>> Start(
      const std::vector<std::string>& addresses) {
    ServerOptions options;
    for (const std::string& address : addresses) {
      options.listen.push_back(*ParseListener(address));
    }
    return Server::Start(options, log_);
  }

 private:
  Log log_{LogLevel::kError, LogFormat::kText};
  std::string folder_;
};

bool Answers(const std::string& target) {
  const auto output = Output(*NewChannel(target), QueuedCall());
  EXPECT_THAT(output, IsOk()) << target;
  return output.ok();
}

bool HasIpv6() {
  sockaddr_in6 address{};
  address.sin6_family = AF_INET6;
  address.sin6_addr = in6addr_loopback;
  const int fd = socket(AF_INET6, SOCK_STREAM, 0);
  const bool has = bind(fd, reinterpret_cast<const sockaddr*>(&address),
                        sizeof(address)) == 0;
  close(fd);
  return has;
}

// Leaves a socket file that nobody listens on.
void LeaveStaleSocket(const std::string& path) {
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  std::strncpy(address.sun_path, path.c_str(), sizeof(address.sun_path) - 1);
  const int fd = socket(AF_UNIX, SOCK_STREAM, 0);
  ASSERT_EQ(
      bind(fd, reinterpret_cast<const sockaddr*>(&address), sizeof(address)),
      0);
  close(fd);
  ASSERT_TRUE(std::filesystem::is_socket(path));
}

TEST_F(ListenersTest, AllListenersOfAServerAnswer) {
  const auto server =
      Start({"127.0.0.1:0", "127.0.0.1:0", "unix:" + InFolder("s"),
             absl::StrCat("unix-abstract:", InFolder("a"))});
  ASSERT_THAT(server, IsOk());
  ASSERT_EQ((*server)->listeners().size(), 4u);
  EXPECT_NE((*server)->listeners()[0].port, 0);
  EXPECT_NE((*server)->listeners()[0].port, (*server)->listeners()[1].port);
  for (const Listener& listener : (*server)->listeners()) {
    EXPECT_TRUE(Answers(listener.ToString()));
  }
}

TEST_F(ListenersTest, Ipv6Answers) {
  if (!HasIpv6()) GTEST_SKIP() << "this machine has no IPv6";
  const auto server = Start({"[::1]:0"});
  ASSERT_THAT(server, IsOk());
  EXPECT_TRUE(Answers((*server)->listeners()[0].ToString()));
}

TEST_F(ListenersTest, WildcardAnswersOverLoopback) {
  const auto server = Start({"0.0.0.0:0"});
  ASSERT_THAT(server, IsOk());
  EXPECT_TRUE(Answers((*server)->listeners()[0].ClientTarget()));
}

TEST_F(ListenersTest, TakenPortIsRefusedByName) {
  const auto first = Start({"127.0.0.1:0"});
  ASSERT_THAT(first, IsOk());
  const std::string address = (*first)->listeners()[0].ToString();
  EXPECT_THAT(Start({"127.0.0.1:0", address}),
              StatusIs(absl::StatusCode::kUnavailable,
                       AllOf(HasSubstr("cannot listen on " + address),
                             HasSubstr("Address already in use"))));
  EXPECT_TRUE(Answers(address));
}

TEST_F(ListenersTest, TakenAbstractNameIsRefusedByName) {
  const std::string address = "unix-abstract:" + InFolder("a");
  const auto first = Start({address});
  ASSERT_THAT(first, IsOk());
  EXPECT_THAT(Start({address}),
              StatusIs(absl::StatusCode::kUnavailable, HasSubstr(address)));
}

TEST_F(ListenersTest, SocketOfALiveServerIsRefusedAndKept) {
  const std::string address = "unix:" + InFolder("s");
  const auto first = Start({address});
  ASSERT_THAT(first, IsOk());
  EXPECT_THAT(Start({address}),
              StatusIs(absl::StatusCode::kUnavailable,
                       AllOf(HasSubstr("cannot listen on " + address),
                             HasSubstr("another server"))));
  EXPECT_TRUE(Answers(address));
}

TEST_F(ListenersTest, StaleSocketIsReplaced) {
  LeaveStaleSocket(InFolder("s"));
  const auto server = Start({"unix:" + InFolder("s")});
  ASSERT_THAT(server, IsOk());
  EXPECT_TRUE(Answers("unix:" + InFolder("s")));
}

TEST_F(ListenersTest, FileThatIsNoSocketIsRefusedAndKept) {
  std::ofstream(InFolder("s")) << "precious";
  EXPECT_THAT(
      Start({"unix:" + InFolder("s")}),
      StatusIs(absl::StatusCode::kUnavailable, HasSubstr("not a socket")));
  EXPECT_TRUE(std::filesystem::is_regular_file(InFolder("s")));
}

TEST_F(ListenersTest, FolderThatIsNotThereIsRefusedByName) {
  EXPECT_THAT(Start({"unix:" + InFolder("no/s")}),
              StatusIs(absl::StatusCode::kUnavailable,
                       AllOf(HasSubstr("no/s"), HasSubstr("No such file"))));
}

TEST_F(ListenersTest, SocketFileGoesWithTheServer) {
  {
    const auto server = Start({"unix:" + InFolder("s")});
    ASSERT_THAT(server, IsOk());
    EXPECT_TRUE(std::filesystem::is_socket(InFolder("s")));
  }
  EXPECT_FALSE(std::filesystem::exists(InFolder("s")));
}

TEST_F(ListenersTest, FailedStartLeavesNoSocketFileBehind) {
  EXPECT_FALSE(
      Start({"unix:" + InFolder("s"), "unix:" + InFolder("no/s")}).ok());
  EXPECT_FALSE(std::filesystem::exists(InFolder("s")));
}

}  // namespace
}  // namespace scatterd::test
