#include "core/graph_plan.h"

#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "core/errors.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/testing/graph_literals.h"
#include "tests/testing/status_matchers.h"
#include "tests/testing/tensor_literals.h"

namespace scatterd {
namespace {

using ::scatterd::test::CallOf;
using ::scatterd::test::Full;
using ::scatterd::test::Indices;
using ::scatterd::test::IsOk;
using ::scatterd::test::Named;
using ::scatterd::test::Node;
using ::scatterd::test::StatusIs;
using ::scatterd::test::Strings;
using ::scatterd::test::TensorOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::SizeIs;
using ::testing::StartsWith;

// x -> scatter1 -> y -> pick -> z; j is a constant of the graph.
GraphCall SmallGraph() {
  GraphCall call = CallOf({Node("ScatterND", {"x", "i", "u"}, "y"),
                           Node("Gather", {"y", "j"}, "z")},
                          {{"x", TensorOf<float>({4}, {1, 2, 3, 4})},
                           {"i", Indices({2, 1}, {3, 1})},
                           {"u", TensorOf<float>({2}, {9, 8})}},
                          {"z"});
  call.graph.nodes[0].name = "scatter1";
  call.graph.nodes[1].name = "pick";
  call.graph.initializers = {Named("j", Indices({1}, {3}))};
  return call;
}

TEST(PlanGraph, InfersEverySpec) {
  const auto plan = PlanGraph(SmallGraph());
  ASSERT_THAT(plan, IsOk());
  ASSERT_THAT(plan->steps, SizeIs(2));
  EXPECT_EQ(plan->tensors[plan->steps[0].output].spec.ToString(), "FLOAT[4]");
  EXPECT_EQ(plan->tensors[plan->steps[1].output].spec.ToString(), "FLOAT[1]");
  EXPECT_THAT(plan->fetches, ElementsAre(plan->steps[1].output));
}

TEST(PlanGraph, NodesMayBeListedInAnyOrder) {
  GraphCall call = SmallGraph();
  std::swap(call.graph.nodes[0], call.graph.nodes[1]);
  const auto plan = PlanGraph(call);
  ASSERT_THAT(plan, IsOk());
  ASSERT_THAT(plan->steps, SizeIs(2));
  EXPECT_EQ(plan->steps[0].label.text, "node 'scatter1' (ScatterND)");
  EXPECT_EQ(plan->steps[0].label.path, "graph.node[1]");
}

TEST(PlanGraph, NodesThatNoFetchNeedsDoNotRun) {
  GraphCall call = SmallGraph();
  call.fetches = {"y"};
  const auto plan = PlanGraph(call);
  ASSERT_THAT(plan, IsOk());
  ASSERT_THAT(plan->steps, SizeIs(1));
  EXPECT_EQ(plan->steps[0].label.text, "node 'scatter1' (ScatterND)");
}

TEST(PlanGraph, UsesAreReadsAndFetches) {
  GraphCall call =
      CallOf({Node("ScatterElements", {"x", "i", "x"}, "y"),
              Node("Identity", {"x"}, "same")},
             {{"x", Indices({2}, {0, 1})}, {"i", Indices({2}, {1, 0})}},
             {"y", "same", "x"});
  const auto plan = PlanGraph(call);
  ASSERT_THAT(plan, IsOk());
  ASSERT_THAT(plan->steps, SizeIs(1));
  const GraphStep& step = plan->steps[0];
  EXPECT_EQ(step.data, step.updates);
  EXPECT_EQ(plan->tensors[step.data].num_uses, 4) << "two reads, two fetches";
  EXPECT_EQ(plan->tensors[*step.indices].num_uses, 1);
  EXPECT_EQ(plan->tensors[step.output].num_uses, 1);
  EXPECT_EQ(plan->fetches[1], plan->fetches[2]) << "Identity makes nothing";
}

TEST(PlanGraph, DialectHoldsForEveryNode) {
  GraphCall call = SmallGraph();
  call.options.dialect = Dialect::kTensorflowGpu;
  const auto plan = PlanGraph(call);
  ASSERT_THAT(plan, IsOk());
  for (const GraphStep& step : plan->steps) {
    EXPECT_EQ(PlanOf(step).options.out_of_bounds, OutOfBounds::kSkip);
  }
}

TEST(PlanGraph, InputWithInitializerNeedsNoFeed) {
  GraphCall call = SmallGraph();
  call.graph.inputs.push_back({.name = "j"});
  EXPECT_THAT(PlanGraph(call), IsOk());
  call.feeds["j"] = Indices({2}, {0, 0});
  const auto plan = PlanGraph(call);
  ASSERT_THAT(plan, IsOk());
  EXPECT_EQ(plan->tensors[plan->fetches[0]].spec.ToString(), "FLOAT[2]");
}

TEST(PlanGraph, SymbolsAreTheSameExtentEverywhere) {
  GraphCall call = SmallGraph();
  const auto declare = [&call](const std::string& name,
                               std::vector<DeclaredDim> dims) {
    for (DeclaredEdge& input : call.graph.inputs) {
      if (input.name == name) input.dims = std::move(dims);
    }
  };
  declare("i", {{.extent = {}, .symbol = "n"}, {.extent = 1, .symbol = ""}});
  declare("u", {{.extent = {}, .symbol = "n"}});
  declare("x", {{}});
  EXPECT_THAT(PlanGraph(call), IsOk());
  declare("x", {{.extent = {}, .symbol = "n"}});
  EXPECT_THAT(PlanGraph(call),
              StatusIs(absl::StatusCode::kInvalidArgument,
                       HasSubstr("run: C8: input 'x' is not as the graph "
                                 "declares it (FLOAT[4] vs any "
                                 "dtype['n'])")));
}

// --- Constants --------------------------------------------------------------

TEST(PlanGraph, ConstantsOfEveryKind) {
  const std::vector<std::pair<GraphAttribute, std::string>> kinds = {
      {{"value", Indices({2, 1}, {0, 1})}, "INT64[2,1]"},
      {{"value_int", int64_t{7}}, "INT64[]"},
      {{"value_ints", std::vector<int64_t>{7, 8}}, "INT64[2]"},
      {{"value_float", 7.0f}, "FLOAT[]"},
      {{"value_floats", std::vector<float>{7, 8, 9}}, "FLOAT[3]"},
      {{"value_string", std::string("a")}, "STRING[]"},
      {{"value_strings", std::vector<std::string>{"a", "b"}}, "STRING[2]"},
      {{"value_ints", std::vector<int64_t>{}}, "INT64[0]"},
  };
  for (const auto& [attribute, spec] : kinds) {
    const auto plan =
        PlanGraph(CallOf({Node("Constant", {}, "c", {attribute})}, {}, {"c"}));
    ASSERT_THAT(plan, IsOk()) << spec;
    EXPECT_EQ(plan->tensors[plan->fetches[0]].spec.ToString(), spec);
  }
}

// --- What is refused --------------------------------------------------------

struct Refusal {
  const char* what;
  std::function<void(GraphCall&)> change;
  absl::StatusCode code;
  const char* message;
  const char* field;
};

constexpr auto kInvalid = absl::StatusCode::kInvalidArgument;
constexpr auto kUnimplemented = absl::StatusCode::kUnimplemented;

void ExpectRefusals(const std::vector<Refusal>& refusals,
                    const GraphCall& valid) {
  ASSERT_THAT(PlanGraph(valid), IsOk());
  for (const Refusal& refusal : refusals) {
    SCOPED_TRACE(refusal.what);
    GraphCall call = valid;
    refusal.change(call);
    const auto plan = PlanGraph(call);
    EXPECT_THAT(plan, StatusIs(refusal.code, HasSubstr(refusal.message)));
    EXPECT_EQ(GetPayload(plan.status(), kFieldPayload), refusal.field);
  }
}

TEST(PlanGraph, C1RefusesOperatorsThatScatterdHasNot) {
  ExpectRefusals(
      {{"an op_type", [](GraphCall& c) { c.graph.nodes[1].op_type = "Relu"; },
        kUnimplemented, "run: node 'pick' (Relu): C1: unknown op_type",
        "graph.node[1].op_type"},
       {"no op_type", [](GraphCall& c) { c.graph.nodes[1].op_type = ""; },
        kUnimplemented, "run: node 'pick' (): C1: unknown op_type",
        "graph.node[1].op_type"},
       {"a domain",
        [](GraphCall& c) { c.graph.nodes[0].domain = "com.example"; },
        kUnimplemented,
        "run: node 'scatter1' (ScatterND): C1: unknown domain ('com.example'",
        "graph.node[0].domain"},
       {"an op_type in a graph with other faults",
        [](GraphCall& c) {
          c.graph.nodes[0].inputs.clear();
          c.graph.nodes[1].op_type = "If";
          c.fetches.clear();
        },
        kUnimplemented, "run: node 'pick' (If): C1", "graph.node[1].op_type"}},
      SmallGraph());
}

TEST(PlanGraph, AcceptsTheDomainOfOnnx) {
  GraphCall call = SmallGraph();
  call.graph.nodes[0].domain = "ai.onnx";
  EXPECT_THAT(PlanGraph(call), IsOk());
}

TEST(PlanGraph, C2RefusesWrongNumbersOfEdges) {
  ExpectRefusals(
      {{"too few inputs",
        [](GraphCall& c) { c.graph.nodes[0].inputs.pop_back(); }, kInvalid,
        "run: node 'scatter1' (ScatterND): C2: wrong number of inputs (2 vs 3)",
        "graph.node[0].input"},
       {"too many inputs",
        [](GraphCall& c) { c.graph.nodes[1].inputs.push_back("j"); }, kInvalid,
        "C2: wrong number of inputs (3 vs 2)", "graph.node[1].input"},
       {"an input that is left out",
        [](GraphCall& c) { c.graph.nodes[1].inputs[1] = ""; }, kInvalid,
        "C2: input 1 is left out", "graph.node[1].input[1]"},
       {"no output", [](GraphCall& c) { c.graph.nodes[1].outputs.clear(); },
        kInvalid, "C2: wrong number of outputs (0 vs 1)",
        "graph.node[1].output"},
       {"two outputs",
        [](GraphCall& c) {
          c.graph.nodes[1].outputs = {"z", "w"};
        },
        kInvalid, "C2: wrong number of outputs (2 vs 1)",
        "graph.node[1].output"}},
      SmallGraph());
}

TEST(PlanGraph, C3RefusesWrongAttributes) {
  const auto set = [](size_t node, std::vector<GraphAttribute> attributes) {
    return [=](GraphCall& c) { c.graph.nodes[node].attributes = attributes; };
  };
  ExpectRefusals(
      {{"an unknown one", set(0, {{"axis", int64_t{0}}}), kInvalid,
        "run: node 'scatter1' (ScatterND): C3: unknown attribute 'axis'",
        "graph.node[0].attribute"},
       {"an extension's word", set(0, {{"reduction", std::string("sub")}}),
        kInvalid, "C3: unknown reduction ('sub' vs none, add, mul, max or min)",
        "graph.node[0].attribute"},
       {"a word in capitals", set(0, {{"reduction", std::string("ADD")}}),
        kInvalid, "C3: unknown reduction ('ADD'", "graph.node[0].attribute"},
       {"a number for a word", set(0, {{"reduction", int64_t{2}}}), kInvalid,
        "C3: attribute 'reduction' has the wrong type (INT vs STRING)",
        "graph.node[0].attribute"},
       {"a word for a number", set(1, {{"axis", std::string("0")}}), kInvalid,
        "C3: attribute 'axis' has the wrong type (STRING vs INT)",
        "graph.node[1].attribute"},
       {"a graph for a number", set(1, {{"axis", std::monostate()}}), kInvalid,
        "(an unknown type vs INT)", "graph.node[1].attribute"},
       {"one twice", set(1, {{"axis", int64_t{0}}, {"axis", int64_t{0}}}),
        kInvalid, "C3: attribute 'axis' is there twice",
        "graph.node[1].attribute"}},
      SmallGraph());
}

TEST(PlanGraph, C3RefusesConstantsWithoutOneValue) {
  for (const std::vector<GraphAttribute>& attributes :
       {std::vector<GraphAttribute>{},
        {{"value_int", int64_t{1}}, {"value_float", 1.0f}}}) {
    EXPECT_THAT(
        PlanGraph(CallOf({Node("Constant", {}, "c", attributes)}, {}, {"c"})),
        StatusIs(kInvalid,
                 StartsWith("run: node #0 (Constant): C3: a constant has one "
                            "value")));
  }
}

TEST(PlanGraph, C4RefusesEdgesThatAreWrittenTwice) {
  ExpectRefusals(
      {{"by two nodes", [](GraphCall& c) { c.graph.nodes[1].outputs = {"y"}; },
        kInvalid, "run: node 'pick' (Gather): C4: edge 'y' is written twice",
        "graph.node[1].output[0]"},
       {"by a node and as an input",
        [](GraphCall& c) { c.graph.nodes[1].outputs = {"x"}; }, kInvalid,
        "run: node 'pick' (Gather): C4: edge 'x' is written twice",
        "graph.node[1].output[0]"},
       {"by a node and as an initializer",
        [](GraphCall& c) { c.graph.nodes[1].outputs = {"j"}; }, kInvalid,
        "C4: edge 'j' is written twice", "graph.node[1].output[0]"},
       {"by two initializers",
        [](GraphCall& c) {
          c.graph.initializers.push_back(Named("j", Indices({1}, {0})));
        },
        kInvalid, "run: C4: edge 'j' is written twice", "graph.initializer[1]"},
       {"by two inputs",
        [](GraphCall& c) { c.graph.inputs.push_back({.name = "x"}); }, kInvalid,
        "run: C4: edge 'x' is written twice", "graph.input[3]"},
       {"an output without a name",
        [](GraphCall& c) { c.graph.nodes[1].outputs = {""}; }, kInvalid,
        "run: node 'pick' (Gather): C4: its output has no name",
        "graph.node[1].output[0]"},
       {"an initializer without a name",
        [](GraphCall& c) { c.graph.initializers.push_back(Indices({1}, {0})); },
        kInvalid, "run: C4: an initializer has no name",
        "graph.initializer[1]"},
       {"an input without a name",
        [](GraphCall& c) { c.graph.inputs.push_back({}); }, kInvalid,
        "run: C4: an input has no name", "graph.input[3]"}},
      SmallGraph());
}

TEST(PlanGraph, C5RefusesEdgesThatNobodyWrites) {
  ExpectRefusals(
      {{"", [](GraphCall& c) { c.graph.nodes[1].inputs[0] = "w"; }, kInvalid,
        "run: node 'pick' (Gather): C5: there is no edge 'w' to read",
        "graph.node[1].input[0]"}},
      SmallGraph());
}

TEST(PlanGraph, C6RefusesCyclesAndNamesANodeOfThem) {
  // a and b wait for one another; "after" waits for them, but is no cycle.
  GraphCall call =
      CallOf({Node("Identity", {"b"}, "after"), Node("Gather", {"b", "i"}, "a"),
              Node("Gather", {"a", "i"}, "b")},
             {{"i", Indices({1}, {0})}}, {"after"});
  EXPECT_THAT(PlanGraph(call),
              StatusIs(kInvalid, StartsWith("run: node #2 (Gather): C6: edge "
                                            "'b' depends on itself")));
  call = CallOf({Node("Identity", {"x"}, "x")}, {}, {"x"});
  EXPECT_THAT(PlanGraph(call),
              StatusIs(kInvalid, HasSubstr("C6: edge 'x' depends on itself")));
}

TEST(PlanGraph, C7AsksForEveryInputAndNothingElse) {
  ExpectRefusals(
      {{"a missing feed", [](GraphCall& c) { c.feeds.erase("u"); }, kInvalid,
        "run: C7: input 'u' is not fed", "feeds['u']"},
       {"a feed of an edge between",
        [](GraphCall& c) {
          c.feeds["y"] = TensorOf<float>({4}, {0, 0, 0, 0});
        },
        kInvalid, "run: C7: feed 'y' is no input of the graph", "feeds['y']"},
       {"a feed of a constant",
        [](GraphCall& c) { c.feeds["j"] = Indices({1}, {0}); }, kInvalid,
        "run: C7: feed 'j' is no input of the graph", "feeds['j']"},
       {"a feed of nothing",
        [](GraphCall& c) { c.feeds["nothing"] = Indices({1}, {0}); }, kInvalid,
        "run: C7: feed 'nothing' is no input of the graph",
        "feeds['nothing']"}},
      SmallGraph());
}

TEST(PlanGraph, C8HoldsFeedsToTheirDeclarations) {
  GraphCall valid = SmallGraph();
  for (DeclaredEdge& input : valid.graph.inputs) {
    if (input.name != "x") continue;
    input.dtype = DType::kFloat;
    input.dims = {{.extent = 4, .symbol = ""}};
  }
  ExpectRefusals(
      {{"another dtype",
        [](GraphCall& c) {
          c.feeds["x"] = TensorOf<double>({4}, {1, 2, 3, 4});
        },
        kInvalid,
        "run: C8: input 'x' is not as the graph declares it (DOUBLE[4] vs "
        "FLOAT[4])",
        "feeds['x']"},
       {"another extent",
        [](GraphCall& c) {
          c.feeds["x"] = TensorOf<float>({2}, {1, 2});
        },
        kInvalid, "(FLOAT[2] vs FLOAT[4])", "feeds['x']"},
       {"another rank",
        [](GraphCall& c) {
          c.feeds["x"] = Full<float>({4, 1}, 0);
        },
        kInvalid, "(FLOAT[4,1] vs FLOAT[4])", "feeds['x']"}},
      valid);
}

TEST(PlanGraph, C9RefusesFetchesOfNothing) {
  ExpectRefusals(
      {{"none", [](GraphCall& c) { c.fetches.clear(); }, kInvalid,
        "run: C9: nothing is fetched", "fetches"},
       {"an unknown one",
        [](GraphCall& c) {
          c.fetches = {"z", "w"};
        },
        kInvalid, "run: C9: fetch 'w' is no edge of the graph", "fetches[1]"},
       {"one twice",
        [](GraphCall& c) {
          c.fetches = {"z", "z"};
        },
        kInvalid, "run: C9: fetch 'z' is named twice", "fetches[1]"}},
      SmallGraph());
}

TEST(PlanGraph, OperatorsErrorsNameTheNode) {
  ExpectRefusals(
      {{"a shape",
        [](GraphCall& c) { c.feeds["u"] = TensorOf<float>({1}, {9}); },
        kInvalid,
        "run: node 'scatter1' (ScatterND): scatter_nd: C8: updates has the "
        "wrong shape ([1] vs [2])",
        "graph.node[0].input[2]"},
       {"a dtype",
        [](GraphCall& c) {
          c.feeds["i"] = Full<float>({2, 1}, 0);
        },
        kInvalid, "run: node 'scatter1' (ScatterND): scatter_nd: C2: indices",
        "graph.node[0].input[1]"},
       {"an axis",
        [](GraphCall& c) {
          c.graph.nodes[1].attributes = {{"axis", int64_t{1}}};
        },
        kInvalid, "run: node 'pick' (Gather): gather: C3: axis",
        "graph.node[1].attribute"},
       {"a node that no fetch needs",
        [](GraphCall& c) {
          c.graph.nodes[1].attributes = {{"axis", int64_t{1}}};
          c.fetches = {"y"};
        },
        kInvalid, "run: node 'pick' (Gather): gather: C3: axis",
        "graph.node[1].attribute"},
       {"a reduction without meaning",
        [](GraphCall& c) {
          c.feeds["x"] = Strings({4}, {"a", "b", "c", "d"});
          c.feeds["u"] = Strings({2}, {"e", "f"});
          c.graph.nodes[0].attributes = {{"reduction", std::string("mul")}};
        },
        kInvalid, "scatter_nd: C9: reduction mul has no meaning for STRING",
        "graph.node[0].attribute"},
       {"a fill value for another dtype",
        [](GraphCall& c) { c.options.fill_value = TensorOf<double>({}, {0}); },
        kInvalid, "run: node 'pick' (Gather): gather: C0: fill_value",
        "options.fill_value"},
       {"zeros too large to count",
        [](GraphCall& c) {
          c.feeds["x"] = ZerosSpec{{DType::kFloat, {1l << 40, 1l << 40}}};
        },
        kInvalid, "run: C0: feed 'x': shape", "feeds['x']"}},
      SmallGraph());
}

TEST(PlanGraph, NamesInMessagesAreShortAndPrintable) {
  GraphCall call = SmallGraph();
  call.graph.nodes[1].name = std::string(100000, 'n');
  call.graph.nodes[1].op_type = "\n\xff'";
  const absl::Status status = PlanGraph(call).status();
  EXPECT_THAT(status,
              StatusIs(kUnimplemented, HasSubstr(R"(...' (\n\xff\'): C1)")));
  EXPECT_LT(status.message().size(), 300u);
}

TEST(PlanGraph, RefusesTooManyNodes) {
  GraphCall call = SmallGraph();
  call.graph.nodes.resize(kMaxGraphNodes + 1);
  EXPECT_THAT(PlanGraph(call), StatusIs(absl::StatusCode::kResourceExhausted,
                                        HasSubstr("(65537 vs 65536)")));
}

TEST(PlanGraph, LongChainsAreNoProblem) {
  std::vector<GraphNode> nodes;
  const int n = static_cast<int>(kMaxGraphNodes);
  for (int i = 0; i < n; ++i) {
    nodes.push_back(
        Node("Gather", {absl::StrCat("e", i), "i"}, absl::StrCat("e", i + 1)));
  }
  std::swap(nodes.front(), nodes.back());
  const auto plan = PlanGraph(
      CallOf(std::move(nodes),
             {{"e0", TensorOf<float>({1}, {5})}, {"i", Indices({1}, {0})}},
             {absl::StrCat("e", n)}));
  ASSERT_THAT(plan, IsOk());
  EXPECT_THAT(plan->steps, SizeIs(n));
}

}  // namespace
}  // namespace scatterd
