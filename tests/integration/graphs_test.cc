// Graphs through a real server.

#include <future>
#include <map>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "core/errors.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "scatterd/client.h"
#include "tests/integration/server_under_test.h"
#include "tests/testing/graph_literals.h"
#include "tests/testing/random_graphs.h"
#include "tests/testing/status_matchers.h"
#include "tests/testing/tensor_literals.h"
#include "tests/testing/tensor_matchers.h"

namespace scatterd::test {
namespace {

using ::testing::HasSubstr;
using ::testing::SizeIs;

TEST(Graphs, GiveTheBitsOfTheirNodesOneByOne) {
  for (uint64_t seed = 100000; seed < 100200; ++seed) {
    SCOPED_TRACE(testing::Message() << "seed " << seed);
    const GraphCall call = RandomGraph(seed, /*max_nodes=*/8);
    const std::map<std::string, Tensor> expected =
        RunNodeByNode(call, [](const OperatorCall& one) {
          const auto result = CallServer(one);
          EXPECT_THAT(result, IsOk());
          return result.ok() ? *result->output : Tensor();
        });
    const auto result = RunOnServer(call);
    ASSERT_THAT(result, IsOk());
    ASSERT_THAT(result->outputs, SizeIs(call.fetches.size()));
    for (size_t i = 0; i < call.fetches.size(); ++i) {
      EXPECT_EQ(result->outputs[i].name(), call.fetches[i]);
      EXPECT_THAT(result->outputs[i],
                  EqualsTensor(expected.at(call.fetches[i])));
    }
  }
}

GraphCall SmallGraph() {
  return CallOf({Node("ScatterND", {"x", "i", "u"}, "y")},
                {{"x", TensorOf<float>({4}, {1, 2, 3, 4})},
                 {"i", Indices({2, 1}, {3, 1})},
                 {"u", TensorOf<float>({2}, {9, 8})}},
                {"y"});
}

TEST(Graphs, AreRunWithoutWaitingToo) {
  auto client = Client::Create(ServerAddress());
  ASSERT_THAT(client, IsOk());
  std::vector<std::future<absl::StatusOr<GraphResult>>> futures;
  for (int i = 0; i < 20; ++i) {
    futures.push_back((*client)->RunFuture(SmallGraph()));
  }
  for (auto& future : futures) {
    const absl::StatusOr<GraphResult> result = future.get();
    ASSERT_THAT(result, IsOk());
    EXPECT_THAT(result->outputs[0],
                EqualsTensor(TensorOf<float>({4}, {1, 8, 3, 9})));
    EXPECT_EQ(result->stats.device, "cpu");
  }
}

TEST(Graphs, ErrorsArriveWithNodeAndField) {
  GraphCall call = SmallGraph();
  call.graph.nodes[0].name = "scatter1";
  call.feeds["u"] = TensorOf<float>({1}, {9});
  const auto result = RunOnServer(call);
  EXPECT_THAT(result, StatusIs(absl::StatusCode::kInvalidArgument,
                               HasSubstr("run: node 'scatter1' (ScatterND): "
                                         "scatter_nd: C8: updates")));
  EXPECT_EQ(GetPayload(result.status(), kFieldPayload),
            "graph.node[0].input[2]");
  call.graph.nodes[0].op_type = "Relu";
  EXPECT_THAT(RunOnServer(call), StatusIs(absl::StatusCode::kUnimplemented,
                                          HasSubstr("node 'scatter1' (Relu)")));
}

TEST(Graphs, LargeTensorsGoThroughUnchanged) {
  // 8 MiB through four nodes, as one message each way.
  constexpr int64_t kRows = 1 << 15;
  std::vector<int64_t> reversed(kRows);
  for (int64_t i = 0; i < kRows; ++i) reversed[i] = kRows - 1 - i;
  GraphCall call =
      CallOf({Node("Gather", {"x", "r"}, "a"), Node("Identity", {"a"}, "b"),
              Node("Gather", {"b", "r"}, "c"),
              Node("ScatterND", {"c", "i", "u"}, "d",
                   {{"reduction", std::string("add")}})},
             {{"x", Iota<float>({kRows, 64})},
              {"r", Indices({kRows}, reversed)},
              {"i", Indices({1, 1}, {5})},
              {"u", Full<float>({1, 64}, 1)}},
             {"d"});
  const auto result = RunOnServer(call);
  ASSERT_THAT(result, IsOk());
  std::vector<float> expected(kRows * 64);
  for (size_t i = 0; i < expected.size(); ++i) {
    expected[i] = static_cast<float>(i) + (i / 64 == 5 ? 1 : 0);
  }
  EXPECT_THAT(result->outputs[0],
              EqualsTensor(TensorOf<float>({kRows, 64}, expected)));
}

TEST(Graphs, ManyNodesAreRunOffThePollingThread) {
  std::vector<GraphNode> nodes;
  constexpr int kNodes = 20000;
  for (int i = 0; i < kNodes; ++i) {
    nodes.push_back(
        Node("Gather", {absl::StrCat("e", i), "i"}, absl::StrCat("e", i + 1)));
  }
  const auto result = RunOnServer(CallOf(
      std::move(nodes),
      {{"e0", TensorOf<float>({2}, {1, 2})}, {"i", Indices({2}, {1, 0})}},
      {absl::StrCat("e", kNodes)}));
  ASSERT_THAT(result, IsOk());
  EXPECT_THAT(result->outputs[0], EqualsTensor(TensorOf<float>({2}, {1, 2})));
}

}  // namespace
}  // namespace scatterd::test
