// ExecutionStats.

#ifndef SCATTERD_PROTO_STATS_CODEC_H_
#define SCATTERD_PROTO_STATS_CODEC_H_

#include <string>

#include "absl/status/status.h"
#include "core/call.h"
#include "proto/codec.h"
#include "proto/wire_reader.h"

namespace scatterd::internal {

// The serialized statistics.
std::string EncodeStats(const ExecutionStats& stats);

// Merges a response's statistics into `stats`.
absl::Status MergeStats(WireReader message, ReserveBytes reserve,
                        ExecutionStats* stats);

}  // namespace scatterd::internal

#endif  // SCATTERD_PROTO_STATS_CODEC_H_
