#include <optional>
#include <string>
#include <utility>

#include "core/status_macros.h"
#include "proto/codec.h"
#include "proto/field_merger.h"
#include "proto/field_scope.h"
#include "proto/tensor_decoder.h"
#include "proto/tensor_encoder.h"
#include "proto/tensor_fields.h"
#include "proto/wire_reader.h"
#include "proto/wire_writer.h"
#include "scatterd/v1/operators.pb.h"

namespace scatterd {
namespace {

using internal::FieldMerger;
using internal::FieldScope;
using internal::MergeFields;
using internal::TensorFields;
using internal::WireReader;
using internal::WireWriter;
using Response = v1::OperatorResponse;

constexpr FieldScope kResponse{"response"};
constexpr FieldScope kOutput{"response", "output"};
constexpr FieldScope kStats{"response", "stats"};

std::string EncodeStats(const ExecutionStats& stats) {
  v1::ExecutionStats wire;
  wire.set_queue_ns(stats.queue_ns);
  wire.set_compute_ns(stats.compute_ns);
  wire.set_device(stats.device);
  wire.set_bytes_read(stats.bytes_read);
  wire.set_bytes_written(stats.bytes_written);
  return wire.SerializeAsString();
}

absl::Status MergeStats(WireReader message, ReserveBytes reserve,
                        ExecutionStats* stats) {
  using Wire = v1::ExecutionStats;
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

}  // namespace

absl::StatusOr<EncodedMessage> EncodeResult(const OperatorResult& result) {
  WireWriter writer;
  if (result.output) {
    const uint64_t size = EncodedTensorSize(*result.output);
    SCATTERD_RETURN_IF_ERROR(internal::CheckMessageSize(size));
    writer.DelimitedHeader(Response::kOutputFieldNumber, size);
    SCATTERD_RETURN_IF_ERROR(internal::WriteTensor(*result.output, writer));
  }
  writer.BytesField(Response::kStatsFieldNumber, EncodeStats(result.stats));
  EncodedMessage message = writer.Finish();
  SCATTERD_RETURN_IF_ERROR(internal::CheckMessageSize(message.size()));
  return message;
}

absl::StatusOr<OperatorResult> DecodeResult(MessagePieces message,
                                            ReserveBytes reserve) {
  OperatorResult result;
  std::optional<TensorFields> output;
  SCATTERD_RETURN_IF_ERROR(MergeFields(
      WireReader(message), kResponse, reserve, [&](FieldMerger& field) {
        switch (field.number()) {
          case Response::kOutputFieldNumber:
            return field.Delimited([&](WireReader body) {
              if (!output) output.emplace();
              return output->Merge(body, kOutput, reserve);
            });
          case Response::kStatsFieldNumber:
            return field.Delimited([&](WireReader body) {
              return MergeStats(body, reserve, &result.stats);
            });
          default:
            return field.Skip();
        }
      }));
  if (output) {
    SCATTERD_ASSIGN_OR_RETURN(result.output,
                              internal::BuildTensor(*output, kOutput, reserve));
  }
  return result;
}

absl::StatusOr<Tensor> DecodeTensor(MessagePieces message,
                                    ReserveBytes reserve) {
  constexpr FieldScope kTensor{"tensor"};
  TensorFields fields;
  SCATTERD_RETURN_IF_ERROR(fields.Merge(WireReader(message), kTensor, reserve));
  return internal::BuildTensor(fields, kTensor, reserve);
}

}  // namespace scatterd
