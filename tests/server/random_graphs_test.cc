// Random graphs in one call and node by node: the same bits.

#include "tests/testing/random_graphs.h"

#include <cstdint>
#include <map>
#include <string>

#include "core/backends/cpu/cpu_backend.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "server/dispatcher.h"
#include "tests/testing/status_matchers.h"
#include "tests/testing/tensor_literals.h"
#include "tests/testing/tensor_matchers.h"

namespace scatterd {
namespace {

using ::scatterd::test::EqualsTensor;
using ::scatterd::test::IsOk;
using ::scatterd::test::RandomGraph;
using ::scatterd::test::RunNodeByNode;
using ::scatterd::test::ValueOrDie;

constexpr uint64_t kNumGraphs = 3000;
constexpr int kMaxNodes = 16;

// More than any of the graphs needs.
constexpr uint64_t kPlenty = uint64_t{1} << 30;

class RandomGraphs {
 public:
  absl::StatusOr<GraphResult> Run(GraphCall call) {
    Ticket ticket = *admission_.Acquire(kPlenty / 2);
    return dispatcher_.DispatchGraph(std::move(call), cancellation_, ticket, 0);
  }

  Tensor RunOne(const OperatorCall& call) {
    Ticket ticket = *admission_.Acquire(0);
    const auto result =
        dispatcher_.Dispatch(call, cancellation_, ticket, /*queue_ns=*/0);
    EXPECT_THAT(result, IsOk());
    return result.ok() ? *result->output : Tensor();
  }

 private:
  const std::unique_ptr<Backend> backend_ = MakeCpuBackend();
  ThreadPool pool_{2};
  Admission admission_{kPlenty};
  Cancellation cancellation_;
  const Dispatcher dispatcher_{*backend_, pool_, {kPlenty}};
};

TEST(RandomGraphs, GiveTheBitsOfTheirNodesOneByOne) {
  RandomGraphs graphs;
  uint64_t num_compared = 0;
  for (uint64_t seed = 0; seed < kNumGraphs; ++seed) {
    SCOPED_TRACE(testing::Message() << "seed " << seed);
    const std::map<std::string, Tensor> expected = RunNodeByNode(
        RandomGraph(seed, kMaxNodes),
        [&graphs](const OperatorCall& call) { return graphs.RunOne(call); });
    GraphCall call = RandomGraph(seed, kMaxNodes);
    const std::vector<std::string> fetches = call.fetches;
    // The graph's tensors are its own, so that scatters work in place.
    const auto result = graphs.Run(std::move(call));
    ASSERT_THAT(result, IsOk());
    ASSERT_EQ(result->outputs.size(), fetches.size());
    for (size_t i = 0; i < fetches.size(); ++i) {
      EXPECT_EQ(result->outputs[i].name(), fetches[i]);
      ASSERT_THAT(result->outputs[i], EqualsTensor(expected.at(fetches[i])));
      ++num_compared;
    }
  }
  EXPECT_GT(num_compared, kNumGraphs);
}

}  // namespace
}  // namespace scatterd
