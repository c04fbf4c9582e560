// Graphs through the dispatcher: results and errors.

#include <map>
#include <string>
#include <utility>
#include <vector>

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

TEST_F(DispatcherGraphTest, AnswersInTheOrderOfTheFetches) {
  const auto result = Dispatch(SmallGraph());
  ASSERT_THAT(result, IsOk());
  ASSERT_THAT(result->outputs, SizeIs(2));
  EXPECT_THAT(result->outputs[0],
              EqualsTensor(TensorOf<float>({3}, {9, 1, 8})));
  EXPECT_EQ(result->outputs[0].name(), "z");
  EXPECT_THAT(result->outputs[1],
              EqualsTensor(TensorOf<float>({4}, {1, 8, 3, 9})));
  EXPECT_EQ(result->outputs[1].name(), "y");
}

TEST_F(DispatcherGraphTest, StatisticsAreThoseOfAllSteps) {
  const auto result = Dispatch(SmallGraph());
  ASSERT_THAT(result, IsOk());
  EXPECT_EQ(result->stats.device, "cpu");
  EXPECT_EQ(result->stats.queue_ns, 17u);
  EXPECT_GT(result->stats.compute_ns, 0u);
  EXPECT_EQ(result->stats.bytes_read,
            (4 * 4u + 2 * 8u + 2 * 4u) + (4 * 4u + 3 * 8u));
  EXPECT_EQ(result->stats.bytes_written, 4 * 4u + 3 * 4u);
}

TEST_F(DispatcherGraphTest, OnlyWhatIsFetchedRuns) {
  GraphCall call = SmallGraph();
  call.fetches = {"y"};
  ASSERT_THAT(Dispatch(std::move(call)), IsOk());
  EXPECT_EQ(backend_.runs, 1);
}

TEST_F(DispatcherGraphTest, AnyEdgeMayBeFetched) {
  GraphCall call = SmallGraph();
  call.graph.nodes.push_back(Node("Identity", {"y"}, "same"));
  call.fetches = {"x", "j", "same", "y"};
  const auto result = Dispatch(std::move(call));
  ASSERT_THAT(result, IsOk());
  EXPECT_THAT(result->outputs[0],
              EqualsTensor(TensorOf<float>({4}, {1, 2, 3, 4})));
  EXPECT_THAT(result->outputs[1], EqualsTensor(Indices({3}, {3, 0, 1})));
  EXPECT_THAT(result->outputs[2], EqualsTensor(result->outputs[3]));
  EXPECT_EQ(result->outputs[2].name(), "same");
  EXPECT_EQ(result->outputs[3].name(), "y");
}

TEST_F(DispatcherGraphTest, ConstantsAreTensorsLikeOthers) {
  GraphCall call =
      CallOf({Node("Constant", {}, "x",
                   {{"value_strings", std::vector<std::string>{"a", "b"}}}),
              Node("Constant", {}, "i", {{"value_int", int64_t{-1}}}),
              Node("Gather", {"x", "i"}, "y")},
             {}, {"y"});
  EXPECT_THAT(*Output(std::move(call)), EqualsTensor(Strings({}, {"b"})));
}

TEST_F(DispatcherGraphTest, OptionsHoldForEveryNode) {
  GraphCall call =
      CallOf({Node("Gather", {"x", "i"}, "y"), Node("Gather", {"y", "i"}, "z")},
             {{"x", TensorOf<float>({2}, {1, 2})}, {"i", Indices({2}, {1, 7})}},
             {"z"});
  call.options.out_of_bounds = OutOfBounds::kSkip;
  call.options.fill_value = TensorOf<float>({}, {-1});
  EXPECT_THAT(*Output(call), EqualsTensor(TensorOf<float>({2}, {-1, -1})));
  call.options = {};
  call.options.out_of_bounds = OutOfBounds::kClamp;
  EXPECT_THAT(*Output(call), EqualsTensor(TensorOf<float>({2}, {2, 2})));
}

TEST_F(DispatcherGraphTest, BroadcastOperandsAreExpandedForTheirStepOnly) {
  GraphCall call = CallOf({Node("ScatterElements", {"x", "i", "u"}, "y"),
                           Node("ScatterElements", {"y", "i", "u"}, "z",
                                {{"reduction", std::string("add")}})},
                          {{"x", TensorOf<float>({2, 2}, {1, 2, 3, 4})},
                           {"i", Indices({1, 2}, {1, 0})},
                           {"u", TensorOf<float>({1}, {5})}},
                          {"z"});
  call.options.dialect = Dialect::kNumpy;
  EXPECT_THAT(*Output(call),
              EqualsTensor(TensorOf<float>({2, 2}, {1, 10, 10, 4})));
  EXPECT_EQ(ticket_.bytes(), 16u) << "what is left is the output";
}

// --- TensorScatter ----------------------------------------------------------

GraphCall CacheCall(Tensor cache, Tensor update, std::vector<int64_t> at,
                    std::vector<GraphAttribute> attributes) {
  const auto batch = static_cast<int64_t>(at.size());
  return CallOf(
      {Node("TensorScatter", {"past", "new", "at"}, "present",
            std::move(attributes))},
      {{"past", cache}, {"new", update}, {"at", Indices({batch}, at)}},
      {"present"});
}

TEST_F(DispatcherGraphTest, TensorScatterWritesEveryHeadOfABatchEntry) {
  // Batch 2, heads 2, sequence 3, width 1.
  EXPECT_THAT(*Output(CacheCall(Full<float>({2, 2, 3, 1}, 0),
                                Iota<float>({2, 2, 1, 1}, 1), {2, 0}, {})),
              EqualsTensor(TensorOf<float>(
                  {2, 2, 3, 1}, {0, 0, 1, 0, 0, 2, 3, 0, 0, 4, 0, 0})));
}

TEST_F(DispatcherGraphTest, TensorScatterTakesOtherAxes) {
  // The sequence is the last axis.
  EXPECT_THAT(
      *Output(CacheCall(Full<float>({1, 2, 3}, 0), Iota<float>({1, 2, 2}, 1),
                        {1}, {{"axis", int64_t{-1}}})),
      EqualsTensor(TensorOf<float>({1, 2, 3}, {0, 1, 2, 0, 3, 4})));
}

TEST_F(DispatcherGraphTest, CircularTensorScatterGoesOnAtTheBegin) {
  EXPECT_THAT(
      *Output(CacheCall(Full<float>({1, 3, 1}, 0), Iota<float>({1, 2, 1}, 1),
                        {5}, {{"mode", std::string("circular")}})),
      EqualsTensor(TensorOf<float>({1, 3, 1}, {2, 0, 1})));
  // More entries than places: later ones win.
  EXPECT_THAT(
      *Output(CacheCall(Full<float>({1, 3, 1}, 0), Iota<float>({1, 7, 1}, 1),
                        {0}, {{"mode", std::string("circular")}})),
      EqualsTensor(TensorOf<float>({1, 3, 1}, {7, 5, 6})));
}

TEST_F(DispatcherGraphTest, TensorScatterWithoutWriteIndicesBeginsAtZero) {
  GraphCall call =
      CallOf({Node("TensorScatter", {"past", "new", ""}, "present")},
             {{"past", ZerosSpec{{DType::kString, {2, 2, 1}}}},
              {"new", Strings({2, 1, 1}, {"a", "b"})}},
             {"present"});
  EXPECT_THAT(*Output(call),
              EqualsTensor(Strings({2, 2, 1}, {"a", "", "b", ""})));
  call.graph.nodes[0].inputs.pop_back();
  EXPECT_THAT(*Output(call),
              EqualsTensor(Strings({2, 2, 1}, {"a", "", "b", ""})));
}

TEST_F(DispatcherGraphTest, TensorScatterOutsideTheCacheNamesNodeAndBatch) {
  GraphCall call = CacheCall(Full<float>({2, 3, 1}, 0),
                             Full<float>({2, 2, 1}, 1), {0, 2}, {});
  call.graph.nodes[0].name = "cache";
  const auto result = Dispatch(std::move(call));
  EXPECT_THAT(result, StatusIs(absl::StatusCode::kOutOfRange,
                               HasSubstr("run: node 'cache' (TensorScatter): "
                                         "tensor_scatter: C8: 2 entries of "
                                         "batch entry 1 do not fit")));
  EXPECT_EQ(GetPayload(result.status(), kFieldPayload),
            "graph.node[0].input[2]");
  EXPECT_EQ(GetPayload(result.status(), kReasonPayload), "INDEX_OUT_OF_RANGE");
}

TEST_F(DispatcherGraphTest, EmptyCachesCostNothing) {
  const int64_t huge = int64_t{1} << 40;
  GraphCall call = CallOf({Node("TensorScatter", {"past", "new"}, "present")},
                          {{"past", ZerosSpec{{DType::kFloat, {huge, 5, 0}}}},
                           {"new", ZerosSpec{{DType::kFloat, {huge, 3, 0}}}}},
                          {"present"});
  const auto output = Output(std::move(call));
  ASSERT_THAT(output, IsOk());
  EXPECT_EQ(output->shape(), (Shape{huge, 5, 0}));
}

TEST_F(DispatcherGraphTest, TensorScatterHonoursDuplicates) {
  GraphCall call =
      CacheCall(Full<float>({1, 2, 1}, 0), Iota<float>({1, 3, 1}, 1), {0},
                {{"mode", std::string("circular")}});
  call.options.duplicates = Duplicates::kFirstWins;
  EXPECT_THAT(*Output(call), EqualsTensor(TensorOf<float>({1, 2, 1}, {1, 2})));
  call.options.duplicates = Duplicates::kReject;
  EXPECT_THAT(Output(call),
              StatusIs(absl::StatusCode::kInvalidArgument,
                       HasSubstr("(TensorScatter): tensor_scatter: C9")));
}

// --- Errors -----------------------------------------------------------------

TEST_F(DispatcherGraphTest, IndexErrorsNameTheNode) {
  GraphCall call = SmallGraph();
  call.feeds["i"] = Indices({2, 1}, {3, 4});
  const auto result = Dispatch(std::move(call));
  EXPECT_THAT(result, StatusIs(absl::StatusCode::kOutOfRange,
                               HasSubstr("run: node 'scatter1' (ScatterND): "
                                         "scatter_nd: C10: indices[1]")));
  EXPECT_EQ(GetPayload(result.status(), kFieldPayload),
            "graph.node[0].input[1]");
}

TEST_F(DispatcherGraphTest, FeedsThatThisVersionHasNotAreRefused) {
  const auto expect_refused =
      [this](const Operand& operand, absl::StatusCode code,
             const std::string& message, const std::string& field) {
        GraphCall call = SmallGraph();
        call.feeds["x"] = operand;
        const auto result = Dispatch(std::move(call));
        EXPECT_THAT(result, StatusIs(code, HasSubstr(message)));
        EXPECT_EQ(GetPayload(result.status(), kFieldPayload), field);
      };
  expect_refused(ResidentRef{"a", 0}, absl::StatusCode::kUnimplemented,
                 "run: feeds['x'].resident is not available",
                 "feeds['x'].resident");
  expect_refused(SharedMemoryRef(), absl::StatusCode::kUnimplemented,
                 "run: feeds['x'].shared_memory is not available",
                 "feeds['x'].shared_memory");
  expect_refused(Operand(), absl::StatusCode::kInvalidArgument,
                 "run: C0: feeds['x'] is missing", "feeds['x']");
}

TEST_F(DispatcherGraphTest, DevicesThatTheServerHasNotAreRefused) {
  GraphCall call = SmallGraph();
  call.options.device = "cuda:0";
  EXPECT_THAT(Dispatch(call), StatusIs(absl::StatusCode::kFailedPrecondition,
                                       HasSubstr("run: this server has no")));
  call.options.device = "cpu";
  EXPECT_THAT(Dispatch(call), IsOk());
}

}  // namespace
}  // namespace scatterd::test
