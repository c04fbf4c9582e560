#include "core/graph_plan.h"

#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>

#include "absl/container/flat_hash_map.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "core/errors.h"
#include "core/graph_edges.h"
#include "core/status_macros.h"

namespace scatterd {
namespace {

using internal::GraphEdges;

absl::Status RunError(int n, absl::string_view field, absl::string_view what) {
  return ConstraintError("run", n, field, what);
}

std::string FeedField(absl::string_view name) {
  return absl::StrCat("feeds[", QuotedName(name), "]");
}

TensorSpec SpecOf(const Operand& operand) {
  if (const auto* tensor = std::get_if<Tensor>(&operand)) return tensor->spec();
  if (const auto* zeros = std::get_if<ZerosSpec>(&operand)) return zeros->spec;
  return {};
}

// "FLOAT[2,n,?]".
std::string DeclarationText(const DeclaredEdge& declared) {
  std::string text(declared.dtype == DType::kUnspecified
                       ? "any dtype"
                       : DTypeName(declared.dtype));
  if (!declared.dims) return text;
  return absl::StrCat(
      text, "[",
      absl::StrJoin(*declared.dims, ",",
                    [](std::string* out, const DeclaredDim& dim) {
                      if (dim.extent) {
                        absl::StrAppend(out, *dim.extent);
                      } else {
                        absl::StrAppend(out, dim.symbol.empty() ? "?" : "",
                                        dim.symbol.empty()
                                            ? std::string()
                                            : QuotedName(dim.symbol));
                      }
                    }),
      "]");
}

// What symbols stand for, all inputs together.
using Symbols = std::map<std::string, int64_t>;

bool Matches(const DeclaredEdge& declared, const TensorSpec& spec,
             Symbols& symbols) {
  if (declared.dtype != DType::kUnspecified && declared.dtype != spec.dtype) {
    return false;
  }
  if (!declared.dims) return true;
  if (static_cast<int>(declared.dims->size()) != spec.shape.rank()) {
    return false;
  }
  for (int d = 0; d < spec.shape.rank(); ++d) {
    const DeclaredDim& dim = (*declared.dims)[static_cast<size_t>(d)];
    const int64_t extent = spec.shape[d];
    if (dim.extent && *dim.extent != extent) return false;
    if (dim.extent || dim.symbol.empty()) continue;
    if (symbols.try_emplace(dim.symbol, extent).first->second != extent) {
      return false;
    }
  }
  return true;
}

class GraphPlanner {
 public:
  explicit GraphPlanner(const GraphCall& call)
      : call_(call), graph_(call.graph) {}

  absl::StatusOr<GraphPlan> Plan() {
    SCATTERD_RETURN_IF_ERROR(CheckNodes());
    SCATTERD_ASSIGN_OR_RETURN(edges_, internal::FindEdges(graph_));
    SCATTERD_ASSIGN_OR_RETURN(const std::vector<size_t> order,
                              internal::SortNodes(graph_, edges_));
    SCATTERD_RETURN_IF_ERROR(CheckFeeds());
    SCATTERD_RETURN_IF_ERROR(CheckFetches());
    SCATTERD_RETURN_IF_ERROR(AddInputs());
    AddInitializers();
    for (const size_t node : order) {
      const absl::Status status = AddNode(node);
      if (!status.ok()) return AtNode(Label(node), status);
    }
    KeepWhatIsNeeded();
    return std::move(plan_);
  }

 private:
  NodeLabel Label(size_t node) const {
    return LabelOf(graph_.nodes[node], node);
  }

  absl::Status CheckNodes() {
    if (graph_.nodes.size() > kMaxGraphNodes) {
      return LimitError("the number of a graph's nodes", graph_.nodes.size(),
                        kMaxGraphNodes);
    }
    // What scatterd has not is said first, whatever else is wrong.
    for (size_t i = 0; i < graph_.nodes.size(); ++i) {
      const absl::StatusOr<const OpType*> op_type = FindOpType(graph_.nodes[i]);
      if (!op_type.ok()) return AtNode(Label(i), op_type.status());
      op_types_.push_back(*op_type);
    }
    for (size_t i = 0; i < graph_.nodes.size(); ++i) {
      const absl::Status status = CheckNode(*op_types_[i], graph_.nodes[i]);
      if (!status.ok()) return AtNode(Label(i), status);
    }
    return absl::OkStatus();
  }

  absl::Status CheckFeeds() const {
    for (const auto& [name, operand] : call_.feeds) {
      const auto edge = edges_.find(name);
      if (edge == edges_.end() || !edge->second.input) {
        return RunError(7, FeedField(name),
                        absl::StrCat("feed ", QuotedName(name),
                                     " is no input of the "
                                     "graph"));
      }
      const absl::StatusOr<size_t> bytes = CheckedByteSize(SpecOf(operand));
      if (!bytes.ok()) {
        return RunError(0, FeedField(name),
                        absl::StrCat("feed ", QuotedName(name), ": ",
                                     bytes.status().message()));
      }
    }
    return absl::OkStatus();
  }

  absl::Status CheckFetches() const {
    if (call_.fetches.empty()) {
      return RunError(9, "fetches", "nothing is fetched (0 vs at least 1)");
    }
    std::set<absl::string_view> names;
    for (size_t i = 0; i < call_.fetches.size(); ++i) {
      const std::string& name = call_.fetches[i];
      const std::string field = absl::StrCat("fetches[", i, "]");
      if (!edges_.contains(name)) {
        return RunError(9, field,
                        absl::StrCat("fetch ", QuotedName(name),
                                     " is no edge of the graph"));
      }
      if (!names.insert(name).second) {
        return RunError(9, field,
                        absl::StrCat("fetch ", QuotedName(name),
                                     " is named twice (2 vs 1)"));
      }
    }
    return absl::OkStatus();
  }

  size_t AddTensor(absl::string_view edge, Operand source) {
    TensorSpec spec = SpecOf(source);
    plan_.tensors.push_back({std::move(source), std::move(spec)});
    tensor_of_[edge] = plan_.tensors.size() - 1;
    return plan_.tensors.size() - 1;
  }

  absl::Status AddInputs() {
    Symbols symbols;
    for (size_t i = 0; i < graph_.inputs.size(); ++i) {
      const DeclaredEdge& input = graph_.inputs[i];
      const std::optional<size_t> initializer = edges_[input.name].initializer;
      const auto feed = call_.feeds.find(input.name);
      const bool is_fed = feed != call_.feeds.end();
      if (!is_fed && !initializer) {
        return RunError(
            7, FeedField(input.name),
            absl::StrCat("input ", QuotedName(input.name), " is not fed"));
      }
      const size_t tensor =
          is_fed ? AddTensor(input.name, feed->second)
                 : AddTensor(input.name, graph_.initializers[*initializer]);
      const TensorSpec& spec = plan_.tensors[tensor].spec;
      if (!Matches(input, spec, symbols)) {
        return RunError(
            8,
            is_fed ? FeedField(input.name)
                   : absl::StrCat("graph.initializer[", *initializer, "]"),
            absl::StrCat("input ", QuotedName(input.name),
                         " is not as the graph declares it (", spec.ToString(),
                         " vs ", DeclarationText(input), ")"));
      }
    }
    return absl::OkStatus();
  }

  void AddInitializers() {
    for (const Tensor& initializer : graph_.initializers) {
      if (!edges_[initializer.name()].input) {
        AddTensor(initializer.name(), initializer);
      }
    }
  }

  absl::Status AddNode(size_t i) {
    const GraphNode& node = graph_.nodes[i];
    const std::string& output = node.outputs[0];
    switch (op_types_[i]->kind) {
      case NodeKind::kConstant: {
        SCATTERD_ASSIGN_OR_RETURN(Tensor value, ConstantOf(node));
        AddTensor(output, std::move(value));
        return absl::OkStatus();
      }
      case NodeKind::kIdentity:
        tensor_of_[output] = tensor_of_[node.inputs[0]];
        return absl::OkStatus();
      default:
        return AddStep(i);
    }
  }

  absl::Status AddStep(size_t i) {
    const GraphNode& node = graph_.nodes[i];
    const OpType& op_type = *op_types_[i];
    std::vector<const TensorSpec*> specs;
    std::vector<size_t> tensors;
    for (const std::string& input : node.inputs) {
      tensors.push_back(input.empty() ? 0 : tensor_of_[input]);
      specs.push_back(input.empty() ? nullptr
                                    : &plan_.tensors[tensors.back()].spec);
    }
    GraphStep step;
    SCATTERD_ASSIGN_OR_RETURN(step.plan,
                              PlanNode(op_type, node, specs, call_.options));
    step.label = Label(i);
    step.data = tensors[0];
    if (op_type.kind == NodeKind::kTensorScatter) {
      step.updates = tensors[1];
      if (specs.size() > 2 && specs[2] != nullptr) step.indices = tensors[2];
    } else {
      step.indices = tensors[1];
      if (IsScatter(op_type.op)) step.updates = tensors[2];
    }
    step.output = AddTensor(node.outputs[0], Operand());
    plan_.tensors[step.output].spec = PlanOf(step).output;
    plan_.steps.push_back(std::move(step));
    return absl::OkStatus();
  }

  // Counts uses from the fetches back; steps that nobody needs go.
  void KeepWhatIsNeeded() {
    for (const std::string& fetch : call_.fetches) {
      plan_.fetches.push_back(tensor_of_[fetch]);
      ++plan_.tensors[plan_.fetches.back()].num_uses;
    }
    std::vector<GraphStep> needed;
    for (auto step = plan_.steps.rbegin(); step != plan_.steps.rend(); ++step) {
      if (plan_.tensors[step->output].num_uses == 0) continue;
      ++plan_.tensors[step->data].num_uses;
      if (step->indices) ++plan_.tensors[*step->indices].num_uses;
      if (PlanOf(*step).is_scatter) ++plan_.tensors[step->updates].num_uses;
      needed.push_back(std::move(*step));
    }
    plan_.steps.assign(std::make_move_iterator(needed.rbegin()),
                       std::make_move_iterator(needed.rend()));
    for (PlannedTensor& tensor : plan_.tensors) {
      if (tensor.num_uses == 0) tensor.source = Operand();
    }
  }

  const GraphCall& call_;
  const Graph& graph_;
  std::vector<const OpType*> op_types_;  // by node
  GraphEdges edges_;
  absl::flat_hash_map<absl::string_view, size_t> tensor_of_;  // by edge
  GraphPlan plan_;
};

}  // namespace

const Plan& PlanOf(const GraphStep& step) {
  if (const auto* plan = std::get_if<TensorScatterPlan>(&step.plan)) {
    return plan->plan;
  }
  return std::get<Plan>(step.plan);
}

absl::StatusOr<GraphPlan> PlanGraph(const GraphCall& call) {
  return GraphPlanner(call).Plan();
}

}  // namespace scatterd
