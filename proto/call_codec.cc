#include <cstdint>
#include <optional>
#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "core/status_macros.h"
#include "proto/call_fields.h"
#include "proto/codec.h"
#include "proto/enums.h"
#include "proto/field_merger.h"
#include "proto/field_scope.h"
#include "proto/operand_codec.h"
#include "proto/options_codec.h"
#include "proto/tensor_encoder.h"
#include "proto/wire_reader.h"
#include "proto/wire_writer.h"

namespace scatterd {
namespace internal {

// Field numbers of an operator's request; 0: it has no such field.
struct CallRow {
  OperatorId op;
  uint32_t data, indices, updates;
  uint32_t axis, batch_dims, reduction, exclude_self;
};

namespace {

constexpr uint32_t kOptions = 14;
constexpr uint32_t kOutput = 15;

// In the order of CallRow's members.
constexpr CallRow kRows[] = {
    {OperatorId::kGather, 1, 2, 0, 3, 4, 0, 0},
    {OperatorId::kGatherElements, 1, 2, 0, 3, 0, 0, 0},
    {OperatorId::kGatherND, 1, 2, 0, 0, 3, 0, 0},
    {OperatorId::kScatterElements, 1, 2, 3, 4, 0, 5, 6},
    {OperatorId::kScatterND, 1, 2, 3, 0, 6, 4, 5},
};

const CallRow& RowOf(OperatorId op) {
  for (const CallRow& row : kRows) {
    if (row.op == op) return row;
  }
  return kRows[0];  // unreachable: every operator has a row
}

}  // namespace

CallFields::CallFields(OperatorId op, ReserveBytes reserve)
    : row_(&RowOf(op)), scope_{OperatorName(op)}, reserve_(reserve) {}

OperatorId CallFields::op() const { return row_->op; }

absl::Status CallFields::Merge(WireReader message) {
  return MergeFields(message, scope_, reserve_,
                     [this](FieldMerger& field) { return MergeField(field); });
}

absl::StatusOr<OperatorCall> CallFields::Build() const {
  OperatorCall call;
  call.op = row_->op;
  call.attributes = attributes_;
  SCATTERD_RETURN_IF_ERROR(BuildReduction(call.attributes));
  SCATTERD_ASSIGN_OR_RETURN(call.options,
                            options_.Build(Child("options"), reserve_));
  SCATTERD_ASSIGN_OR_RETURN(call.output, output_.Build(Child("output")));
  SCATTERD_ASSIGN_OR_RETURN(call.data, data_.Build(Child("data"), reserve_));
  SCATTERD_ASSIGN_OR_RETURN(call.indices,
                            indices_.Build(Child("indices"), reserve_));
  SCATTERD_ASSIGN_OR_RETURN(call.updates,
                            updates_.Build(Child("updates"), reserve_));
  return call;
}

absl::Status CallFields::MergeField(FieldMerger& field) {
  const uint32_t number = field.number();
  if (number == row_->data) return MergeMessage(field, "data", data_);
  if (number == row_->indices) return MergeMessage(field, "indices", indices_);
  if (number == row_->updates) return MergeMessage(field, "updates", updates_);
  if (number == kOptions) return MergeMessage(field, "options", options_);
  if (number == kOutput) return MergeMessage(field, "output", output_);
  if (number == row_->axis) return field.Number(&attributes_.axis);
  if (number == row_->batch_dims) return field.Number(&attributes_.batch_dims);
  if (number == row_->reduction) return field.Number(&reduction_);
  if (number == row_->exclude_self) {
    return field.Number(&attributes_.exclude_self);
  }
  return field.Skip();
}

template <typename Fields>
absl::Status CallFields::MergeMessage(FieldMerger& field,
                                      absl::string_view name, Fields& fields) {
  return field.Delimited([&](WireReader body) {
    return fields.Merge(body, Child(name), reserve_);
  });
}

absl::Status CallFields::BuildReduction(OperatorAttributes& attributes) const {
  if (reduction_ == 0) return absl::OkStatus();
  const std::optional<Reduction> reduction =
      EnumFromWire<Reduction>(reduction_);
  if (!reduction) {
    return scope_.Error(
        "reduction",
        absl::StrCat("reduction has an unknown value (", reduction_, ")"));
  }
  attributes.reduction = *reduction;
  return absl::OkStatus();
}

namespace {

// A request ready to be written.  Refers to the call.
class CallEncoder {
 public:
  explicit CallEncoder(const OperatorCall& call)
      : row_(RowOf(call.op)),
        call_(call),
        data_(call.data),
        indices_(call.indices),
        updates_(call.updates),
        output_(EncodeOutputTarget(call.output)) {}

  absl::StatusOr<EncodedMessage> Encode() {
    SCATTERD_RETURN_IF_ERROR(CheckMessageSize(OperandsSize()));
    SCATTERD_ASSIGN_OR_RETURN(const std::string options,
                              EncodeOptions(call_.options));
    WireWriter writer;
    SCATTERD_RETURN_IF_ERROR(data_.Write(row_.data, writer));
    SCATTERD_RETURN_IF_ERROR(indices_.Write(row_.indices, writer));
    if (row_.updates != 0) {
      SCATTERD_RETURN_IF_ERROR(updates_.Write(row_.updates, writer));
    }
    WriteScalars(writer);
    if (!options.empty()) writer.BytesField(kOptions, options);
    if (!output_.empty()) writer.BytesField(kOutput, output_);
    EncodedMessage message = writer.Finish();
    SCATTERD_RETURN_IF_ERROR(CheckMessageSize(message.size()));
    return message;
  }

 private:
  uint64_t OperandsSize() const {
    return data_.Size(row_.data) + indices_.Size(row_.indices) +
           (row_.updates == 0 ? 0 : updates_.Size(row_.updates));
  }

  // Writes what is not the default.
  void WriteScalars(WireWriter& writer) const {
    const auto write = [&writer](uint32_t field, uint64_t value) {
      if (field != 0 && value != 0) writer.VarintField(field, value);
    };
    const OperatorAttributes& attributes = call_.attributes;
    write(row_.axis, static_cast<uint64_t>(attributes.axis));
    write(row_.batch_dims, static_cast<uint64_t>(attributes.batch_dims));
    if (attributes.reduction != Reduction::kNone) {
      write(row_.reduction, static_cast<uint64_t>(attributes.reduction));
    }
    write(row_.exclude_self, attributes.exclude_self);
  }

  const CallRow& row_;
  const OperatorCall& call_;
  const OperandEncoder data_, indices_, updates_;
  const std::string output_;
};

}  // namespace
}  // namespace internal

absl::StatusOr<OperatorCall> DecodeCall(OperatorId op, MessagePieces message,
                                        ReserveBytes reserve) {
  internal::CallFields fields(op, reserve);
  SCATTERD_RETURN_IF_ERROR(fields.Merge(internal::WireReader(message)));
  return fields.Build();
}

absl::StatusOr<EncodedMessage> EncodeCall(const OperatorCall& call) {
  return internal::CallEncoder(call).Encode();
}

}  // namespace scatterd
