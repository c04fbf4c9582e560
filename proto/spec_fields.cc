#include "proto/spec_fields.h"

#include <optional>

#include "absl/strings/str_cat.h"
#include "core/status_macros.h"
#include "scatterd/v1/tensor.pb.h"

namespace scatterd::internal {
namespace {

// ONNX's dtypes of less than one byte; "" for any other number.
absl::string_view SubByteName(int32_t data_type) {
  switch (data_type) {
    case 21:
      return "UINT4";
    case 22:
      return "INT4";
    case 23:
      return "FLOAT4E2M1";
    case 25:
      return "UINT2";
    case 26:
      return "INT2";
    default:
      return "";
  }
}

absl::StatusOr<DType> CheckDType(int32_t data_type, const FieldScope& scope) {
  if (data_type == 0) return scope.Error("data_type", "data_type is not set");
  if (const std::optional<DType> dtype = DTypeFromNumber(data_type)) {
    return *dtype;
  }
  const absl::string_view name = SubByteName(data_type);
  return scope.Error(
      "data_type",
      name.empty()
          ? absl::StrCat("unknown data_type (", data_type, ")")
          : absl::StrCat("data_type ", name,
                         " is not supported, its elements are smaller than one "
                         "byte"));
}

}  // namespace

absl::Status DimsField::Merge(FieldMerger& field) {
  const auto append = [this](WireReader& reader) {
    uint64_t dim = 0;
    if (!reader.ReadVarint(&dim)) return false;
    if (++count <= kMaxRank + 1) shape.Append(static_cast<int64_t>(dim));
    return true;
  };
  if (field.tag().type == WireType::kVarint) {
    return append(field.message()) ? absl::OkStatus()
                                   : field.scope().Malformed("dims");
  }
  return field.Delimited([&](WireReader body) {
    while (!body.done()) {
      if (!append(body)) return field.scope().Malformed("dims");
    }
    return absl::OkStatus();
  });
}

absl::StatusOr<TensorSpec> BuildSpec(int32_t data_type, const DimsField& dims,
                                     const FieldScope& scope) {
  TensorSpec spec{DType::kUnspecified, dims.shape};
  SCATTERD_ASSIGN_OR_RETURN(spec.dtype, CheckDType(data_type, scope));
  if (dims.count > kMaxRank) {
    return scope.Error("dims", absl::StrCat("rank is too large (", dims.count,
                                            " vs at most ", kMaxRank, ")"));
  }
  const absl::StatusOr<size_t> byte_size = CheckedByteSize(spec);
  if (!byte_size.ok()) return scope.Error("dims", byte_size.status().message());
  return spec;
}

absl::Status SpecFields::Merge(WireReader message, const FieldScope& scope,
                               ReserveBytes reserve) {
  return MergeFields(message, scope, reserve, [this](FieldMerger& field) {
    switch (field.number()) {
      case v1::TensorSpec::kDataTypeFieldNumber:
        return field.Number(&data_type);
      case v1::TensorSpec::kDimsFieldNumber:
        return dims.Merge(field);
      default:
        return field.Skip();
    }
  });
}

}  // namespace scatterd::internal
