// The command line of `scatterctl run`.

#ifndef SCATTERD_CLIENT_CTL_GRAPH_FLAGS_H_
#define SCATTERD_CLIENT_CTL_GRAPH_FLAGS_H_

#include <string>
#include <vector>

#include "CLI/App.hpp"
#include "absl/status/statusor.h"
#include "client/ctl/operator_flags.h"
#include "core/graph.h"

namespace scatterd {

// Flags as they were given; empty = not given.
struct GraphFlags {
  std::string model;
  std::vector<std::string> feeds;    // NAME=TENSOR
  std::vector<std::string> zeros;    // NAME=SPEC
  std::vector<std::string> fetches;  // names
  std::vector<std::string> outputs;  // NAME=FILE, or FILE for the only fetch
  OperatorFlags behaviour;
  bool stats = false;
};

// Adds the flags to `command`; parsing fills `flags`, which must outlive it.
void AddGraphFlags(CLI::App& command, GraphFlags& flags);

// The request that the flags describe, and where its results go.
struct GraphCommand {
  GraphCall call;

  // By the places of the fetches; empty: printed.
  std::vector<std::string> files;
};

// Files are read here.  The error begins with the flag that is at fault.
absl::StatusOr<GraphCommand> BuildGraphCommand(const GraphFlags& flags);

}  // namespace scatterd

#endif  // SCATTERD_CLIENT_CTL_GRAPH_FLAGS_H_
