#include "proto/options_codec.h"

#include <optional>
#include <utility>

#include "absl/strings/str_cat.h"
#include "core/status_macros.h"
#include "proto/enums.h"
#include "proto/field_merger.h"
#include "proto/tensor_decoder.h"
#include "proto/wire_writer.h"
#include "scatterd/v1/operators.pb.h"

namespace scatterd::internal {
namespace {

using Wire = v1::ExecutionOptions;

FieldScope FillValueScope(const FieldScope& scope) {
  return {scope.op, "options.fill_value"};
}

template <typename Enum>
absl::Status Take(int number, absl::string_view field, const FieldScope& scope,
                  std::optional<Enum>* value) {
  *value = EnumFromWire<Enum>(number);
  if (number == 0 || *value) return absl::OkStatus();
  return scope.Error(
      field, absl::StrCat(field, " has an unknown value (", number, ")"));
}

template <typename WireEnum, typename Enum>
WireEnum ToWire(const std::optional<Enum>& value) {
  return value ? static_cast<WireEnum>(*value) : WireEnum();
}

}  // namespace

absl::Status OptionsFields::Merge(WireReader message, const FieldScope& scope,
                                  ReserveBytes reserve) {
  return MergeFields(message, scope, reserve,
                     [this](FieldMerger& field) { return MergeField(field); });
}

absl::Status OptionsFields::MergeField(FieldMerger& field) {
  switch (field.number()) {
    case Wire::kDialectFieldNumber:
      return field.Number(&dialect_);
    case Wire::kOutOfBoundsFieldNumber:
      return field.Number(&out_of_bounds_);
    case Wire::kNegativeIndicesFieldNumber:
      return field.Number(&negative_indices_);
    case Wire::kDuplicatesFieldNumber:
      return field.Number(&duplicates_);
    case Wire::kNanFieldNumber:
      return field.Number(&nan_);
    case Wire::kAccumulationFieldNumber:
      return field.Number(&accumulation_);
    case Wire::kFillValueFieldNumber:
      return field.Delimited([&](WireReader body) {
        if (!fill_value_) fill_value_.emplace();
        return fill_value_->Merge(body, FillValueScope(field.scope()),
                                  field.reserve());
      });
    case Wire::kDeviceFieldNumber:
      return field.Text("device", &device_);
    case Wire::kIdempotencyKeyFieldNumber:
      return field.Text("idempotency_key", &idempotency_key_);
    default:
      return field.Skip();
  }
}

absl::StatusOr<ExecutionOptions> OptionsFields::Build(
    const FieldScope& scope, ReserveBytes reserve) const {
  ExecutionOptions options;
  SCATTERD_RETURN_IF_ERROR(Take(dialect_, "dialect", scope, &options.dialect));
  SCATTERD_RETURN_IF_ERROR(
      Take(out_of_bounds_, "out_of_bounds", scope, &options.out_of_bounds));
  SCATTERD_RETURN_IF_ERROR(Take(negative_indices_, "negative_indices", scope,
                                &options.negative_indices));
  SCATTERD_RETURN_IF_ERROR(
      Take(duplicates_, "duplicates", scope, &options.duplicates));
  SCATTERD_RETURN_IF_ERROR(Take(nan_, "nan", scope, &options.nan));
  SCATTERD_RETURN_IF_ERROR(
      Take(accumulation_, "accumulation", scope, &options.accumulation));
  if (fill_value_) {
    SCATTERD_ASSIGN_OR_RETURN(
        options.fill_value,
        BuildTensor(*fill_value_, FillValueScope(scope), reserve));
  }
  options.device = device_;
  options.idempotency_key = idempotency_key_;
  return options;
}

absl::StatusOr<std::string> EncodeOptions(const ExecutionOptions& options) {
  Wire wire;
  wire.set_dialect(ToWire<v1::Dialect>(options.dialect));
  wire.set_out_of_bounds(ToWire<v1::OutOfBounds>(options.out_of_bounds));
  wire.set_negative_indices(
      ToWire<v1::NegativeIndices>(options.negative_indices));
  wire.set_duplicates(ToWire<v1::Duplicates>(options.duplicates));
  wire.set_nan(ToWire<v1::NanPolicy>(options.nan));
  wire.set_accumulation(ToWire<v1::Accumulation>(options.accumulation));
  wire.set_device(options.device);
  wire.set_idempotency_key(options.idempotency_key);
  std::string bytes = wire.SerializeAsString();
  if (options.fill_value) {
    SCATTERD_ASSIGN_OR_RETURN(const EncodedMessage fill_value,
                              EncodeTensor(*options.fill_value));
    WireWriter writer;
    writer.BytesField(Wire::kFillValueFieldNumber, fill_value.Flatten());
    bytes += writer.Finish().Flatten();
  }
  return bytes;
}

}  // namespace scatterd::internal
