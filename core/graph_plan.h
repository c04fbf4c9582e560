// Plans of graphs: everything about a graph that its tensors' values cannot
// change is checked and decided before any node runs.
//
// Constraints, beside those of the operators:
//   C1 Every node has domain "" or "ai.onnx" and an op_type that scatterd has
//      (UNIMPLEMENTED).
//   C2 A node has as many inputs and outputs as its operator.
//   C3 A node's attributes are its operator's, each once and of its type.
//   C4 An edge has a name and is written once: by a node, or as an input, an
//      initializer or both of these.
//   C5 What a node reads is an edge.
//   C6 No edge depends on itself.  Nodes may be listed in any order.
//   C7 Feeds are inputs, and every input without an initializer is fed.
//   C8 Inputs have the dtype and shape that the graph declares.
//   C9 At least one edge is fetched, and none twice.
// Errors of a node begin "run: node 'scatter1' (ScatterND): ".

#ifndef SCATTERD_CORE_GRAPH_PLAN_H_
#define SCATTERD_CORE_GRAPH_PLAN_H_

#include <cstdint>
#include <vector>

#include "absl/status/statusor.h"
#include "core/graph.h"
#include "core/graph_ops.h"

namespace scatterd {

// The most nodes of a graph.
inline constexpr size_t kMaxGraphNodes = size_t{1} << 16;

// Memory that planning takes for each node, at most, beside the node itself.
inline constexpr uint64_t kPlannedNodeBytes = 4096;

// A tensor while a graph runs.  Several edges may be one: Identity makes none.
struct PlannedTensor {
  // What it is before the first step: a Tensor or ZerosSpec.  monostate: a
  // step makes it.
  Operand source;
  TensorSpec spec;

  // Reads by steps, and fetches.  0: nobody needs it.
  int64_t num_uses = 0;
};

// A node that runs.  Numbers are places in GraphPlan::tensors.
struct GraphStep {
  NodeLabel label;
  NodePlan plan;
  size_t data = 0;
  size_t updates = 0;             // scatters only
  std::optional<size_t> indices;  // none: TensorScatter's default
  size_t output = 0;
};

// Self-contained: shares the elements of the call's tensors, refers to nothing
// of the call.
struct GraphPlan {
  std::vector<PlannedTensor> tensors;
  std::vector<GraphStep> steps;  // those that the fetches need, in order
  std::vector<size_t> fetches;   // places in `tensors`
};

// The plan of what a step computes.
const Plan& PlanOf(const GraphStep& step);

// Plans a call whose feeds are Tensors or ZerosSpecs.  Every node is checked
// and planned, also those that no fetch needs.  INVALID_ARGUMENT and
// UNIMPLEMENTED name the constraint and the field, RESOURCE_EXHAUSTED is for
// more than kMaxGraphNodes nodes.
absl::StatusOr<GraphPlan> PlanGraph(const GraphCall& call);

}  // namespace scatterd

#endif  // SCATTERD_CORE_GRAPH_PLAN_H_
