// scatterctl run, against a server that answers as the test says.

#include <fstream>
#include <optional>
#include <sstream>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "client/ctl/scatterctl.h"
#include "client/ctl/tensor_file.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "proto/graph_codec.h"
#include "tests/client/stub_server.h"
#include "tests/testing/graph_literals.h"
#include "tests/testing/status_matchers.h"
#include "tests/testing/tensor_literals.h"
#include "tests/testing/tensor_matchers.h"

namespace scatterd::test {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::StartsWith;

struct Outcome {
  int exit_status;
  std::string out;
  std::string err;
};

class ScatterctlRunTest : public ::testing::Test {
 protected:
  ScatterctlRunTest()
      : server_([this](const StubRequest& request) -> StubReply {
          EXPECT_EQ(request.method, "/scatterd.v1.TensorOps/Run");
          if (!status_.ok()) return status_;
          const absl::string_view piece = request.body;
          call_ = *DecodeGraphCall({&piece, 1}, ReserveAnything);
          return EncodeGraphResult(reply_);
        }),
        folder_(MakeTemporaryFolder()) {
    Graph graph;
    graph.nodes = {Node("Gather", {"x", "i"}, "y")};
    graph.inputs = {{.name = "x", .dtype = DType::kFloat16}, {.name = "i"}};
    graph.outputs = {{.name = "y"}};
    WriteModel(graph);
    reply_.outputs = {Named("y", Indices({2}, {7, 8}))};
  }
  ~ScatterctlRunTest() override { RemoveFolder(folder_); }

  // A ModelProto: a RunRequest with a graph only, whose field has number 7.
  void WriteModel(const Graph& graph) {
    std::string bytes = EncodeGraphCall({.graph = graph})->Flatten();
    bytes[0] = 7 << 3 | 2;
    std::ofstream(Path("model.onnx"), std::ios::binary) << bytes;
  }

  std::string Path(const std::string& name) const {
    return absl::StrCat(folder_, "/", name);
  }

  Outcome Run(const std::vector<std::string>& arguments) {
    const std::string model = Path("model.onnx");
    std::vector<const char*> argv = {"scatterctl", "--address",
                                     server_.address().c_str(), "run",
                                     model.c_str()};
    for (const std::string& argument : arguments) {
      argv.push_back(argument.c_str());
    }
    std::ostringstream out, err;
    const int status =
        RunScatterctl(static_cast<int>(argv.size()), argv.data(), out, err);
    return {status, out.str(), err.str()};
  }

  void ExpectUsageError(const std::vector<std::string>& arguments,
                        const std::string& what) {
    const Outcome outcome = Run(arguments);
    EXPECT_EQ(outcome.exit_status, 2);
    EXPECT_THAT(outcome.err,
                AllOf(StartsWith("scatterctl: "), HasSubstr(what)));
    EXPECT_THAT(outcome.out, IsEmpty());
  }

  GraphResult reply_;
  absl::Status status_;
  GraphCall call_;
  StubServer server_;
  std::string folder_;
};

TEST_F(ScatterctlRunTest, SendsTheModelAndPrintsItsOutput) {
  const Outcome outcome = Run({"--feed", "x=[1,2]", "--feed", "i=[[1]]"});
  EXPECT_EQ(outcome.exit_status, 0);
  EXPECT_EQ(outcome.out, "[7, 8]\n");
  EXPECT_THAT(outcome.err, IsEmpty());
  ASSERT_EQ(call_.graph.nodes.size(), 1u);
  EXPECT_EQ(call_.graph.nodes[0].op_type, "Gather");
  EXPECT_THAT(call_.fetches, ElementsAre("y"));
  EXPECT_THAT(std::get<Tensor>(call_.feeds.at("x")),
              EqualsTensor(Halves<Float16>({2}, {1, 2})))
      << "read as what the model declares";
  EXPECT_THAT(std::get<Tensor>(call_.feeds.at("i")),
              EqualsTensor(Indices({1, 1}, {1})));
}

TEST_F(ScatterctlRunTest, ZerosDoNotTravel) {
  ASSERT_EQ(
      Run({"--zeros", "x=float16[1000,1000]", "--feed", "i=[1]"}).exit_status,
      0);
  EXPECT_EQ(std::get<ZerosSpec>(call_.feeds.at("x")).spec,
            (TensorSpec{DType::kFloat16, {1000, 1000}}));
}

TEST_F(ScatterctlRunTest, OptionsHoldForTheWholeGraph) {
  ASSERT_EQ(Run({"--feed", "x=[1]", "--feed", "i=[0]", "--dialect", "numpy",
                 "--duplicates", "first_wins", "--fill-value", "-1.5"})
                .exit_status,
            0);
  EXPECT_EQ(call_.options.dialect, Dialect::kNumpy);
  EXPECT_EQ(call_.options.duplicates, Duplicates::kFirstWins);
  EXPECT_THAT(*call_.options.fill_value,
              EqualsTensor(TensorOf<float>({}, {-1.5})));
}

TEST_F(ScatterctlRunTest, SeveralResultsArePrintedWithNames) {
  reply_.outputs = {Named("x", TensorOf<float>({}, {1})),
                    Named("y", Indices({2}, {7, 8}))};
  const Outcome outcome = Run(
      {"--feed", "x=[1]", "--feed", "i=[0]", "--fetch", "x", "--fetch", "y"});
  EXPECT_EQ(outcome.out, "x:\n1.0\ny:\n[7, 8]\n");
  EXPECT_THAT(call_.fetches, ElementsAre("x", "y"));
}

TEST_F(ScatterctlRunTest, ResultsGoToTheirFiles) {
  reply_.outputs = {Named("x", TensorOf<float>({}, {1})),
                    Named("y", Indices({2}, {7, 8}))};
  const Outcome outcome =
      Run({"--feed", "x=[1]", "--feed", "i=[0]", "--fetch", "x", "--fetch", "y",
           "-o", absl::StrCat("y=", Path("y.npy"))});
  EXPECT_EQ(outcome.exit_status, 0);
  EXPECT_EQ(outcome.out, "x:\n1.0\n");
  EXPECT_THAT(ReadTensor(Path("y.npy"), std::nullopt),
              IsOkAndHolds(EqualsTensor(reply_.outputs[1])));
}

TEST_F(ScatterctlRunTest, TheOnlyResultNeedsNoName) {
  reply_.outputs = {Indices({2}, {7, 8})};
  const Outcome outcome =
      Run({"--feed", "x=[1]", "--feed", "i=[0]", "-o", Path("out.pb")});
  EXPECT_EQ(outcome.exit_status, 0);
  EXPECT_THAT(outcome.out, IsEmpty());
  EXPECT_THAT(ReadTensor(Path("out.pb"), std::nullopt),
              IsOkAndHolds(EqualsTensor(reply_.outputs[0])));
}

TEST_F(ScatterctlRunTest, RefusalsArePrinted) {
  status_ = absl::InvalidArgumentError("run: C7: input 'i' is not fed");
  const Outcome outcome = Run({"--feed", "x=[1]"});
  EXPECT_EQ(outcome.exit_status, 1);
  EXPECT_EQ(outcome.err, "INVALID_ARGUMENT: run: C7: input 'i' is not fed\n");
}

TEST_F(ScatterctlRunTest, WrongCommandLinesNameTheFlag) {
  ExpectUsageError({"--feed", "x"}, "--feed: \"x\" is not like NAME=...");
  ExpectUsageError({"--feed", "=[1]"}, "--feed: \"=[1]\" is not like NAME=...");
  ExpectUsageError({"--feed", "x=[1,"}, "--feed x: ");
  ExpectUsageError({"--feed", "x=nowhere.npy"}, "--feed x: nowhere.npy");
  ExpectUsageError({"--zeros", "x=float99[1]"}, "--zeros x: ");
  ExpectUsageError({"--feed", "x=[1]", "--feed", "x=[1]"}, "x is fed twice");
  ExpectUsageError({"--feed", "x=[1]", "-o", "y=result.txt"},
                   "--output: result.txt");
  ExpectUsageError({"--fetch", "a", "--fetch", "b", "-o", "c=c.npy"},
                   "--output: \"c=c.npy\" is not like NAME=FILE");
}

TEST_F(ScatterctlRunTest, FilesThatAreNoModelsAreNamed) {
  std::ofstream(Path("model.onnx")) << "no model";
  ExpectUsageError({}, "model.onnx: model: C0: ");
  RemoveFolder(folder_);
  ExpectUsageError({}, "model.onnx: No such file");
}

}  // namespace
}  // namespace scatterd::test
