#include "core/graph_ops.h"

#include <algorithm>
#include <optional>
#include <set>
#include <utility>

#include "absl/strings/cord.h"
#include "absl/strings/str_cat.h"
#include "core/dialect.h"
#include "core/errors.h"
#include "core/operator.h"
#include "core/status_macros.h"

namespace scatterd {
namespace {

constexpr OpType kOpTypes[] = {
    {"Gather", NodeKind::kOperator, OperatorId::kGather, 2, 2},
    {"GatherElements", NodeKind::kOperator, OperatorId::kGatherElements, 2, 2},
    {"GatherND", NodeKind::kOperator, OperatorId::kGatherND, 2, 2},
    {"Scatter", NodeKind::kOperator, OperatorId::kScatterElements, 3, 3},
    {"ScatterElements", NodeKind::kOperator, OperatorId::kScatterElements, 3,
     3},
    {"ScatterND", NodeKind::kOperator, OperatorId::kScatterND, 3, 3},
    {"TensorScatter", NodeKind::kTensorScatter, {}, 2, 3},
    {"Identity", NodeKind::kIdentity, {}, 1, 1},
    {"Constant", NodeKind::kConstant, {}, 0, 0},
};

// The kinds of attributes, by their place in AttributeValue.
enum Kind : size_t {
  kInt = 1,
  kFloat,
  kString,
  kTensor,
  kInts,
  kFloats,
  kStrings
};

absl::string_view KindName(size_t kind) {
  static constexpr absl::string_view kNames[] = {
      "an unknown type", "INT",  "FLOAT",  "STRING",
      "TENSOR",          "INTS", "FLOATS", "STRINGS"};
  return kNames[kind];
}

struct AttributeRow {
  absl::string_view op_type;
  absl::string_view name;
  Kind kind;
};

constexpr AttributeRow kAttributes[] = {
    {"Gather", "axis", kInt},
    {"GatherElements", "axis", kInt},
    {"GatherND", "batch_dims", kInt},
    {"Scatter", "axis", kInt},
    {"ScatterElements", "axis", kInt},
    {"ScatterElements", "reduction", kString},
    {"ScatterND", "reduction", kString},
    {"TensorScatter", "axis", kInt},
    {"TensorScatter", "mode", kString},
    {"Constant", "value", kTensor},
    {"Constant", "value_int", kInt},
    {"Constant", "value_ints", kInts},
    {"Constant", "value_float", kFloat},
    {"Constant", "value_floats", kFloats},
    {"Constant", "value_string", kString},
    {"Constant", "value_strings", kStrings},
};

absl::Status NodeError(int n, absl::string_view field, absl::string_view what) {
  return ConstraintError("run", n, field, what);
}

const AttributeRow* FindAttribute(absl::string_view op_type,
                                  absl::string_view name) {
  for (const AttributeRow& row : kAttributes) {
    if (row.op_type == op_type && row.name == name) return &row;
  }
  return nullptr;
}

absl::Status CheckAttribute(const OpType& op_type,
                            const GraphAttribute& attribute) {
  const AttributeRow* row = FindAttribute(op_type.name, attribute.name);
  if (row == nullptr) {
    return NodeError(
        3, "attribute",
        absl::StrCat("unknown attribute ", QuotedName(attribute.name)));
  }
  if (attribute.value.index() == row->kind) return absl::OkStatus();
  return NodeError(
      3, "attribute",
      absl::StrCat("attribute '", row->name, "' has the wrong type (",
                   KindName(attribute.value.index()), " vs ",
                   KindName(row->kind), ")"));
}

absl::Status CheckAttributes(const OpType& op_type, const GraphNode& node) {
  std::set<absl::string_view> names;
  for (const GraphAttribute& attribute : node.attributes) {
    if (!names.insert(attribute.name).second) {
      return NodeError(3, "attribute",
                       absl::StrCat("attribute ", QuotedName(attribute.name),
                                    " is there twice (2 vs at most 1)"));
    }
    SCATTERD_RETURN_IF_ERROR(CheckAttribute(op_type, attribute));
  }
  if (op_type.kind == NodeKind::kConstant && names.size() != 1) {
    return NodeError(3, "attribute",
                     absl::StrCat("a constant has one value (", names.size(),
                                  " vs 1 attributes)"));
  }
  return absl::OkStatus();
}

std::string CountRange(const OpType& op_type) {
  if (op_type.min_inputs == op_type.max_inputs) {
    return absl::StrCat(op_type.min_inputs);
  }
  return absl::StrCat(op_type.min_inputs, " to ", op_type.max_inputs);
}

absl::Status CheckEdgeCounts(const OpType& op_type, const GraphNode& node) {
  if (node.inputs.size() < op_type.min_inputs ||
      node.inputs.size() > op_type.max_inputs) {
    return NodeError(
        2, "input",
        absl::StrCat("wrong number of inputs (", node.inputs.size(), " vs ",
                     CountRange(op_type), ")"));
  }
  if (node.outputs.size() != 1) {
    return NodeError(2, "output",
                     absl::StrCat("wrong number of outputs (",
                                  node.outputs.size(), " vs 1)"));
  }
  for (size_t i = 0; i < op_type.min_inputs; ++i) {
    if (node.inputs[i].empty()) {
      return NodeError(2, absl::StrCat("input[", i, "]"),
                       absl::StrCat("input ", i, " is left out"));
    }
  }
  return absl::OkStatus();
}

// The attribute's value, which has the type T; null if it is not there.
template <typename T>
const T* AttributeOf(const GraphNode& node, absl::string_view name) {
  for (const GraphAttribute& attribute : node.attributes) {
    if (attribute.name == name) return std::get_if<T>(&attribute.value);
  }
  return nullptr;
}

absl::StatusOr<Reduction> ReductionOf(const GraphNode& node) {
  const auto* word = AttributeOf<std::string>(node, "reduction");
  if (word == nullptr) return Reduction::kNone;
  const std::optional<Reduction> reduction = ReductionFromName(*word);
  static constexpr Reduction kOnnx[] = {Reduction::kNone, Reduction::kAdd,
                                        Reduction::kMul, Reduction::kMax,
                                        Reduction::kMin};
  if (reduction && std::find(std::begin(kOnnx), std::end(kOnnx), *reduction) !=
                       std::end(kOnnx)) {
    return *reduction;
  }
  return NodeError(3, "attribute",
                   absl::StrCat("unknown reduction (", QuotedName(*word),
                                " vs none, add, mul, max or min)"));
}

absl::Status CheckFillValue(const Plan& plan, const ExecutionOptions& options) {
  if (plan.is_scatter || !options.fill_value) return absl::OkStatus();
  const TensorSpec expected{plan.dtype, Shape()};
  if (options.fill_value->spec() == expected) return absl::OkStatus();
  return ConstraintError(
      plan.op, 0, "options.fill_value",
      absl::StrCat("fill_value is not one element of data's dtype (",
                   options.fill_value->spec().ToString(), " vs ",
                   expected.ToString(), ")"));
}

absl::StatusOr<NodePlan> PlanOperator(const OpType& op_type,
                                      const GraphNode& node,
                                      absl::Span<const TensorSpec* const> specs,
                                      const ExecutionOptions& options) {
  OperatorInputs inputs;
  inputs.data = *specs[0];
  inputs.indices = *specs[1];
  if (IsScatter(op_type.op)) inputs.updates = *specs[2];
  if (const auto* axis = AttributeOf<int64_t>(node, "axis")) {
    inputs.attributes.axis = *axis;
  }
  if (const auto* batch_dims = AttributeOf<int64_t>(node, "batch_dims")) {
    inputs.attributes.batch_dims = *batch_dims;
  }
  SCATTERD_ASSIGN_OR_RETURN(inputs.attributes.reduction, ReductionOf(node));
  inputs.options = ResolveOptions(op_type.op, options);
  SCATTERD_ASSIGN_OR_RETURN(Plan plan, MakePlan(op_type.op, inputs));
  SCATTERD_RETURN_IF_ERROR(CheckFillValue(plan, options));
  return plan;
}

absl::StatusOr<NodePlan> PlanTensorScatterNode(
    const GraphNode& node, absl::Span<const TensorSpec* const> specs,
    const ExecutionOptions& options) {
  TensorScatterInputs inputs;
  inputs.past_cache = *specs[0];
  inputs.update = *specs[1];
  if (specs.size() > 2 && specs[2] != nullptr) inputs.write_indices = *specs[2];
  if (const auto* axis = AttributeOf<int64_t>(node, "axis")) {
    inputs.axis = *axis;
  }
  if (const auto* mode = AttributeOf<std::string>(node, "mode")) {
    inputs.mode = *mode;
  }
  inputs.options = ResolveOptions(OperatorId::kScatterND, options);
  SCATTERD_ASSIGN_OR_RETURN(TensorScatterPlan plan, PlanTensorScatter(inputs));
  return plan;
}

// Tensors from the values of a Constant.
struct ToTensor {
  absl::StatusOr<Tensor> operator()(const Tensor& tensor) const {
    return tensor;
  }
  absl::StatusOr<Tensor> operator()(const std::string& value) const {
    return Tensor::FromStrings({}, {value});
  }
  absl::StatusOr<Tensor> operator()(
      const std::vector<std::string>& values) const {
    return Tensor::FromStrings({static_cast<int64_t>(values.size())}, values);
  }
  template <typename T>
  absl::StatusOr<Tensor> operator()(const std::vector<T>& values) const {
    return Tensor::FromValues<T>({static_cast<int64_t>(values.size())}, values);
  }
  template <typename T>
  absl::StatusOr<Tensor> operator()(const T& value) const {
    return Tensor::FromValues<T>({}, {value});
  }
  absl::StatusOr<Tensor> operator()(std::monostate) const {
    return NodeError(3, "attribute", "the constant has no value");
  }
};

// Where the field that an operator's error names is in its node.
std::string FieldOfNode(const std::string& path, absl::string_view field) {
  static constexpr std::pair<absl::string_view, absl::string_view> kInputs[] = {
      {"data", "input[0]"},       {"indices", "input[1]"},
      {"updates", "input[2]"},    {"past_cache", "input[0]"},
      {"update", "input[1]"},     {"write_indices", "input[2]"},
      {"axis", "attribute"},      {"batch_dims", "attribute"},
      {"reduction", "attribute"}, {"mode", "attribute"}};
  if (field.empty()) return path;
  if (field.substr(0, 8) == "options.") return std::string(field);
  for (const auto& [name, place] : kInputs) {
    if (field == name) return absl::StrCat(path, ".", place);
  }
  return absl::StrCat(path, ".", field);
}

}  // namespace

NodeLabel LabelOf(const GraphNode& node, size_t index) {
  std::string type = QuotedName(node.op_type);
  type = type.substr(1, type.size() - 2);
  return {absl::StrCat("node ",
                       node.name.empty() ? absl::StrCat("#", index)
                                         : QuotedName(node.name),
                       " (", type, ")"),
          absl::StrCat("graph.node[", index, "]")};
}

absl::Status AtNode(const NodeLabel& label, const absl::Status& status) {
  absl::string_view message = status.message();
  // The run's own constraints say so once.
  const bool of_run = message.substr(0, 5) == "run: ";
  absl::Status at_node(status.code(),
                       absl::StrCat("run: ", label.text, ": ",
                                    of_run ? message.substr(5) : message));
  status.ForEachPayload([&](absl::string_view key, const absl::Cord& value) {
    at_node.SetPayload(key, value);
  });
  if (status.code() == absl::StatusCode::kInvalidArgument ||
      status.code() == absl::StatusCode::kOutOfRange ||
      status.code() == absl::StatusCode::kUnimplemented) {
    at_node.SetPayload(
        kFieldPayload,
        absl::Cord(FieldOfNode(label.path, GetPayload(status, kFieldPayload))));
  }
  return at_node;
}

absl::StatusOr<const OpType*> FindOpType(const GraphNode& node) {
  if (!node.domain.empty() && node.domain != "ai.onnx") {
    return WithField(absl::UnimplementedError(absl::StrCat(
                         "run: C1: unknown domain (", QuotedName(node.domain),
                         " vs '' or 'ai.onnx')")),
                     "domain");
  }
  for (const OpType& op_type : kOpTypes) {
    if (op_type.name == node.op_type) return &op_type;
  }
  return WithField(
      absl::UnimplementedError("run: C1: unknown op_type (expected an operator "
                               "that gathers or scatters)"),
      "op_type");
}

absl::Status CheckNode(const OpType& op_type, const GraphNode& node) {
  SCATTERD_RETURN_IF_ERROR(CheckEdgeCounts(op_type, node));
  SCATTERD_RETURN_IF_ERROR(CheckAttributes(op_type, node));
  return ReductionOf(node).status();
}

absl::StatusOr<NodePlan> PlanNode(const OpType& op_type, const GraphNode& node,
                                  absl::Span<const TensorSpec* const> inputs,
                                  const ExecutionOptions& options) {
  if (op_type.kind == NodeKind::kTensorScatter) {
    return PlanTensorScatterNode(node, inputs, options);
  }
  return PlanOperator(op_type, node, inputs, options);
}

absl::StatusOr<Tensor> ConstantOf(const GraphNode& node) {
  return std::visit(ToTensor(), node.attributes[0].value);
}

}  // namespace scatterd
