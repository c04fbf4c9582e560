// What the nodes of a graph may be.
//
//   op_type           inputs                                attributes
//   Gather            data, indices                         axis
//   GatherElements    data, indices                         axis
//   GatherND          data, indices                         batch_dims
//   Scatter           data, indices, updates                axis
//   ScatterElements   data, indices, updates                axis, reduction
//   ScatterND         data, indices, updates                reduction
//   TensorScatter     past_cache, update, [write_indices]   axis, mode
//   Identity          input
//   Constant                                                value or value_...
//
// All have one output.  Scatter is ONNX's name of ScatterElements before opset
// 11.  reduction is one of ONNX's words: none, add, mul, max, min.

#ifndef SCATTERD_CORE_GRAPH_OPS_H_
#define SCATTERD_CORE_GRAPH_OPS_H_

#include <string>
#include <variant>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "core/graph.h"
#include "core/operator_id.h"
#include "core/ops/tensor_scatter.h"
#include "core/plan.h"

namespace scatterd {

// A node as error messages and field paths name it.  A value.
struct NodeLabel {
  std::string text;  // "node 'scatter1' (ScatterND)"
  std::string path;  // "graph.node[3]"
};

// Name and type as QuotedName shows them.
NodeLabel LabelOf(const GraphNode& node, size_t index);

// The status of what a node does, as the status of the graph's run: begins
// "run: <label>: " and names the node's field.
absl::Status AtNode(const NodeLabel& label, const absl::Status& status);

enum class NodeKind { kOperator, kTensorScatter, kIdentity, kConstant };

// A row of the table above.
struct OpType {
  absl::string_view name;
  NodeKind kind;
  OperatorId op;  // of kOperator
  size_t min_inputs;
  size_t max_inputs;
};

// UNIMPLEMENTED for an op_type or a domain that scatterd has not.
absl::StatusOr<const OpType*> FindOpType(const GraphNode& node);

// INVALID_ARGUMENT unless the node has the inputs, outputs and attributes of
// its operator.
absl::Status CheckNode(const OpType& op_type, const GraphNode& node);

// What a node of kind kOperator or kTensorScatter computes.
using NodePlan = std::variant<Plan, TensorScatterPlan>;

// Plans a node that has passed CheckNode.  `inputs` are the specs of its
// inputs, null for one that is left out.  INVALID_ARGUMENT names the
// operator's constraint.
absl::StatusOr<NodePlan> PlanNode(const OpType& op_type, const GraphNode& node,
                                  absl::Span<const TensorSpec* const> inputs,
                                  const ExecutionOptions& options);

// The tensor of a Constant that has passed CheckNode; shares the elements of
// a tensor attribute.
absl::StatusOr<Tensor> ConstantOf(const GraphNode& node);

}  // namespace scatterd

#endif  // SCATTERD_CORE_GRAPH_OPS_H_
