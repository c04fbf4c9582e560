// Graphs on the wire; see proto/codec.h for what holds for all decoders.
//
// Fed tensors and initializers are copied once on their way in and not on
// their way out, like other operands.  Tensors of attributes, which are small
// in practice, are copied on their way out.

#ifndef SCATTERD_PROTO_GRAPH_CODEC_H_
#define SCATTERD_PROTO_GRAPH_CODEC_H_

#include "absl/status/statusor.h"
#include "core/graph.h"
#include "proto/codec.h"

namespace scatterd {

// RunRequest.  Errors begin "run: C0: ", with paths like
// "graph.node[3].attribute[0].t.raw_data".  The graph is decoded, not checked:
// that is planning (core/graph_plan.h).
absl::StatusOr<GraphCall> DecodeGraphCall(MessagePieces message,
                                          ReserveBytes reserve);

// The inverse.  Errors as EncodeCall.
absl::StatusOr<EncodedMessage> EncodeGraphCall(const GraphCall& call);

// RunResponse.
absl::StatusOr<EncodedMessage> EncodeGraphResult(const GraphResult& result);
absl::StatusOr<GraphResult> DecodeGraphResult(MessagePieces message,
                                              ReserveBytes reserve);

// The graph of a serialized onnx.ModelProto, a .onnx file.  Errors begin
// "model: C0: "; INVALID_ARGUMENT also for a model without a graph.
absl::StatusOr<Graph> DecodeModel(MessagePieces message, ReserveBytes reserve);

}  // namespace scatterd

#endif  // SCATTERD_PROTO_GRAPH_CODEC_H_
