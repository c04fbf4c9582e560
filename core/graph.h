// Graphs of operators, as ONNX has them: nodes that read and write named
// edges.
//
//   GraphCall call;
//   call.graph.inputs = {{"x"}, {"i"}};
//   call.graph.nodes = {
//       {.name = "pick", .op_type = "Gather", .inputs = {"x", "i"},
//        .outputs = {"y"}, .attributes = {{"axis", int64_t{1}}}}};
//   call.feeds = {{"x", x}, {"i", i}};
//   call.fetches = {"y"};
//
// Which nodes there are and what makes a graph valid: core/graph_plan.h.

#ifndef SCATTERD_CORE_GRAPH_H_
#define SCATTERD_CORE_GRAPH_H_

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "core/call.h"
#include "core/options.h"
#include "core/tensor.h"

namespace scatterd {

// A constant of a node; monostate is one of a kind that scatterd has not
// (a graph, a sparse tensor).
using AttributeValue =
    std::variant<std::monostate, int64_t, float, std::string, Tensor,
                 std::vector<int64_t>, std::vector<float>,
                 std::vector<std::string>>;

struct GraphAttribute {
  std::string name;
  AttributeValue value;
};

// One use of an operator.
struct GraphNode {
  std::string name;     // for messages; may be empty
  std::string op_type;  // "ScatterND"
  std::string domain;   // "" or "ai.onnx"

  // Edges in the operator's order; "" is an optional input that is left out.
  std::vector<std::string> inputs;
  std::vector<std::string> outputs;
  std::vector<GraphAttribute> attributes;
};

// An extent that a graph declares; neither: any extent.
struct DeclaredDim {
  std::optional<int64_t> extent;
  std::string symbol;  // the same symbol is the same extent
};

// An input or output and, as far as the graph says so, its dtype and shape.
struct DeclaredEdge {
  std::string name;
  DType dtype = DType::kUnspecified;             // not declared
  std::optional<std::vector<DeclaredDim>> dims;  // none: any rank
};

struct Graph {
  std::string name;
  std::vector<GraphNode> nodes;

  // Constants, by their tensor names.  One that is also an input is what the
  // input is where the caller feeds nothing.
  std::vector<Tensor> initializers;

  std::vector<DeclaredEdge> inputs;

  // What the graph is meant to compute; nothing is checked against it.
  std::vector<DeclaredEdge> outputs;
};

// A request to run a graph.  Owns or borrows its tensors as OperatorCall does.
struct GraphCall {
  Graph graph;
  std::map<std::string, Operand> feeds;  // by the names of graph.inputs
  std::vector<std::string> fetches;      // names of any edges
  ExecutionOptions options;              // of every node
};

// The reply: the fetched tensors, named, in the order of the fetches.
struct GraphResult {
  std::vector<Tensor> outputs;
  ExecutionStats stats;
};

}  // namespace scatterd

#endif  // SCATTERD_CORE_GRAPH_H_
