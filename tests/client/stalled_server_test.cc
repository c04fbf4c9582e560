// A server that stops reading in the middle of a request keeps the request's
// memory in the client's socket writes.

#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <atomic>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/synchronization/notification.h"
#include "absl/time/clock.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "scatterd/client.h"
#include "tests/client/client_fixtures.h"
#include "tests/testing/status_matchers.h"
#include "tests/testing/tensor_literals.h"

namespace scatterd {
namespace {

using ::scatterd::test::Form;
using ::scatterd::test::GatherCall;
using ::scatterd::test::Indices;
using ::scatterd::test::StatusIs;
using ::testing::AnyOf;

constexpr int64_t kElements = 4 << 20;  // more than a socket's buffers hold

// Accepts one connection, greets it as an HTTP/2 server with the largest
// windows there are, waits for the first bytes and reads no further.
class StalledServer {
 public:
  StalledServer()
      : folder_(test::MakeTemporaryFolder()),
        path_(absl::StrCat(folder_, "/socket")),
        listener_(Listen()),
        thread_([this] { Serve(); }) {}

  ~StalledServer() {
    Break();
    thread_.join();
    close(listener_);
    test::RemoveFolder(folder_);
  }

  std::string address() const { return absl::StrCat("unix:", path_); }

  // Closes the connection, once the client writes to it.
  void Break() {
    if (!broken_.HasBeenNotified()) broken_.Notify();
  }

 private:
  int Listen() const {
    const int listener = socket(AF_UNIX, SOCK_STREAM, 0);
    sockaddr_un name = {};
    name.sun_family = AF_UNIX;
    std::strncpy(name.sun_path, path_.c_str(), sizeof(name.sun_path) - 1);
    if (bind(listener, reinterpret_cast<sockaddr*>(&name), sizeof(name)) != 0 ||
        listen(listener, 16) != 0) {
      std::abort();
    }
    return listener;
  }

  void Serve() {
    // SETTINGS: INITIAL_WINDOW_SIZE (4) = 2^31 - 1.  WINDOW_UPDATE of stream 0
    // by 2^31 - 1 - 65535.
    static constexpr uint8_t kGreeting[] = {
        0,    0, 6, 4, 0, 0, 0, 0, 0, 0, 4,    0x7f, 0xff, 0xff,
        0xff, 0, 0, 4, 8, 0, 0, 0, 0, 0, 0x7f, 0xff, 0x00, 0x00};
    const int connection = accept(listener_, nullptr, nullptr);
    char first;
    if (send(connection, kGreeting, sizeof(kGreeting), MSG_NOSIGNAL) < 0 ||
        recv(connection, &first, 1, 0) != 1) {
      std::abort();
    }
    broken_.WaitForNotification();
    close(connection);
  }

  const std::string folder_;
  const std::string path_;
  const int listener_;
  absl::Notification broken_;
  std::thread thread_;
};

class StalledServerForms : public testing::TestWithParam<Form> {
 protected:
  // The call's status; its memory must be free when it is over.
  absl::Status CallWithLargeData(Client& client, const CallOptions& options) {
    const std::vector<float> values(kElements);
    auto released = std::make_shared<std::atomic<bool>>(false);
    Buffer buffer = Buffer::Wrap(values.data(), kElements * sizeof(float),
                                 [released] { *released = true; });
    OperatorCall call = GatherCall(
        *Tensor::FromBuffer({DType::kFloat, {kElements}}, std::move(buffer)),
        Indices({1}, {0}));
    if (GetParam() == Form::kSync) {
      const absl::Status status = client.Call(call, options).status();
      call = {};
      EXPECT_TRUE(*released);
      return status;
    }
    const absl::Status status =
        test::CallAndWait(client, std::move(call), options).status();
    EXPECT_TRUE(*released);
    return status;
  }
};

INSTANTIATE_TEST_SUITE_P(Client, StalledServerForms,
                         testing::Values(Form::kSync, Form::kAsync),
                         [](const auto& form) {
                           return test::FormName(form.param);
                         });

TEST_P(StalledServerForms, LateCallsLastUntilTheConnectionBreaks) {
  StalledServer server;
  const auto client = test::ConnectTo(server.address());
  CallOptions options;
  options.timeout = absl::Milliseconds(100);
  // Later than the timeout, unless this machine is very slow.
  std::thread breaker([&server] {
    absl::SleepFor(absl::Milliseconds(300));
    server.Break();
  });
  EXPECT_THAT(CallWithLargeData(*client, options),
              AnyOf(StatusIs(absl::StatusCode::kDeadlineExceeded),
                    StatusIs(absl::StatusCode::kUnavailable)));
  breaker.join();
}

TEST_P(StalledServerForms, ABrokenConnectionIsUnavailable) {
  StalledServer server;
  ClientOptions client_options;
  client_options.retry.max_attempts = 1;
  const auto client = test::ConnectTo(server.address(), client_options);
  server.Break();
  EXPECT_THAT(CallWithLargeData(*client, {}),
              StatusIs(absl::StatusCode::kUnavailable));
}

}  // namespace
}  // namespace scatterd
