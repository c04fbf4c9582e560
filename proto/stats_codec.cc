#include "proto/stats_codec.h"

#include "proto/field_merger.h"
#include "proto/field_scope.h"
#include "scatterd/v1/operators.pb.h"

namespace scatterd::internal {
namespace {

using Wire = v1::ExecutionStats;

constexpr FieldScope kStats{"response", "stats"};

}  // namespace

std::string EncodeStats(const ExecutionStats& stats) {
  Wire wire;
  wire.set_queue_ns(stats.queue_ns);
  wire.set_compute_ns(stats.compute_ns);
  wire.set_device(stats.device);
  wire.set_bytes_read(stats.bytes_read);
  wire.set_bytes_written(stats.bytes_written);
  return wire.SerializeAsString();
}

absl::Status MergeStats(WireReader message, ReserveBytes reserve,
                        ExecutionStats* stats) {
  return MergeFields(message, kStats, reserve, [stats](FieldMerger& field) {
    switch (field.number()) {
      case Wire::kQueueNsFieldNumber:
        return field.Number(&stats->queue_ns);
      case Wire::kComputeNsFieldNumber:
        return field.Number(&stats->compute_ns);
      case Wire::kDeviceFieldNumber:
        return field.Text("device", &stats->device);
      case Wire::kBytesReadFieldNumber:
        return field.Number(&stats->bytes_read);
      case Wire::kBytesWrittenFieldNumber:
        return field.Number(&stats->bytes_written);
      default:
        return field.Skip();
    }
  });
}

}  // namespace scatterd::internal
