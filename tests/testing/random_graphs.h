// Random graphs, and what they compute one node at a time.

#ifndef SCATTERD_TESTS_TESTING_RANDOM_GRAPHS_H_
#define SCATTERD_TESTS_TESTING_RANDOM_GRAPHS_H_

#include <cstdint>
#include <functional>
#include <map>
#include <string>

#include "core/graph.h"

namespace scatterd::test {

// A valid graph of up to `max_nodes` nodes of every kind, listed in any order,
// with feeds, initializers and constants; some of its edges are fetched.  The
// same on every machine for the same seed.
GraphCall RandomGraph(uint64_t seed, int max_nodes);

// Answers a call of one operator.
using RunOperator = std::function<Tensor(const OperatorCall& call)>;

// Every edge of the graph, made by calls of single operators, Identity and
// Constant by nothing, and TensorScatter by loops.  The nodes need no order.
std::map<std::string, Tensor> RunNodeByNode(const GraphCall& call,
                                            const RunOperator& run);

}  // namespace scatterd::test

#endif  // SCATTERD_TESTS_TESTING_RANDOM_GRAPHS_H_
