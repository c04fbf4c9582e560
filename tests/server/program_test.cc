// scatterd itself: its lines, its exit statuses, its signals.

#include "tests/server/program.h"

#include <signal.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "gmock/gmock.h"
#include "google/protobuf/struct.pb.h"
#include "google/protobuf/util/json_util.h"
#include "gtest/gtest.h"
#include "tests/server/raw_client.h"
#include "tests/server/watchdog.h"
#include "tests/testing/status_matchers.h"
#include "tests/testing/tensor_literals.h"

namespace scatterd::test {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::MatchesRegex;
using ::testing::StartsWith;

constexpr char kPrefix[] = "scatterd 0.1.0 ready: ";

struct Ended {
  int exit_status;
  std::string out;
  std::string err;
};

Ended RunToEnd(const std::vector<std::string>& arguments,
               const std::map<std::string, std::string>& environment = {}) {
  Program program(SCATTERD_PROGRAM, arguments, environment);
  const int exit_status = program.Wait();
  return {exit_status, program.ReadOut(), program.ReadErr()};
}

class ProgramTest : public ::testing::Test {
 protected:
  ProgramTest() {
    std::string pattern = "/tmp/program_test.XXXXXX";
    folder_ = mkdtemp(pattern.data());
  }
  ~ProgramTest() override { std::filesystem::remove_all(folder_); }

  // A server on a free port, which is in address() when this returns.
  void Start(std::vector<std::string> arguments = {}) {
    arguments.insert(arguments.begin(), "--listen=127.0.0.1:0");
    program_ = std::make_unique<Program>(SCATTERD_PROGRAM, arguments);
    const std::string line = program_->ReadLine();
    ASSERT_THAT(line, StartsWith(kPrefix)) << program_->ReadErr();
    addresses_ = absl::StrSplit(line.substr(sizeof(kPrefix) - 1), ' ');
  }

  std::string InFolder(const std::string& name) const {
    return absl::StrCat(folder_, "/", name);
  }
  Program& program() { return *program_; }
  const std::string& address() const { return addresses_.front(); }

  std::vector<std::string> addresses_;

 private:
  const Watchdog watchdog_{"a test of the program", absl::Minutes(5)};
  std::string folder_;
  std::unique_ptr<Program> program_;
};

// --- Lines and exit statuses ------------------------------------------------

TEST_F(ProgramTest, ReadyLineNamesEveryListenerWithItsRealPort) {
  const std::string socket = "unix:" + InFolder("s");
  const std::string abstract = "unix-abstract:" + InFolder("a");
  Start({"--listen", socket, "--listen", abstract});
  ASSERT_EQ(addresses_.size(), 3u);
  EXPECT_THAT(address(), MatchesRegex("127\\.0\\.0\\.1:[1-9][0-9]*"));
  EXPECT_EQ(addresses_[1], socket);
  EXPECT_EQ(addresses_[2], abstract);
  for (const std::string& target : addresses_) {
    EXPECT_THAT(Output(*NewChannel(target), QueuedCall()), IsOk()) << target;
  }
  program().Signal(SIGTERM);
  EXPECT_EQ(program().Wait(), 0);
  EXPECT_EQ(program().ReadOut(), "") << "one line and no more";
  EXPECT_FALSE(std::filesystem::exists(InFolder("s")));
}

TEST_F(ProgramTest, BadUsageIsStatus2AndOneLine) {
  const auto expect_usage = [](const Ended& ended, const char* text) {
    EXPECT_EQ(ended.exit_status, 2);
    EXPECT_EQ(ended.out, "");
    EXPECT_THAT(ended.err, MatchesRegex("scatterd: [^\n]*\n"));
    EXPECT_THAT(ended.err, HasSubstr(text));
  };
  expect_usage(RunToEnd({"--max_queue", "none"}),
               "--max_queue: bad value \"none\" from command line");
  expect_usage(RunToEnd({}, {{"SCATTERD_MAX_MESSAGE_BYTES", "4GiB"}}),
               "--max_message_bytes: bad value \"4GiB\" from environment "
               "variable SCATTERD_MAX_MESSAGE_BYTES");
  expect_usage(RunToEnd({"--metrics_listen", "x"}), "--metrics_listen");
  expect_usage(RunToEnd({"--config", InFolder("missing")}), "missing");
}

TEST_F(ProgramTest, ListenerThatIsRefusedIsStatus1AndOneLine) {
  Start();
  const Ended ended = RunToEnd({"--listen", address()});
  EXPECT_EQ(ended.exit_status, 1);
  EXPECT_EQ(ended.out, "");
  EXPECT_EQ(ended.err, absl::StrCat("scatterd: cannot listen on ", address(),
                                    ": Address already in use\n"));
}

TEST_F(ProgramTest, HelpAndVersionAreStatus0) {
  const Ended help = RunToEnd({"--help"});
  EXPECT_EQ(help.exit_status, 0);
  EXPECT_THAT(help.out, AllOf(HasSubstr("usage:"), HasSubstr("--listen")));
  const Ended version = RunToEnd({"--version"});
  EXPECT_EQ(version.exit_status, 0);
  EXPECT_EQ(version.out, "scatterd 0.1.0\n");
}

TEST_F(ProgramTest, PrintedConfigCanBeReadBack) {
  const Ended first =
      RunToEnd({"--print_config", "--threads=3", "--listen=a:1,b:2"},
               {{"SCATTERD_MAX_QUEUE", "17"}});
  EXPECT_EQ(first.exit_status, 0);
  EXPECT_THAT(first.out,
              AllOf(HasSubstr("threads = 3"), HasSubstr("max_queue = 17"),
                    HasSubstr("# command line"), HasSubstr("# default"),
                    HasSubstr("# environment variable SCATTERD_MAX_QUEUE")));
  std::ofstream(InFolder("conf")) << first.out;
  const Ended second =
      RunToEnd({"--print_config", "--config", InFolder("conf")});
  const auto values = [](const std::string& config) {
    std::vector<std::string> lines = absl::StrSplit(config, '\n');
    for (std::string& line : lines) line = line.substr(0, line.find(" #"));
    return lines;
  };
  EXPECT_EQ(values(second.out), values(first.out));
}

TEST_F(ProgramTest, HealthCheckTellsByItsStatus) {
  Start();
  EXPECT_EQ(RunToEnd({"--health_check", "--listen", address()}).exit_status, 0);
  EXPECT_EQ(RunToEnd({"--health_check"}, {{"SCATTERD_LISTEN", address()}})
                .exit_status,
            0);
  program().Signal(SIGTERM);
  EXPECT_EQ(program().Wait(), 0);
  const Ended ended = RunToEnd({"--health_check", "--listen", address()});
  EXPECT_EQ(ended.exit_status, 1);
  EXPECT_THAT(ended.err, MatchesRegex("scatterd: not healthy: [^\n]*\n"));
  EXPECT_EQ(RunToEnd({"--health_check", "--listen", "127.0.0.1:0"}).exit_status,
            2);
}

TEST_F(ProgramTest, ServesWithoutMallocTuning) {
  Start({"--malloc_tuning=off"});
  EXPECT_THAT(Output(*NewChannel(address()), QueuedCall()), IsOk());
}

TEST_F(ProgramTest, StaleSocketOfAKilledServerIsReplaced) {
  const std::string socket = "unix:" + InFolder("s");
  Start({"--listen", socket});
  program().Signal(SIGKILL);
  EXPECT_EQ(program().Wait(), -SIGKILL);
  EXPECT_TRUE(std::filesystem::is_socket(InFolder("s")));
  Start({"--listen", socket});
  EXPECT_THAT(Output(*NewChannel(socket), QueuedCall()), IsOk());
}

// --- Logs -------------------------------------------------------------------

TEST_F(ProgramTest, EveryJsonLogLineParses) {
  Start({"--log_format=json", "--log_level=debug"});
  const auto channel = NewChannel(address());
  EXPECT_FALSE(CallRaw(*channel, MethodOf(OperatorId::kGather), "\xff").ok());
  OperatorCall call = GatherCall(Full<float>({1}, 1), Indices({1}, {0}));
  call.options.device = "\"quoted\"\n";
  EXPECT_FALSE(Execute(*channel, call).ok());
  program().Signal(SIGTERM);
  EXPECT_EQ(program().Wait(), 0);
  std::vector<std::string> events;
  for (const absl::string_view line :
       absl::StrSplit(program().ReadErr(), '\n', absl::SkipEmpty())) {
    google::protobuf::Struct parsed;
    ASSERT_TRUE(
        google::protobuf::util::JsonStringToMessage(std::string(line), &parsed)
            .ok())
        << line;
    events.push_back(parsed.fields().at("event").string_value());
    EXPECT_NE(parsed.fields().at("time").string_value(), "");
  }
  EXPECT_EQ(events,
            (std::vector<std::string>{"ready", "call_failed", "call_failed",
                                      "draining", "stopped"}));
}

TEST_F(ProgramTest, FailedCallIsOneLineWithoutPayload) {
  Start({"--log_level=debug"});
  const auto channel = NewChannel(address());
  const std::string secret = "payload-that-nobody-may-log";
  EXPECT_FALSE(
      Execute(*channel, GatherCall(Strings({1}, {secret}), Indices({1}, {5})))
          .ok());
  program().Signal(SIGTERM);
  EXPECT_EQ(program().Wait(), 0);
  const std::string log = program().ReadErr();
  EXPECT_THAT(log, HasSubstr("event=call_failed operation=gather "
                             "code=OUT_OF_RANGE"));
  EXPECT_THAT(log, ::testing::Not(HasSubstr(secret)));
}

// --- Signals ----------------------------------------------------------------

TEST_F(ProgramTest, SigintStopsToo) {
  Start();
  program().Signal(SIGINT);
  EXPECT_EQ(program().Wait(), 0);
}

// A call is under way while its reply does not fit between the two ends, for
// the client does not read.
class UnreadCall {
 public:
  explicit UnreadCall(const std::string& address)
      : channel_(NewChannel(address)),
        call_(*channel_, MethodOf(OperatorId::kScatterND)) {
    OperatorCall call =
        ScatterNDCall(Tensor(), Indices({1, 1}, {2}), Full<uint8_t>({1}, 7));
    call.data = ZerosSpec{{DType::kUInt8, {kBytes}}};
    EXPECT_TRUE(call_.Write(ToString(RequestOf(call))));
    EXPECT_TRUE(call_.WritesDone());
    EXPECT_TRUE(call_.ReadInitialMetadata());
  }

  // Reads the reply after all.
  void ExpectWholeReply() {
    const std::optional<std::string> reply = call_.Read();
    ASSERT_TRUE(reply.has_value());
    EXPECT_GT(reply->size(), size_t{kBytes});
    EXPECT_TRUE(call_.Finish().ok());
  }

  // Reads what came of the reply.
  void ExpectNoReply() {
    EXPECT_FALSE(call_.Read().has_value());
    EXPECT_FALSE(call_.Finish().ok());
  }

 private:
  static constexpr int64_t kBytes = 64 << 20;

  std::shared_ptr<grpc::Channel> channel_;
  StreamCall call_;
};

// Returns when the server takes no new calls, with the answer to the last one.
absl::Status CallUntilRefused(const std::string& address) {
  absl::Status status;
  do {
    status = CallRaw(*NewChannel(address), MethodOf(OperatorId::kGather), "")
                 .status();
  } while (status.code() == absl::StatusCode::kInvalidArgument);
  return status;
}

TEST_F(ProgramTest, SigtermLetsTheCallUnderWayFinishAndRefusesNewOnes) {
  Start();
  UnreadCall call(address());
  program().Signal(SIGTERM);
  EXPECT_THAT(CallUntilRefused(address()),
              StatusIs(absl::StatusCode::kUnavailable));
  call.ExpectWholeReply();
  EXPECT_EQ(program().Wait(), 0);
}

TEST_F(ProgramTest, SigtermCancelsWhatDoesNotFinishInTime) {
  Start({"--drain_seconds=0.2"});
  UnreadCall call(address());
  program().Signal(SIGTERM);
  EXPECT_EQ(program().Wait(), 0);
  call.ExpectNoReply();
}

TEST_F(ProgramTest, SecondSignalExitsAtOnceWithStatus1) {
  Start();
  UnreadCall call(address());
  program().Signal(SIGTERM);
  EXPECT_THAT(CallUntilRefused(address()),
              StatusIs(absl::StatusCode::kUnavailable));
  program().Signal(SIGTERM);
  EXPECT_EQ(program().Wait(), 1);
}

}  // namespace
}  // namespace scatterd::test
