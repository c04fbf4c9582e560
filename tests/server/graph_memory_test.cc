// Graphs through the dispatcher: whose memory an edge is, and limits.

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "core/errors.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/server/graph_fixture.h"
#include "tests/testing/graph_literals.h"
#include "tests/testing/status_matchers.h"
#include "tests/testing/tensor_literals.h"
#include "tests/testing/tensor_matchers.h"

namespace scatterd::test {
namespace {

using ::testing::HasSubstr;
using ::testing::SizeIs;

// --- Whose memory an edge is ------------------------------------------------

// e0 -> e1 -> ... -> en, each of 4096 bytes.
GraphCall Chain(int n, const std::string& op_type) {
  std::vector<GraphNode> nodes;
  for (int i = 0; i < n; ++i) {
    std::vector<std::string> inputs = {absl::StrCat("e", i), "i"};
    if (op_type != "Gather") inputs.push_back("u");
    nodes.push_back(Node(op_type, inputs, absl::StrCat("e", i + 1)));
  }
  const Tensor i =
      op_type == "ScatterND" ? Indices({1, 1}, {3}) : Iota<int64_t>({1024});
  std::map<std::string, Operand> feeds = {{"e0", Iota<float>({1024})},
                                          {"i", i}};
  if (op_type != "Gather") feeds["u"] = TensorOf<float>({1}, {7});
  return CallOf(std::move(nodes), std::move(feeds), {absl::StrCat("e", n)});
}

TEST_F(DispatcherGraphTest, EdgesAreReleasedAfterTheirLastUse) {
  constexpr uint64_t kEdge = 4096, kIndices = 8192;
  EXPECT_THAT(*Output(Chain(100, "Gather")), EqualsTensor(Iota<float>({1024})));
  EXPECT_EQ(backend_.runs, 100);
  EXPECT_EQ(backend_.most_bytes, kIndices + 2 * kEdge);
  EXPECT_EQ(ticket_.bytes(), kEdge) << "what is left is the output";
}

TEST_F(DispatcherGraphTest, ScattersWorkInTheBufferOfTheEdgeThatEnds) {
  const auto output = Output(Chain(100, "ScatterND"));
  ASSERT_THAT(output, IsOk());
  EXPECT_EQ(output->values<float>()[3], 7);
  EXPECT_EQ(backend_.in_place, 100);
  EXPECT_EQ(backend_.most_bytes, 4096 + 8 + 4u);
  EXPECT_EQ(ticket_.bytes(), 4096u);
}

TEST_F(DispatcherGraphTest, ScatterLeavesAnEdgeThatIsReadLater) {
  GraphCall call = SmallGraph();
  call.graph.nodes.push_back(Node("Gather", {"x", "j"}, "w"));
  call.fetches = {"y", "w"};
  const auto result = Dispatch(std::move(call));
  ASSERT_THAT(result, IsOk());
  EXPECT_THAT(result->outputs[0],
              EqualsTensor(TensorOf<float>({4}, {1, 8, 3, 9})));
  EXPECT_THAT(result->outputs[1],
              EqualsTensor(TensorOf<float>({3}, {4, 1, 2})));
  EXPECT_EQ(backend_.in_place, 0);
}

TEST_F(DispatcherGraphTest, ScatterLeavesAnEdgeThatIsFetched) {
  GraphCall call = SmallGraph();
  call.fetches = {"y", "x"};
  const auto result = Dispatch(std::move(call));
  ASSERT_THAT(result, IsOk());
  EXPECT_THAT(result->outputs[1],
              EqualsTensor(TensorOf<float>({4}, {1, 2, 3, 4})));
}

TEST_F(DispatcherGraphTest, ScatterLeavesAnEdgeThatIdentityHasTwice) {
  GraphCall call = SmallGraph();
  call.graph.nodes.push_back(Node("Identity", {"x"}, "same"));
  call.fetches = {"y", "same"};
  const auto result = Dispatch(std::move(call));
  ASSERT_THAT(result, IsOk());
  EXPECT_THAT(result->outputs[1],
              EqualsTensor(TensorOf<float>({4}, {1, 2, 3, 4})));
}

TEST_F(DispatcherGraphTest, ScatterOfAnEdgeOntoItselfReadsBeforeItWrites) {
  GraphCall call = CallOf({Node("ScatterElements", {"x", "x", "x"}, "y")},
                          {{"x", Indices({3}, {2, 0, 1})}}, {"y"});
  EXPECT_THAT(*Output(std::move(call)), EqualsTensor(Indices({3}, {0, 1, 2})));
}

TEST_F(DispatcherGraphTest, ScatterLeavesDataThatSomebodyElseHolds) {
  GraphCall call = SmallGraph();
  const Tensor held = std::get<Tensor>(call.feeds["x"]);
  ASSERT_THAT(Dispatch(std::move(call)), IsOk());
  EXPECT_THAT(held, EqualsTensor(TensorOf<float>({4}, {1, 2, 3, 4})));
}

TEST_F(DispatcherGraphTest, ZerosAreMadeOnlyWhereTheyAreRead) {
  GraphCall call = SmallGraph();
  call.feeds["x"] = ZerosSpec{{DType::kFloat, {4}}};
  call.fetches = {"y"};
  EXPECT_THAT(*Output(call), EqualsTensor(TensorOf<float>({4}, {0, 8, 0, 9})));
  call.fetches = {"x"};
  EXPECT_THAT(*Output(call), EqualsTensor(TensorOf<float>({4}, {0, 0, 0, 0})));
  call = CallOf({Node("Gather", {"x", "i"}, "y")},
                {{"x", ZerosSpec{{DType::kFloat, {4}}}},
                 {"i", ZerosSpec{{DType::kInt64, {1}}}}},
                {"y"});
  EXPECT_THAT(*Output(call), EqualsTensor(TensorOf<float>({1}, {0})));
  EXPECT_EQ(ticket_.bytes(), 4u);
}

// --- Limits -----------------------------------------------------------------

TEST_F(DispatcherGraphTest, EveryEdgeIsHeldToTheLimitBeforeAnythingRuns) {
  max_output_bytes_ = 15;
  GraphCall call = SmallGraph();
  call.fetches = {"z"};
  EXPECT_THAT(Dispatch(call),
              StatusIs(absl::StatusCode::kResourceExhausted,
                       HasSubstr("run: node 'scatter1' (ScatterND): "
                                 "--max_output_bytes would be exceeded "
                                 "(16 vs 15)")));
  EXPECT_EQ(backend_.runs, 0);
}

TEST_F(DispatcherGraphTest, FetchesAreHeldToTheLimitTogether) {
  max_output_bytes_ = 27;
  EXPECT_THAT(Dispatch(SmallGraph()),
              StatusIs(absl::StatusCode::kResourceExhausted,
                       HasSubstr("--max_output_bytes would be exceeded "
                                 "(28 vs 27)")));
  EXPECT_EQ(backend_.runs, 0);
  max_output_bytes_ = 28;
  EXPECT_THAT(Dispatch(SmallGraph()), IsOk());
}

TEST_F(DispatcherGraphTest, TerabytesOfZerosAreRefusedBeforeTheyAreMade) {
  GraphCall call = SmallGraph();
  call.graph.inputs.push_back({.name = "big"});
  call.graph.nodes.push_back(Node("Gather", {"big", "j"}, "w"));
  call.feeds["big"] = ZerosSpec{{DType::kFloat, {int64_t{1} << 40}}};
  call.fetches = {"w"};
  EXPECT_THAT(Dispatch(call), StatusIs(absl::StatusCode::kResourceExhausted,
                                       HasSubstr("--max_inflight_bytes")));
  call.fetches = {"big"};
  EXPECT_THAT(Dispatch(call), StatusIs(absl::StatusCode::kResourceExhausted,
                                       HasSubstr("--max_output_bytes")));
  EXPECT_EQ(backend_.runs, 0);
}

TEST_F(DispatcherGraphTest, StringsThatDoubleInEveryStepAreStopped) {
  // s -> s+s -> ..., which has 2^60 bytes in the end.
  std::vector<GraphNode> nodes;
  for (int i = 0; i < 60; ++i) {
    const std::string edge = absl::StrCat("s", i);
    nodes.push_back(Node("ScatterND", {edge, "i", edge},
                         absl::StrCat("s", i + 1),
                         {{"reduction", std::string("add")}}));
  }
  max_output_bytes_ = 1000;
  const GraphCall call = CallOf(
      std::move(nodes),
      {{"s0", Strings({1}, {"a"})}, {"i", Indices({1, 1}, {0})}}, {"s60"});
  EXPECT_THAT(Dispatch(call), StatusIs(absl::StatusCode::kResourceExhausted,
                                       HasSubstr("--max_output_bytes would be "
                                                 "exceeded (1024 vs 1000)")));
  EXPECT_EQ(backend_.runs, 9);
  max_output_bytes_ = uint64_t{1} << 40;
  EXPECT_THAT(Dispatch(call), StatusIs(absl::StatusCode::kResourceExhausted,
                                       HasSubstr("--max_inflight_bytes")));
}

TEST_F(DispatcherGraphTest, SharedStringsAreKeptOnceForEachStep) {
  // Doubling the list of what is kept alive would take 2^60 entries.
  std::vector<GraphNode> nodes;
  for (int i = 0; i < 60; ++i) {
    const std::string edge = absl::StrCat("s", i);
    nodes.push_back(
        Node("ScatterND", {edge, "i", edge}, absl::StrCat("s", i + 1)));
  }
  const auto output = Output(CallOf(
      std::move(nodes),
      {{"s0", Strings({1}, {"a"})}, {"i", Indices({1, 1}, {0})}}, {"s60"}));
  ASSERT_THAT(output, IsOk());
  EXPECT_THAT(*output, EqualsTensor(Strings({1}, {"a"})));
  EXPECT_THAT(output->blobs(), SizeIs(1));
}

// --- Cancellation ----------------------------------------------------------

TEST_F(DispatcherGraphTest, CancellationStopsBetweenSteps) {
  backend_.before_run = [this] {
    if (backend_.runs == 3) cancellation_.Cancel();
    return absl::OkStatus();
  };
  EXPECT_THAT(Dispatch(Chain(100, "Gather")),
              StatusIs(absl::StatusCode::kCancelled));
  EXPECT_EQ(backend_.runs, 3);
}

}  // namespace
}  // namespace scatterd::test
