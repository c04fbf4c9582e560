// Random RunRequests, what they mean, and how graph calls differ.

#ifndef SCATTERD_TESTS_PROTO_GRAPH_MESSAGES_H_
#define SCATTERD_TESTS_PROTO_GRAPH_MESSAGES_H_

#include <optional>
#include <string>

#include "core/graph.h"
#include "scatterd/v1/operators.pb.h"
#include "tests/proto/wire_scrambler.h"

namespace scatterd::test {

// A request whose every field may be set; every attribute has a type.
void FillRunRequest(WireScrambler& random, v1::RunRequest* request);

// What a parsed request means, written from the contract alone; nullopt: it is
// refused.  Every attribute has a type.
std::optional<GraphCall> GraphCallOf(const v1::RunRequest& request);

// Everything that a call holds, as text: equal calls and no others have equal
// texts.
std::string Describe(const GraphCall& call);

}  // namespace scatterd::test

#endif  // SCATTERD_TESTS_PROTO_GRAPH_MESSAGES_H_
