#include <optional>
#include <string>
#include <utility>

#include "core/errors.h"
#include "core/status_macros.h"
#include "proto/call_fields.h"
#include "proto/codec.h"
#include "proto/field_merger.h"
#include "proto/field_scope.h"
#include "proto/operand_codec.h"
#include "proto/options_codec.h"
#include "proto/stats_codec.h"
#include "proto/tensor_decoder.h"
#include "proto/tensor_encoder.h"
#include "proto/tensor_fields.h"
#include "proto/wire_reader.h"
#include "proto/wire_writer.h"
#include "scatterd/v1/operators.pb.h"

namespace scatterd {
namespace internal {
namespace {

using Request = v1::GradientRequest;
using Response = v1::GradientResponse;

constexpr FieldScope kGradient{"gradient"};
constexpr FieldScope kGradOutput{"gradient", "grad_output"};
constexpr FieldScope kOptions{"gradient", "options"};
constexpr FieldScope kResponse{"response"};
constexpr FieldScope kGradData{"response", "grad_data"};
constexpr FieldScope kGradUpdates{"response", "grad_updates"};

// The oneof's field of a forward request; it has the operator's name.
uint32_t ForwardField(OperatorId op) {
  switch (op) {
    case OperatorId::kGather:
      return Request::kGatherFieldNumber;
    case OperatorId::kGatherElements:
      return Request::kGatherElementsFieldNumber;
    case OperatorId::kGatherND:
      return Request::kGatherNdFieldNumber;
    case OperatorId::kScatterElements:
      return Request::kScatterElementsFieldNumber;
    case OperatorId::kScatterND:
      return Request::kScatterNdFieldNumber;
  }
  return 0;
}

// The operator whose request is in `field`; nullopt for other fields.
std::optional<OperatorId> ForwardOperator(uint32_t field) {
#define SCATTERD_OPERATOR(id, rpc, name, is_scatter) \
  if (field == ForwardField(OperatorId::id)) return OperatorId::id;
#include "core/ops/ops.inc"
  return std::nullopt;
}

// What a request says.  Refers to the message.
class GradientFields {
 public:
  explicit GradientFields(ReserveBytes reserve) : reserve_(reserve) {}

  absl::Status Merge(WireReader message) {
    return MergeFields(
        message, kGradient, reserve_,
        [this](FieldMerger& field) { return MergeField(field); });
  }

  absl::StatusOr<GradientCall> Build() const {
    if (!forward_) {
      return kGradient.Error("forward", "the forward request is missing");
    }
    GradientCall call;
    absl::StatusOr<OperatorCall> forward = forward_->Build();
    if (!forward.ok()) return BelowForward(forward.status());
    call.forward = *std::move(forward);
    SCATTERD_ASSIGN_OR_RETURN(call.grad_output,
                              grad_output_.Build(kGradOutput, reserve_));
    call.scale = scale_;
    SCATTERD_ASSIGN_OR_RETURN(call.options, options_.Build(kOptions, reserve_));
    return call;
  }

 private:
  absl::Status MergeField(FieldMerger& field) {
    switch (field.number()) {
      case Request::kGradOutputFieldNumber:
        return field.Delimited([this](WireReader body) {
          return grad_output_.Merge(body, kGradOutput, reserve_);
        });
      case Request::kScaleFieldNumber:
        return MergeScale(field);
      case Request::kOptionsFieldNumber:
        return field.Delimited([this](WireReader body) {
          return options_.Merge(body, kOptions, reserve_);
        });
      default:
        return MergeForward(field);
    }
  }

  absl::Status MergeScale(FieldMerger& field) {
    if (field.tag().type != WireType::kFixed64) return field.Skip();
    scale_ = 0;
    return field.Double(&*scale_);
  }

  // A request of the operator that is there is merged, of another replaces.
  absl::Status MergeForward(FieldMerger& field) {
    const std::optional<OperatorId> op = ForwardOperator(field.number());
    if (!op) return field.Skip();
    return field.Delimited([&](WireReader body) {
      if (!forward_ || forward_->op() != *op) forward_.emplace(*op, reserve_);
      const absl::Status status = forward_->Merge(body);
      return status.ok() ? status : BelowForward(status);
    });
  }

  absl::Status BelowForward(const absl::Status& status) const {
    return BelowField(status, OperatorName(forward_->op()));
  }

  const ReserveBytes reserve_;
  std::optional<CallFields> forward_;
  OperandFields grad_output_;
  std::optional<double> scale_;
  OptionsFields options_;
};

// Appends another message's parts without copying its payloads.
void Append(const EncodedMessage& message, WireWriter& writer) {
  for (const Buffer& part : message.parts()) writer.Payload(part);
}

absl::Status WriteTensorField(uint32_t field, const Tensor& tensor,
                              WireWriter& writer) {
  const uint64_t size = EncodedTensorSize(tensor);
  SCATTERD_RETURN_IF_ERROR(CheckMessageSize(size));
  writer.DelimitedHeader(field, size);
  return WriteTensor(tensor, writer);
}

absl::StatusOr<EncodedMessage> Finish(WireWriter& writer) {
  EncodedMessage message = writer.Finish();
  SCATTERD_RETURN_IF_ERROR(CheckMessageSize(message.size()));
  return message;
}

absl::Status MergeTensor(FieldMerger& field, const FieldScope& scope,
                         std::optional<TensorFields>& fields) {
  return field.Delimited([&](WireReader body) {
    if (!fields) fields.emplace();
    return fields->Merge(body, scope, field.reserve());
  });
}

}  // namespace
}  // namespace internal

absl::StatusOr<GradientCall> DecodeGradientCall(MessagePieces message,
                                                ReserveBytes reserve) {
  internal::GradientFields fields(reserve);
  SCATTERD_RETURN_IF_ERROR(fields.Merge(internal::WireReader(message)));
  return fields.Build();
}

absl::StatusOr<EncodedMessage> EncodeGradientCall(const GradientCall& call) {
  using internal::Request;
  SCATTERD_ASSIGN_OR_RETURN(const EncodedMessage forward,
                            EncodeCall(call.forward));
  const internal::OperandEncoder grad_output(call.grad_output);
  SCATTERD_RETURN_IF_ERROR(internal::CheckMessageSize(
      grad_output.Size(Request::kGradOutputFieldNumber)));
  SCATTERD_ASSIGN_OR_RETURN(const std::string options,
                            internal::EncodeOptions(call.options));
  internal::WireWriter writer;
  writer.DelimitedHeader(internal::ForwardField(call.forward.op),
                         forward.size());
  internal::Append(forward, writer);
  SCATTERD_RETURN_IF_ERROR(
      grad_output.Write(Request::kGradOutputFieldNumber, writer));
  if (call.scale) {
    Request wire;
    wire.set_scale(*call.scale);
    writer.Bytes(wire.SerializeAsString());
  }
  if (!options.empty()) {
    writer.BytesField(Request::kOptionsFieldNumber, options);
  }
  return internal::Finish(writer);
}

absl::StatusOr<EncodedMessage> EncodeGradientResult(
    const GradientResult& result) {
  using internal::Response;
  internal::WireWriter writer;
  SCATTERD_RETURN_IF_ERROR(internal::WriteTensorField(
      Response::kGradDataFieldNumber, result.grad_data, writer));
  if (result.grad_updates) {
    SCATTERD_RETURN_IF_ERROR(internal::WriteTensorField(
        Response::kGradUpdatesFieldNumber, *result.grad_updates, writer));
  }
  writer.BytesField(Response::kStatsFieldNumber,
                    internal::EncodeStats(result.stats));
  return internal::Finish(writer);
}

absl::StatusOr<GradientResult> DecodeGradientResult(MessagePieces message,
                                                    ReserveBytes reserve) {
  using internal::FieldMerger;
  using internal::Response;
  GradientResult result;
  std::optional<internal::TensorFields> grad_data;
  std::optional<internal::TensorFields> grad_updates;
  SCATTERD_RETURN_IF_ERROR(internal::MergeFields(
      internal::WireReader(message), internal::kResponse, reserve,
      [&](FieldMerger& field) {
        switch (field.number()) {
          case Response::kGradDataFieldNumber:
            return internal::MergeTensor(field, internal::kGradData, grad_data);
          case Response::kGradUpdatesFieldNumber:
            return internal::MergeTensor(field, internal::kGradUpdates,
                                         grad_updates);
          case Response::kStatsFieldNumber:
            return field.Delimited([&](internal::WireReader body) {
              return internal::MergeStats(body, reserve, &result.stats);
            });
          default:
            return field.Skip();
        }
      }));
  if (!grad_data) {
    return internal::kResponse.Error("grad_data", "grad_data is missing");
  }
  SCATTERD_ASSIGN_OR_RETURN(
      result.grad_data,
      internal::BuildTensor(*grad_data, internal::kGradData, reserve));
  if (grad_updates) {
    SCATTERD_ASSIGN_OR_RETURN(
        result.grad_updates,
        internal::BuildTensor(*grad_updates, internal::kGradUpdates, reserve));
  }
  return result;
}

}  // namespace scatterd
