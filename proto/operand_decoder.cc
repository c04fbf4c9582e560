#include <utility>

#include "core/status_macros.h"
#include "proto/field_merger.h"
#include "proto/operand_codec.h"
#include "proto/tensor_decoder.h"
#include "scatterd/v1/operators.pb.h"

namespace scatterd::internal {
namespace {

constexpr absl::string_view kTensor = "tensor";
constexpr absl::string_view kResident = "resident";
constexpr absl::string_view kZeros = "zeros";
constexpr absl::string_view kSharedMemory = "shared_memory";

FieldScope Below(const FieldScope& operand, absl::string_view source) {
  return {operand.op, operand.operand, source};
}

// Merges an occurrence of case `Fields` of a oneof: it adds to what earlier
// ones said and replaces any other case.
template <typename Fields, typename Oneof>
absl::Status MergeCase(FieldMerger& field, absl::string_view source,
                       Oneof* oneof) {
  return field.Delimited([&](WireReader body) {
    if (!std::holds_alternative<Fields>(*oneof)) *oneof = Fields();
    return std::get<Fields>(*oneof).Merge(body, Below(field.scope(), source),
                                          field.reserve());
  });
}

// What an Operand's fields say.
struct OperandBuilder {
  using Result = absl::StatusOr<Operand>;
  const FieldScope& operand;
  ReserveBytes reserve;

  Result operator()(const std::monostate&) const { return Operand(); }
  Result operator()(const TensorFields& fields) const {
    return BuildTensor(fields, Below(operand, kTensor), reserve);
  }
  Result operator()(const ResidentFields& fields) const {
    return ResidentRef{fields.target.name, fields.target.if_version};
  }
  Result operator()(const SpecFields& fields) const {
    SCATTERD_ASSIGN_OR_RETURN(TensorSpec spec,
                              fields.Build(Below(operand, kZeros)));
    return ZerosSpec{std::move(spec)};
  }
  Result operator()(const SharedMemoryFields& fields) const {
    return fields.Build(Below(operand, kSharedMemory));
  }
};

}  // namespace

absl::Status ResidentFields::Merge(WireReader message, const FieldScope& scope,
                                   ReserveBytes reserve) {
  return MergeFields(message, scope, reserve, [this](FieldMerger& field) {
    switch (field.number()) {
      case v1::ResidentTarget::kNameFieldNumber:
        return field.Text("name", &target.name);
      case v1::ResidentTarget::kIfVersionFieldNumber:
        return field.Number(&target.if_version);
      case v1::ResidentTarget::kIfAbsentFieldNumber:
        return field.Number(&target.if_absent);
      case v1::ResidentTarget::kReturnTensorFieldNumber:
        return field.Number(&target.return_tensor);
      default:
        return field.Skip();
    }
  });
}

absl::Status SharedMemoryFields::Merge(WireReader message,
                                       const FieldScope& scope,
                                       ReserveBytes reserve) {
  return MergeFields(message, scope, reserve, [this](FieldMerger& field) {
    switch (field.number()) {
      case v1::SharedMemoryRef::kRegionFieldNumber:
        return field.Text("region", &ref.region);
      case v1::SharedMemoryRef::kOffsetFieldNumber:
        return field.Number(&ref.offset);
      case v1::SharedMemoryRef::kByteSizeFieldNumber:
        return field.Number(&ref.byte_size);
      case v1::SharedMemoryRef::kSpecFieldNumber:
        return field.Delimited([&](WireReader body) {
          return spec.Merge(body, field.scope(), field.reserve());
        });
      default:
        return field.Skip();
    }
  });
}

absl::StatusOr<SharedMemoryRef> SharedMemoryFields::Build(
    const FieldScope& scope) const {
  SharedMemoryRef result = ref;
  SCATTERD_ASSIGN_OR_RETURN(result.spec, spec.Build(scope));
  return result;
}

absl::Status OperandFields::Merge(WireReader message, const FieldScope& operand,
                                  ReserveBytes reserve) {
  return MergeFields(message, operand, reserve, [this](FieldMerger& field) {
    switch (field.number()) {
      case v1::Operand::kTensor:
        return MergeCase<TensorFields>(field, kTensor, &source_);
      case v1::Operand::kResident:
        return MergeCase<ResidentFields>(field, kResident, &source_);
      case v1::Operand::kZeros:
        return MergeCase<SpecFields>(field, kZeros, &source_);
      case v1::Operand::kSharedMemory:
        return MergeCase<SharedMemoryFields>(field, kSharedMemory, &source_);
      default:
        return field.Skip();
    }
  });
}

absl::StatusOr<Operand> OperandFields::Build(const FieldScope& operand,
                                             ReserveBytes reserve) const {
  return std::visit(OperandBuilder{operand, reserve}, source_);
}

absl::Status OutputTargetFields::Merge(WireReader message,
                                       const FieldScope& output,
                                       ReserveBytes reserve) {
  return MergeFields(message, output, reserve, [this](FieldMerger& field) {
    switch (field.number()) {
      case v1::OutputTarget::kResident:
        return MergeCase<ResidentFields>(field, kResident, &target_);
      case v1::OutputTarget::kSharedMemory:
        return MergeCase<SharedMemoryFields>(field, kSharedMemory, &target_);
      default:
        return field.Skip();
    }
  });
}

absl::StatusOr<OutputTarget> OutputTargetFields::Build(
    const FieldScope& output) const {
  if (const auto* resident = std::get_if<ResidentFields>(&target_)) {
    return resident->target;
  }
  if (const auto* memory = std::get_if<SharedMemoryFields>(&target_)) {
    return memory->Build(Below(output, kSharedMemory));
  }
  return OutputTarget();
}

}  // namespace scatterd::internal
