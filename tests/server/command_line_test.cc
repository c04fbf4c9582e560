#include "server/command_line.h"

#include <algorithm>
#include <cstdio>
#include <fstream>
#include <iterator>
#include <map>
#include <string>
#include <vector>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/testing/status_matchers.h"

namespace scatterd {
namespace {

using ::scatterd::test::IsOk;
using ::scatterd::test::StatusIs;
using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;

constexpr uint64_t kMemory = uint64_t{16} << 30;

class CommandLineTest : public ::testing::Test {
 protected:
  ~CommandLineTest() override { std::remove(file_.c_str()); }

  absl::StatusOr<CommandLine> Parse(std::vector<std::string> arguments,
                                    uint64_t memory = kMemory) {
    return ParseCommandLine(
        arguments,
        [this](const std::string& name) -> const char* {
          const auto found = environment_.find(name);
          return found == environment_.end() ? nullptr : found->second.c_str();
        },
        memory);
  }

  // Writes the file that `--config file()` names.
  void WriteFile(const std::string& text) { std::ofstream(file_) << text; }
  const std::string& file() const { return file_; }

  std::map<std::string, std::string> environment_;

 private:
  const std::string file_ = absl::StrCat(
      ::testing::TempDir(), "/command_line_test.",
      ::testing::UnitTest::GetInstance()->current_test_info()->name(), ".conf");
};

std::vector<std::string> Names(const std::vector<Listener>& listeners) {
  std::vector<std::string> names;
  for (const Listener& listener : listeners) {
    names.push_back(listener.ToString());
  }
  return names;
}

TEST_F(CommandLineTest, NothingGivenServesWithDefaults) {
  const auto parsed = Parse({});
  ASSERT_THAT(parsed, IsOk());
  EXPECT_EQ(parsed->action, Action::kServe);
  const ServerOptions& options = parsed->options;
  EXPECT_THAT(Names(options.listen), ElementsAre("0.0.0.0:50051"));
  EXPECT_GE(options.threads, 1);
  EXPECT_EQ(options.max_message_bytes, uint64_t{1} << 30);
  EXPECT_EQ(options.max_output_bytes, uint64_t{1} << 30);
  EXPECT_EQ(options.max_inflight_bytes, kMemory / 2);
  EXPECT_EQ(options.drain_seconds, 30);
  EXPECT_TRUE(options.malloc_tuning);
}

TEST_F(CommandLineTest, SmallMachineTakesSmallerMessages) {
  const auto parsed = Parse({}, uint64_t{256} << 20);
  ASSERT_THAT(parsed, IsOk());
  EXPECT_EQ(parsed->options.max_inflight_bytes, uint64_t{128} << 20);
  EXPECT_EQ(parsed->options.max_message_bytes, uint64_t{64} << 20);
  EXPECT_EQ(parsed->options.max_output_bytes, uint64_t{64} << 20);
}

TEST_F(CommandLineTest, OutputLimitFollowsTheMessageLimit) {
  const auto parsed = Parse({"--max_message_bytes=3MiB"});
  ASSERT_THAT(parsed, IsOk());
  EXPECT_EQ(parsed->options.max_output_bytes, uint64_t{3} << 20);
}

TEST_F(CommandLineTest, EveryFlagIsReadFromTheCommandLine) {
  const auto parsed = Parse(
      {"--listen", "[::1]:1,unix:/a b", "--listen=unix-abstract:c", "--threads",
       "3", "--pin_threads=on", "--isa=avx2", "--max_message_bytes", "1 MiB",
       "--max_output_bytes=2MiB", "--max_inflight_bytes=3MiB", "--max_queue=7",
       "--drain_seconds=0.5", "--log_level=debug", "--log_format=json",
       "--malloc_tuning=off"});
  ASSERT_THAT(parsed, IsOk());
  const ServerOptions& options = parsed->options;
  EXPECT_THAT(Names(options.listen),
              ElementsAre("[::1]:1", "unix:/a b", "unix-abstract:c"));
  EXPECT_EQ(options.threads, 3);
  EXPECT_EQ(options.pin_threads, Pinning::kOn);
  EXPECT_EQ(options.isa, InstructionSet::kAvx2);
  EXPECT_EQ(options.max_message_bytes, uint64_t{1} << 20);
  EXPECT_EQ(options.max_output_bytes, uint64_t{2} << 20);
  EXPECT_EQ(options.max_inflight_bytes, uint64_t{3} << 20);
  EXPECT_EQ(options.max_queue, 7);
  EXPECT_EQ(options.drain_seconds, 0.5);
  EXPECT_EQ(options.log_level, LogLevel::kDebug);
  EXPECT_EQ(options.log_format, LogFormat::kJson);
  EXPECT_FALSE(options.malloc_tuning);
}

TEST_F(CommandLineTest, ActionsAreFlagsWithoutValue) {
  EXPECT_EQ(Parse({"--help"})->action, Action::kHelp);
  EXPECT_EQ(Parse({"--version"})->action, Action::kPrintVersion);
  EXPECT_EQ(Parse({"--health_check"})->action, Action::kHealthCheck);
  const auto parsed = Parse({"--print_config", "--threads", "2"});
  ASSERT_THAT(parsed, IsOk());
  EXPECT_EQ(parsed->action, Action::kPrintConfig);
  EXPECT_EQ(parsed->options.threads, 2);
}

// --- Precedence -------------------------------------------------------------

TEST_F(CommandLineTest, FlagBeatsEnvironmentBeatsFileBeatsDefault) {
  WriteFile("max_queue = 1\nthreads = 11\nlog_level = warn\n");
  environment_ = {{"SCATTERD_MAX_QUEUE", "2"}, {"SCATTERD_THREADS", "22"}};
  const auto parsed = Parse({"--config", file(), "--max_queue=3"});
  ASSERT_THAT(parsed, IsOk());
  EXPECT_EQ(parsed->options.max_queue, 3) << "flag";
  EXPECT_EQ(parsed->options.threads, 22) << "environment";
  EXPECT_EQ(parsed->options.log_level, LogLevel::kWarn) << "file";
  EXPECT_EQ(parsed->options.log_format, LogFormat::kText) << "default";
}

TEST_F(CommandLineTest, StrongerListenersReplaceWeakerOnes) {
  WriteFile("listen = a:1\nlisten = b:2\n");
  environment_ = {{"SCATTERD_LISTEN", "c:3, d:4"}};
  EXPECT_THAT(Names(Parse({"--config", file()})->options.listen),
              ElementsAre("c:3", "d:4"));
  EXPECT_THAT(
      Names(Parse({"--config", file(), "--listen", "e:5"})->options.listen),
      ElementsAre("e:5"));
  environment_.clear();
  EXPECT_THAT(Names(Parse({"--config", file()})->options.listen),
              ElementsAre("a:1", "b:2"));
}

TEST_F(CommandLineTest, LastOfRepeatedFlagsCounts) {
  EXPECT_EQ(Parse({"--threads=2", "--threads=4"})->options.threads, 4);
}

TEST_F(CommandLineTest, EmptyEnvironmentVariableIsNone) {
  environment_ = {{"SCATTERD_THREADS", ""}};
  EXPECT_THAT(Parse({}), IsOk());
}

TEST_F(CommandLineTest, EnvironmentMayNameTheFile) {
  WriteFile("threads = 5");
  environment_ = {{"SCATTERD_CONFIG", file()}};
  EXPECT_EQ(Parse({})->options.threads, 5);
}

TEST_F(CommandLineTest, FileMayHaveCommentsAndBlankLines) {
  WriteFile(
      "# a comment\n\n  threads=6  # another\r\nlisten = unix-abstract:a#b\n");
  const auto parsed = Parse({"--config", file()});
  ASSERT_THAT(parsed, IsOk());
  EXPECT_EQ(parsed->options.threads, 6);
  EXPECT_THAT(Names(parsed->options.listen), ElementsAre("unix-abstract:a#b"));
}

// --- --print_config ---------------------------------------------------------

TEST_F(CommandLineTest, ConfigShowsEveryFlagWithValueAndSource) {
  WriteFile("max_queue = 9");
  environment_ = {{"SCATTERD_THREADS", "2"}};
  const auto parsed =
      Parse({"--config", file(), "--max_message_bytes=1048576"});
  ASSERT_THAT(parsed, IsOk());
  for (const Flag& flag : Flags()) {
    EXPECT_THAT(parsed->config, HasSubstr(absl::StrCat(flag.name, " = ")));
  }
  EXPECT_THAT(
      parsed->config,
      AllOf(
          ::testing::ContainsRegex("max_message_bytes = 1MiB +# command line"),
          ::testing::ContainsRegex(
              "threads = 2 +# environment variable SCATTERD_THREADS"),
          ::testing::ContainsRegex("max_queue = 9 +# file .*, line 1\n"),
          ::testing::ContainsRegex("drain_seconds = 30 +# default")));
}

TEST_F(CommandLineTest, ConfigReadsBackAsTheSameOptions) {
  const auto first = Parse(
      {"--listen=127.0.0.1:0,unix:/x y,unix-abstract:c", "--threads=3",
       "--pin_threads=off", "--isa=baseline", "--max_message_bytes=1000001",
       "--max_queue=7", "--drain_seconds=0.125", "--log_level=error",
       "--log_format=json", "--malloc_tuning=off"});
  ASSERT_THAT(first, IsOk());
  WriteFile(first->config);
  const auto second = Parse({"--config", file()}, /*memory=*/1 << 20);
  ASSERT_THAT(second, IsOk());
  for (const Flag& flag : Flags()) {
    EXPECT_EQ(flag.get(second->options), flag.get(first->options)) << flag.name;
  }
}

// --- What is refused --------------------------------------------------------

struct BadValue {
  const char* flag;
  const char* value;
  const char* expected;
};

const BadValue kBadValues[] = {
    {"listen", "localhost", "host:port"},
    {"listen", "a:1,,b:2", "host:port"},
    {"listen", "127.0.0.1:65536", "host:port"},
    {"threads", "-1", "an integer from 0 to 1024"},
    {"threads", "many", "an integer from 0 to 1024"},
    {"pin_threads", "yes", "auto or on or off"},
    {"isa", "sse9", "auto or baseline or avx2 or avx512"},
    {"max_message_bytes", "0", "a size from 1 to"},
    {"max_message_bytes", "2GiB", "a size from 1 to 2147483647"},
    {"max_output_bytes", "1.5MiB", "a size from 1 to 2147483647"},
    {"max_inflight_bytes", "lots", "a size from 1 to"},
    {"max_queue", "0", "an integer from 1 to 1000000"},
    {"drain_seconds", "-1", "a number from 0 to 86400"},
    {"drain_seconds", "30s", "a number from 0 to 86400"},
    {"log_level", "verbose", "debug or info or warn or error"},
    {"log_format", "xml", "text or json"},
    {"malloc_tuning", "1", "on or off"},
};

TEST_F(CommandLineTest, EveryFlagHasABadValueHere) {
  for (const Flag& flag : Flags()) {
    EXPECT_TRUE(std::any_of(std::begin(kBadValues), std::end(kBadValues),
                            [&](const BadValue& bad) {
                              return bad.flag == std::string(flag.name);
                            }))
        << flag.name;
  }
}

TEST_F(CommandLineTest, BadValueNamesFlagSourceAndValue) {
  for (const BadValue& bad : kBadValues) {
    SCOPED_TRACE(absl::StrCat(bad.flag, " = ", bad.value));
    const auto names_it = [&](const std::string& source) {
      return StatusIs(
          absl::StatusCode::kInvalidArgument,
          AllOf(HasSubstr(absl::StrCat("--", bad.flag, ": bad value \"",
                                       bad.value, "\" from ", source)),
                HasSubstr(bad.expected), Not(HasSubstr("\n"))));
    };
    const std::string variable =
        absl::StrCat("SCATTERD_", absl::AsciiStrToUpper(bad.flag));
    environment_.clear();
    EXPECT_THAT(Parse({absl::StrCat("--", bad.flag, "=", bad.value)}),
                names_it("command line"));
    EXPECT_THAT(Parse({absl::StrCat("--", bad.flag), bad.value}),
                names_it("command line"));
    WriteFile(absl::StrCat("\n", bad.flag, " = ", bad.value));
    EXPECT_THAT(Parse({"--config", file()}),
                names_it(absl::StrCat("file ", file(), ", line 2")));
    environment_[variable] = bad.value;
    EXPECT_THAT(Parse({}),
                names_it(absl::StrCat("environment variable ", variable)));
  }
}

TEST_F(CommandLineTest, LongAndMultilineValuesStayOnOneShortLine) {
  const std::string value = "a\nb" + std::string(100000, 'x');
  const auto parsed = Parse({"--log_level", value});
  EXPECT_THAT(parsed, StatusIs(absl::StatusCode::kInvalidArgument,
                               AllOf(Not(HasSubstr("\n")), HasSubstr("..."))));
  EXPECT_LT(parsed.status().message().size(), 300u);
}

TEST_F(CommandLineTest, UnknownFlagIsNamed) {
  const auto refuses = [](const std::string& flag) {
    return StatusIs(absl::StatusCode::kInvalidArgument,
                    HasSubstr(absl::StrCat("unknown flag \"", flag, "\"")));
  };
  EXPECT_THAT(Parse({"--data_dir=/x"}), refuses("--data_dir"));
  EXPECT_THAT(Parse({"--tls_cert", "x"}), refuses("--tls_cert"));
  EXPECT_THAT(Parse({"--thread"}), refuses("--thread"));
  WriteFile("threads = 1\nnope = 2");
  EXPECT_THAT(Parse({"--config", file()}),
              StatusIs(absl::StatusCode::kInvalidArgument,
                       AllOf(HasSubstr("line 2"), HasSubstr("\"nope\""))));
}

TEST_F(CommandLineTest, StrayArgumentIsNamed) {
  EXPECT_THAT(Parse({"serve"}), StatusIs(absl::StatusCode::kInvalidArgument,
                                         HasSubstr("\"serve\"")));
  EXPECT_THAT(Parse({"-v"}), StatusIs(absl::StatusCode::kInvalidArgument,
                                      HasSubstr("\"-v\"")));
}

TEST_F(CommandLineTest, MissingValueIsNamed) {
  EXPECT_THAT(Parse({"--threads"}), StatusIs(absl::StatusCode::kInvalidArgument,
                                             HasSubstr("--threads")));
}

TEST_F(CommandLineTest, LineThatIsNoAssignmentIsNamed) {
  WriteFile("threads = 1\n[server]\n");
  EXPECT_THAT(Parse({"--config", file()}),
              StatusIs(absl::StatusCode::kInvalidArgument,
                       AllOf(HasSubstr("line 2"), HasSubstr("[server]"))));
}

TEST_F(CommandLineTest, FileThatCannotBeReadIsNamed) {
  EXPECT_THAT(Parse({"--config", "/no/such/file"}),
              StatusIs(absl::StatusCode::kInvalidArgument,
                       AllOf(HasSubstr("--config"), HasSubstr("/no/such/file"),
                             HasSubstr("No such file"))));
  EXPECT_THAT(
      Parse({"--config", ::testing::TempDir()}),
      StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("--config")));
}

TEST(HelpText, NamesEveryFlagWithinAScreensWidth) {
  const std::string text = HelpText();
  for (const Flag& flag : Flags()) {
    EXPECT_THAT(text,
                HasSubstr(absl::StrCat("  --", flag.name, " ", flag.form)));
  }
  for (const char* name : {"--config FILE", "--print_config", "--version",
                           "--help", "--health_check", "Exit status"}) {
    EXPECT_THAT(text, HasSubstr(name));
  }
  for (const absl::string_view line : absl::StrSplit(text, '\n')) {
    EXPECT_LE(line.size(), 80u) << line;
  }
}

}  // namespace
}  // namespace scatterd
