#include <optional>
#include <utility>

#include "core/status_macros.h"
#include "proto/codec.h"
#include "proto/field_merger.h"
#include "proto/field_scope.h"
#include "proto/stats_codec.h"
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

}  // namespace

absl::StatusOr<EncodedMessage> EncodeResult(const OperatorResult& result) {
  WireWriter writer;
  if (result.output) {
    const uint64_t size = EncodedTensorSize(*result.output);
    SCATTERD_RETURN_IF_ERROR(internal::CheckMessageSize(size));
    writer.DelimitedHeader(Response::kOutputFieldNumber, size);
    SCATTERD_RETURN_IF_ERROR(internal::WriteTensor(*result.output, writer));
  }
  writer.BytesField(Response::kStatsFieldNumber,
                    internal::EncodeStats(result.stats));
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
              return internal::MergeStats(body, reserve, &result.stats);
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
