#include "core/graph_edges.h"

#include <algorithm>
#include <functional>
#include <queue>
#include <utility>

#include "absl/strings/str_cat.h"
#include "core/errors.h"
#include "core/graph_ops.h"
#include "core/status_macros.h"

namespace scatterd::internal {
namespace {

// Adds edges, one origin at a time.
class EdgeCollector {
 public:
  explicit EdgeCollector(const Graph& graph) : graph_(graph) {}

  absl::StatusOr<GraphEdges> Collect() {
    for (size_t i = 0; i < graph_.initializers.size(); ++i) {
      SCATTERD_RETURN_IF_ERROR(AddInitializer(i));
    }
    for (size_t i = 0; i < graph_.inputs.size(); ++i) {
      SCATTERD_RETURN_IF_ERROR(AddInput(i));
    }
    for (size_t i = 0; i < graph_.nodes.size(); ++i) {
      SCATTERD_RETURN_IF_ERROR(AddNode(i));
    }
    return std::move(edges_);
  }

 private:
  absl::Status AddInitializer(size_t i) {
    const std::string& name = graph_.initializers[i].name();
    const std::string field = absl::StrCat("graph.initializer[", i, "]");
    SCATTERD_RETURN_IF_ERROR(CheckName(name, field, "an initializer"));
    const auto [it, is_new] = edges_.try_emplace(name);
    it->second.initializer = i;
    return is_new ? absl::OkStatus() : Duplicate(name, field);
  }

  absl::Status AddInput(size_t i) {
    const std::string& name = graph_.inputs[i].name;
    const std::string field = absl::StrCat("graph.input[", i, "]");
    SCATTERD_RETURN_IF_ERROR(CheckName(name, field, "an input"));
    EdgeOrigin& origin = edges_[name];
    if (origin.input) return Duplicate(name, field);
    origin.input = i;
    return absl::OkStatus();
  }

  absl::Status AddNode(size_t i) {
    const GraphNode& node = graph_.nodes[i];
    const std::string& name = node.outputs[0];
    absl::Status status = CheckName(name, "output[0]", "its output");
    if (status.ok()) {
      const auto [it, is_new] = edges_.try_emplace(name);
      it->second.node = i;
      if (!is_new) status = Duplicate(name, "output[0]");
    }
    return status.ok() ? status : AtNode(LabelOf(node, i), status);
  }

  static absl::Status CheckName(absl::string_view name, absl::string_view field,
                                absl::string_view what) {
    if (!name.empty()) return absl::OkStatus();
    return ConstraintError("run", 4, field, absl::StrCat(what, " has no name"));
  }

  static absl::Status Duplicate(absl::string_view name,
                                absl::string_view field) {
    return ConstraintError(
        "run", 4, field,
        absl::StrCat("edge ", QuotedName(name), " is written twice (2 vs 1)"));
  }

  const Graph& graph_;
  GraphEdges edges_;
};

// Kahn's algorithm; of the nodes that may run, the first in the graph does.
class NodeSorter {
 public:
  NodeSorter(const Graph& graph, const GraphEdges& edges)
      : graph_(graph),
        edges_(edges),
        readers_(graph.nodes.size()),
        num_awaited_(graph.nodes.size()) {}

  absl::StatusOr<std::vector<size_t>> Sort() {
    for (size_t i = 0; i < graph_.nodes.size(); ++i) {
      SCATTERD_RETURN_IF_ERROR(AddReads(i));
    }
    for (size_t i = 0; i < graph_.nodes.size(); ++i) {
      if (num_awaited_[i] == 0) ready_.push(i);
    }
    std::vector<size_t> order;
    while (!ready_.empty()) {
      order.push_back(ready_.top());
      ready_.pop();
      for (const size_t reader : readers_[order.back()]) {
        if (--num_awaited_[reader] == 0) ready_.push(reader);
      }
    }
    if (order.size() < graph_.nodes.size()) return CycleError();
    return order;
  }

 private:
  absl::Status AddReads(size_t i) {
    const GraphNode& node = graph_.nodes[i];
    for (size_t k = 0; k < node.inputs.size(); ++k) {
      if (node.inputs[k].empty()) continue;
      const auto edge = edges_.find(node.inputs[k]);
      if (edge == edges_.end()) {
        return AtNode(LabelOf(node, i),
                      ConstraintError("run", 5, absl::StrCat("input[", k, "]"),
                                      absl::StrCat("there is no edge ",
                                                   QuotedName(node.inputs[k]),
                                                   " to read")));
      }
      if (!edge->second.node) continue;
      readers_[*edge->second.node].push_back(i);
      ++num_awaited_[i];
    }
    return absl::OkStatus();
  }

  // A node that waits before node `i`, which waits.
  size_t AwaitedBy(size_t i) const {
    for (const std::string& input : graph_.nodes[i].inputs) {
      const auto edge = edges_.find(input);
      if (edge == edges_.end() || !edge->second.node) continue;
      if (num_awaited_[*edge->second.node] != 0) return *edge->second.node;
    }
    return i;  // unreachable
  }

  // Going back from any node that waits ends on a cycle.
  absl::Status CycleError() const {
    size_t i = 0;
    while (num_awaited_[i] == 0) ++i;
    std::vector<bool> seen(graph_.nodes.size());
    for (; !seen[i]; i = AwaitedBy(i)) seen[i] = true;
    const GraphNode& node = graph_.nodes[i];
    return AtNode(
        LabelOf(node, i),
        ConstraintError("run", 6, "",
                        absl::StrCat("edge ", QuotedName(node.outputs[0]),
                                     " depends on itself")));
  }

  const Graph& graph_;
  const GraphEdges& edges_;
  std::vector<std::vector<size_t>> readers_;
  std::vector<size_t> num_awaited_;  // reads of edges that are not there yet
  std::priority_queue<size_t, std::vector<size_t>, std::greater<>> ready_;
};

}  // namespace

absl::StatusOr<GraphEdges> FindEdges(const Graph& graph) {
  return EdgeCollector(graph).Collect();
}

absl::StatusOr<std::vector<size_t>> SortNodes(const Graph& graph,
                                              const GraphEdges& edges) {
  return NodeSorter(graph, edges).Sort();
}

}  // namespace scatterd::internal
