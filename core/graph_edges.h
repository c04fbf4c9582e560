// The names in a graph: who writes which edge, and in which order nodes run.

#ifndef SCATTERD_CORE_GRAPH_EDGES_H_
#define SCATTERD_CORE_GRAPH_EDGES_H_

#include <optional>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "core/graph.h"

namespace scatterd::internal {

// Where an edge comes from; numbers are places in the graph.  An input may
// have an initializer as its default.
struct EdgeOrigin {
  std::optional<size_t> input;
  std::optional<size_t> initializer;
  std::optional<size_t> node;
};

// Refers to the graph's names.
using GraphEdges = absl::flat_hash_map<absl::string_view, EdgeOrigin>;

// INVALID_ARGUMENT for C4 of core/graph_plan.h.
absl::StatusOr<GraphEdges> FindEdges(const Graph& graph);

// The nodes, each behind those whose outputs it reads, else in the order of
// the graph.  INVALID_ARGUMENT for C5 and C6.
absl::StatusOr<std::vector<size_t>> SortNodes(const Graph& graph,
                                              const GraphEdges& edges);

}  // namespace scatterd::internal

#endif  // SCATTERD_CORE_GRAPH_EDGES_H_
