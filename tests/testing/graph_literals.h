// Graphs as literals.
//
//   GraphCall call = CallOf({Node("ScatterND", {"x", "i", "u"}, "y")},
//                           {{"x", x}, {"i", i}, {"u", u}}, {"y"});
//
// Every feed is an input of the graph.

#ifndef SCATTERD_TESTS_TESTING_GRAPH_LITERALS_H_
#define SCATTERD_TESTS_TESTING_GRAPH_LITERALS_H_

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "core/graph.h"

namespace scatterd::test {

inline GraphNode Node(std::string op_type, std::vector<std::string> inputs,
                      std::string output,
                      std::vector<GraphAttribute> attributes = {}) {
  return {.name = "",
          .op_type = std::move(op_type),
          .domain = "",
          .inputs = std::move(inputs),
          .outputs = {std::move(output)},
          .attributes = std::move(attributes)};
}

inline GraphCall CallOf(std::vector<GraphNode> nodes,
                        std::map<std::string, Operand> feeds,
                        std::vector<std::string> fetches) {
  GraphCall call;
  call.graph.nodes = std::move(nodes);
  for (const auto& [name, operand] : feeds) {
    call.graph.inputs.push_back({.name = name});
  }
  call.feeds = std::move(feeds);
  call.fetches = std::move(fetches);
  return call;
}

inline Tensor Named(std::string name, Tensor tensor) {
  tensor.set_name(std::move(name));
  return tensor;
}

}  // namespace scatterd::test

#endif  // SCATTERD_TESTS_TESTING_GRAPH_LITERALS_H_
