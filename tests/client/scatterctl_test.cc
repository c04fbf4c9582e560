#include "client/ctl/scatterctl.h"

#include <algorithm>
#include <fstream>
#include <initializer_list>
#include <sstream>
#include <string>
#include <variant>
#include <vector>

#include "absl/strings/str_cat.h"
#include "client/ctl/enum_names.h"
#include "client/ctl/tensor_file.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/client/stub_server.h"
#include "tests/testing/status_matchers.h"
#include "tests/testing/tensor_literals.h"
#include "tests/testing/tensor_matchers.h"

namespace scatterd {
namespace {

using ::scatterd::test::DecodeRequest;
using ::scatterd::test::EqualsTensor;
using ::scatterd::test::Halves;
using ::scatterd::test::Indices;
using ::scatterd::test::IsOk;
using ::scatterd::test::IsOkAndHolds;
using ::scatterd::test::StubReply;
using ::scatterd::test::StubRequest;
using ::scatterd::test::StubServer;
using ::scatterd::test::TensorOf;
using ::testing::AllOf;
using ::testing::ContainsRegex;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::StartsWith;

struct Outcome {
  int exit_status;
  std::string out;
  std::string err;
};

Outcome RunProgram(const std::vector<std::string>& arguments) {
  std::vector<const char*> argv = {"scatterctl"};
  for (const std::string& argument : arguments) {
    argv.push_back(argument.c_str());
  }
  std::ostringstream out, err;
  const int exit_status =
      RunScatterctl(static_cast<int>(argv.size()), argv.data(), out, err);
  return {exit_status, out.str(), err.str()};
}

// Refused before anything is sent: one line that names what is at fault.
void ExpectUsageError(const std::vector<std::string>& arguments,
                      const std::string& names) {
  const Outcome outcome = RunProgram(arguments);
  EXPECT_EQ(outcome.exit_status, 2);
  EXPECT_THAT(outcome.out, IsEmpty());
  EXPECT_THAT(outcome.err, AllOf(StartsWith("scatterctl: "), HasSubstr(names)));
  EXPECT_EQ(std::count(outcome.err.begin(), outcome.err.end(), '\n'), 1);
}

// A server that keeps the last call and answers with a fixed tensor or status.
class ScatterctlTest : public testing::Test {
 protected:
  ScatterctlTest()
      : server_([this](const StubRequest& request) -> StubReply {
          if (!status_.ok()) return status_;
          call_ = DecodeRequest(request);
          return test::ReplyWith(reply_);
        }),
        folder_(test::MakeTemporaryFolder()) {}
  ~ScatterctlTest() override { test::RemoveFolder(folder_); }

  Outcome RunWithServer(std::vector<std::string> arguments) {
    arguments.insert(arguments.end(), {"--address", server_.address()});
    return RunProgram(arguments);
  }

  std::string Path(const std::string& name) const {
    return absl::StrCat(folder_, "/", name);
  }

  Tensor reply_ = Indices({2}, {7, 8});
  absl::Status status_;
  OperatorCall call_;
  StubServer server_;
  std::string folder_;
};

TEST_F(ScatterctlTest, PrintsTheResultAsALiteral) {
  const Outcome outcome =
      RunWithServer({"gather", "--data", "[1,2]", "--indices", "[0]"});
  EXPECT_EQ(outcome.exit_status, 0);
  EXPECT_EQ(outcome.out, "[7, 8]\n");
  EXPECT_THAT(outcome.err, IsEmpty());
}

TEST_F(ScatterctlTest, SendsOperandsAndAttributes) {
  ASSERT_EQ(RunWithServer({"scatter-elements", "--data", "[[1.0,2.5]]",
                           "--indices", "[[1]]", "--updates", "[[9]]", "--axis",
                           "-1", "--reduction", "mean", "--exclude-self"})
                .exit_status,
            0);
  EXPECT_EQ(call_.op, OperatorId::kScatterElements);
  EXPECT_THAT(std::get<Tensor>(call_.data),
              EqualsTensor(TensorOf<float>({1, 2}, {1, 2.5})));
  EXPECT_THAT(std::get<Tensor>(call_.indices),
              EqualsTensor(Indices({1, 1}, {1})));
  // Written as an integer, but updates take data's dtype.
  EXPECT_THAT(std::get<Tensor>(call_.updates),
              EqualsTensor(TensorOf<float>({1, 1}, {9})));
  EXPECT_EQ(call_.attributes.axis, -1);
  EXPECT_EQ(call_.attributes.reduction, Reduction::kMean);
  EXPECT_TRUE(call_.attributes.exclude_self);
}

TEST_F(ScatterctlTest, SendsEveryOption) {
  ASSERT_EQ(RunWithServer({"scatter-nd",
                           "--zeros",
                           "float16[4]",
                           "--indices",
                           "[[0]]",
                           "--updates",
                           "[1]",
                           "--batch-dims",
                           "0",
                           "--dialect",
                           "onnx",
                           "--out-of-bounds",
                           "wrap",
                           "--negative-indices",
                           "out_of_bounds",
                           "--duplicates",
                           "reject",
                           "--nan",
                           "ignore",
                           "--accumulation",
                           "wide",
                           "--device",
                           "cpu",
                           "--indices-dtype",
                           "int32"})
                .exit_status,
            0);
  EXPECT_EQ(std::get<ZerosSpec>(call_.data).spec,
            (TensorSpec{DType::kFloat16, {4}}));
  EXPECT_EQ(std::get<Tensor>(call_.indices).dtype(), DType::kInt32);
  EXPECT_EQ(std::get<Tensor>(call_.updates).dtype(), DType::kFloat16);
  EXPECT_EQ(call_.options.dialect, Dialect::kOnnx);
  EXPECT_EQ(call_.options.out_of_bounds, OutOfBounds::kWrap);
  EXPECT_EQ(call_.options.negative_indices, NegativeIndices::kOutOfBounds);
  EXPECT_EQ(call_.options.duplicates, Duplicates::kReject);
  EXPECT_EQ(call_.options.nan, NanPolicy::kIgnore);
  EXPECT_EQ(call_.options.accumulation, Accumulation::kWide);
  EXPECT_EQ(call_.options.device, "cpu");
}

TEST_F(ScatterctlTest, WhatIsNotGivenIsNotSet) {
  ASSERT_EQ(RunWithServer({"gather", "--data", "[1]", "--indices", "[0]"})
                .exit_status,
            0);
  EXPECT_FALSE(call_.options.dialect);
  EXPECT_FALSE(call_.options.out_of_bounds);
  EXPECT_FALSE(call_.options.fill_value);
  EXPECT_EQ(call_.attributes.axis, 0);
}

TEST_F(ScatterctlTest, FillValueTakesDatasDType) {
  ASSERT_EQ(RunWithServer({"gather", "--data", "[1,2]", "--dtype", "int8",
                           "--indices", "[5]", "--out-of-bounds", "skip",
                           "--fill-value", "-1"})
                .exit_status,
            0);
  ASSERT_TRUE(call_.options.fill_value);
  EXPECT_THAT(*call_.options.fill_value,
              EqualsTensor(TensorOf<int8_t>({}, {-1})));
}

TEST_F(ScatterctlTest, ReadsAndWritesFiles) {
  const Tensor data = Halves<Float16>({2}, {1, 2});
  ASSERT_THAT(WriteTensor(data, Path("data.npy")), IsOk());
  const Tensor indices = Indices({1}, {1});
  ASSERT_THAT(WriteTensor(indices, Path("indices.pb")), IsOk());
  for (const char* name : {"out.npy", "out.pb"}) {
    SCOPED_TRACE(name);
    const Outcome outcome =
        RunWithServer({"gather", "--data", Path("data.npy"), "--indices",
                       Path("indices.pb"), "-o", Path(name)});
    EXPECT_EQ(outcome.exit_status, 0);
    EXPECT_THAT(outcome.out, IsEmpty());
    EXPECT_THAT(std::get<Tensor>(call_.data), EqualsTensor(data));
    EXPECT_THAT(std::get<Tensor>(call_.indices), EqualsTensor(indices));
    EXPECT_THAT(ReadTensor(Path(name), std::nullopt),
                IsOkAndHolds(EqualsTensor(reply_)));
  }
}

TEST_F(ScatterctlTest, ABfloat16ResultNeedsAPbFile) {
  reply_ = Halves<BFloat16>({1}, {1});
  const std::vector<std::string> command = {"gather",    "--data", "[1]",
                                            "--indices", "[0]",    "-o"};
  std::vector<std::string> to_npy = command, to_pb = command;
  to_npy.push_back(Path("out.npy"));
  to_pb.push_back(Path("out.pb"));
  const Outcome npy = RunWithServer(to_npy);
  EXPECT_EQ(npy.exit_status, 2);
  EXPECT_THAT(npy.err, AllOf(HasSubstr("--output"), HasSubstr(".pb")));
  EXPECT_EQ(RunWithServer(to_pb).exit_status, 0);
  EXPECT_THAT(ReadTensor(Path("out.pb"), std::nullopt),
              IsOkAndHolds(EqualsTensor(reply_)));
}

TEST_F(ScatterctlTest, PrintsCodeAndMessageWhenTheServerSaysNo) {
  status_ = absl::OutOfRangeError("gather: C4: index 9 (9 vs 2)");
  const Outcome outcome =
      RunWithServer({"gather", "--data", "[1,2]", "--indices", "[9]"});
  EXPECT_EQ(outcome.exit_status, 1);
  EXPECT_THAT(outcome.out, IsEmpty());
  EXPECT_EQ(outcome.err, "OUT_OF_RANGE: gather: C4: index 9 (9 vs 2)\n");
}

TEST_F(ScatterctlTest, StatsGoToStandardError) {
  const Outcome outcome =
      RunWithServer({"gather", "--data", "[1]", "--indices", "[0]", "--stats"});
  EXPECT_EQ(outcome.out, "[7, 8]\n");
  EXPECT_THAT(outcome.err, StartsWith("device stub, "));
}

TEST(ScatterctlHealth, ExitStatusTellsWhetherItServes) {
  std::string reply;
  StubServer server([&](const StubRequest&) -> StubReply {
    EncodedMessage message;
    message.Append(reply);
    return message;
  });
  reply = "\x08\x01";
  Outcome outcome = RunProgram({"health", "--address", server.address()});
  EXPECT_EQ(outcome.exit_status, 0);
  EXPECT_EQ(outcome.out, "SERVING\n");
  reply = "\x08\x02";
  outcome = RunProgram({"--address", server.address(), "health"});
  EXPECT_EQ(outcome.exit_status, 1);
  EXPECT_EQ(outcome.out, "NOT_SERVING\n");
}

TEST(ScatterctlHealth, NoServerIsNotServing) {
  const Outcome outcome =
      RunProgram({"health", "--address", "unix:/nonexistent/socket"});
  EXPECT_EQ(outcome.exit_status, 1);
  EXPECT_THAT(outcome.err, StartsWith("UNAVAILABLE: "));
}

TEST(Scatterctl, UsageErrorsNameTheArgument) {
  const std::vector<std::string> gather = {"gather", "--data", "[1]",
                                           "--indices", "[0]"};
  const auto with = [&gather](std::initializer_list<std::string> more) {
    std::vector<std::string> arguments = gather;
    arguments.insert(arguments.end(), more);
    return arguments;
  };
  ExpectUsageError({}, "command");
  ExpectUsageError({"bogus"}, "bogus");
  ExpectUsageError({"gather", "--data", "[1]"}, "--indices");
  ExpectUsageError({"gather", "--indices", "[0]"}, "--data");
  ExpectUsageError({"gather", "--data", "[1", "--indices", "[0]"},
                   "--data: literal: position 3");
  ExpectUsageError({"gather", "--data", "[1]", "--indices", "[0.5]"},
                   "--indices: literal: position 2");
  ExpectUsageError(
      {"gather", "--data", "/nonexistent/a.npy", "--indices", "[0]"},
      "--data: /nonexistent/a.npy");
  ExpectUsageError({"gather", "--zeros", "float99[1]", "--indices", "[0]"},
                   "--zeros: \"float99\" is no dtype");
  ExpectUsageError(with({"--zeros", "float32[1]"}), "--zeros");
  ExpectUsageError(with({"--dtype", "float99"}), "--dtype");
  ExpectUsageError(with({"--indices-dtype", "x"}), "--indices-dtype");
  ExpectUsageError(with({"--axis", "one"}), "--axis");
  ExpectUsageError(with({"--out-of-bounds", "explode"}), "--out-of-bounds");
  ExpectUsageError(with({"--fill-value", "abc"}), "--fill-value");
  ExpectUsageError(with({"--reduction", "add"}), "--reduction");
  ExpectUsageError(with({"-o", "out.txt"}), "--output: out.txt");
  ExpectUsageError(with({"--timeout", "soon"}), "--timeout");
  ExpectUsageError(with({"--timeout", "-1s"}), "--timeout");
  ExpectUsageError(with({"--address", "nowhere"}), "--address");
}

TEST(Scatterctl, AFileWithAnotherNameIsNoLiteral) {
  const std::string folder = test::MakeTemporaryFolder();
  const std::string path = folder + "/data.txt";
  std::ofstream(path) << "[1]";
  ExpectUsageError({"gather", "--data", path, "--indices", "[0]"},
                   "must be named .npy or .pb");
  test::RemoveFolder(folder);
}

TEST(Scatterctl, VersionAndHelpAreNoErrors) {
  const Outcome version = RunProgram({"--version"});
  EXPECT_EQ(version.exit_status, 0);
  EXPECT_THAT(version.out, ContainsRegex("^scatterctl [0-9]+\\.[0-9]+"));
  EXPECT_EQ(RunProgram({"--help"}).exit_status, 0);
}

TEST(Scatterctl, HelpOfEveryCommandHasAnExample) {
  for (const char* command : {"gather", "gather-elements", "gather-nd",
                              "scatter-elements", "scatter-nd", "health"}) {
    SCOPED_TRACE(command);
    const Outcome outcome = RunProgram({command, "--help"});
    EXPECT_EQ(outcome.exit_status, 0);
    EXPECT_THAT(outcome.out, HasSubstr(absl::StrCat("scatterctl ", command)));
    EXPECT_THAT(outcome.out, HasSubstr("Example"));
  }
}

TEST(EnumNames, EveryNameIsItsEnumerator) {
  EXPECT_EQ(FromName<Dialect>(DialectNames(), "tensorflow_gpu"),
            Dialect::kTensorflowGpu);
  EXPECT_EQ(FromName<Dialect>(DialectNames(), "numpy"), Dialect::kNumpy);
  EXPECT_EQ(FromName<OutOfBounds>(OutOfBoundsNames(), "error"),
            OutOfBounds::kError);
  EXPECT_EQ(FromName<OutOfBounds>(OutOfBoundsNames(), "wrap"),
            OutOfBounds::kWrap);
  EXPECT_EQ(FromName<Duplicates>(DuplicatesNames(), "first_wins"),
            Duplicates::kFirstWins);
  EXPECT_EQ(FromName<OutOfBounds>(OutOfBoundsNames(), "bogus"), std::nullopt);
}

}  // namespace
}  // namespace scatterd
