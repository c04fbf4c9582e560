#include "proto/tensor_decoder.h"

#include <cstring>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "core/errors.h"
#include "core/status_macros.h"
#include "proto/endian.h"

namespace scatterd::internal {
namespace {

// The typed value field that belongs to a dtype.
struct TypedField {
  uint32_t field;
  uint64_t entries_per_element;
};

TypedField TypedFieldOf(DType dtype) {
  switch (KindOf(dtype)) {
    case DTypeKind::kFloat:
      return {ElementSize(dtype) == 4 ? TensorField::kFloatData
                                      : TensorField::kDoubleData,
              1};
    case DTypeKind::kComplex:
      return {ElementSize(dtype) == 8 ? TensorField::kFloatData
                                      : TensorField::kDoubleData,
              2};
    case DTypeKind::kString:
      return {TensorField::kStringData, 1};
    case DTypeKind::kInteger:
      if (dtype == DType::kInt64) return {TensorField::kInt64Data, 1};
      if (dtype == DType::kUInt32 || dtype == DType::kUInt64) {
        return {TensorField::kUint64Data, 1};
      }
      return {TensorField::kInt32Data, 1};
    case DTypeKind::kHalf:
    case DTypeKind::kBool:
    case DTypeKind::kOpaque:
      break;
  }
  return {TensorField::kInt32Data, 1};
}

// Where the elements of a tensor are.
enum class ValueField { kNone, kRaw, kTyped };

// The value field that is set, after checking that it is the only one and that
// it belongs to the dtype.
absl::StatusOr<ValueField> FindValueField(const TensorFields& fields,
                                          DType dtype,
                                          const FieldScope& scope) {
  const uint32_t wanted = TypedFieldOf(dtype).field;
  absl::string_view found;
  ValueField value_field = ValueField::kNone;
  if (fields.raw_data && fields.raw_data->remaining() != 0) {
    found = "raw_data";
    value_field = ValueField::kRaw;
  }
  for (const ElementRun& run : fields.runs) {
    const absl::string_view name = ElementFieldName(run.field);
    if (!found.empty() && found != name) {
      return scope.Error(name, absl::StrCat("two value fields are set (", found,
                                            " and ", name, " vs one)"));
    }
    found = name;
    value_field = ValueField::kTyped;
  }
  const bool wrong = value_field == ValueField::kRaw
                         ? dtype == DType::kString
                         : value_field == ValueField::kTyped &&
                               found != ElementFieldName(wanted);
  if (wrong) {
    return scope.Error(
        found, absl::StrCat("wrong value field for ", DTypeName(dtype), " (",
                            found, " vs ", ElementFieldName(wanted), ")"));
  }
  return value_field;
}

// Checks that as many elements are there as the shape asks for.
absl::Status CheckLength(const TensorFields& fields, ValueField value_field,
                         const TensorSpec& spec, uint64_t num_elements,
                         const FieldScope& scope) {
  const TypedField typed = TypedFieldOf(spec.dtype);
  const bool counts_bytes =
      value_field == ValueField::kRaw ||
      (value_field == ValueField::kNone && spec.dtype != DType::kString);
  const uint64_t expected =
      num_elements *
      (counts_bytes ? ElementSize(spec.dtype) : typed.entries_per_element);
  uint64_t got = fields.num_entries[typed.field];
  if (value_field == ValueField::kRaw) got = fields.raw_data->remaining();
  if (got == expected) return absl::OkStatus();
  const absl::string_view name =
      counts_bytes ? "raw_data" : ElementFieldName(typed.field);
  return scope.Error(
      name, absl::StrCat(name, " has the wrong length (", got, " vs ", expected,
                         counts_bytes ? " bytes)" : " entries)"));
}

absl::StatusOr<Buffer> AllocateReserved(uint64_t size, ReserveBytes reserve) {
  SCATTERD_RETURN_IF_ERROR(reserve(size));
  return Buffer::Allocate(size);
}

void NormaliseBools(Buffer& elements) {
  std::byte* begin = elements.mutable_data();
  for (std::byte* b = begin; b != begin + elements.size(); ++b) {
    *b = static_cast<std::byte>(*b != std::byte{0});
  }
}

absl::StatusOr<Buffer> CopyRaw(const TensorFields& fields, DType dtype,
                               const FieldScope& scope, ReserveBytes reserve) {
  WireReader reader = *fields.raw_data;
  SCATTERD_ASSIGN_OR_RETURN(Buffer elements,
                            AllocateReserved(reader.remaining(), reserve));
  if (!reader.ReadBytes(elements.mutable_data(), reader.remaining())) {
    return scope.Malformed("raw_data");
  }
  SwapWireOrder(elements.mutable_data(), elements.size(), NumberWidth(dtype));
  if (dtype == DType::kBool) NormaliseBools(elements);
  return elements;
}

// Calls read(reader) for the value of every field of the runs, and for every
// entry of the packed ones; stops when it returns false.
template <typename Read>
bool ForEachEntry(const TensorFields& fields, Read read) {
  for (const ElementRun& run : fields.runs) {
    WireReader reader = run.begin;
    reader.EndAt(run.end);
    const bool packable = EntryWireType(run.field) != WireType::kDelimited;
    WireTag tag;
    while (!reader.done()) {
      if (!reader.ReadTag(&tag)) return false;
      if (packable && tag.type == WireType::kDelimited) {
        WireReader body = reader;
        if (!reader.ReadDelimited(&body)) return false;
        while (!body.done()) {
          if (!read(body)) return false;
        }
      } else if (!read(reader)) {
        return false;
      }
    }
  }
  return true;
}

template <typename Stored>
bool CopyVarints(const TensorFields& fields, bool is_bool, std::byte* next) {
  return ForEachEntry(fields, [&](WireReader& reader) {
    uint64_t value = 0;
    if (!reader.ReadVarint(&value)) return false;
    if (is_bool) value = static_cast<uint32_t>(value) != 0;
    const Stored stored = static_cast<Stored>(value);
    std::memcpy(next, &stored, sizeof(stored));
    next += sizeof(stored);
    return true;
  });
}

template <typename Bits>
bool CopyFixed(const TensorFields& fields, std::byte* next) {
  return ForEachEntry(fields, [&](WireReader& reader) {
    if (!reader.ReadBytes(next, sizeof(Bits))) return false;
    SwapWireOrder(next, sizeof(Bits), sizeof(Bits));
    next += sizeof(Bits);
    return true;
  });
}

bool CopyEntries(const TensorFields& fields, DType dtype, std::byte* next) {
  switch (EntryWireType(TypedFieldOf(dtype).field)) {
    case WireType::kFixed32:
      return CopyFixed<uint32_t>(fields, next);
    case WireType::kFixed64:
      return CopyFixed<uint64_t>(fields, next);
    default:
      break;
  }
  const bool is_bool = dtype == DType::kBool;
  switch (ElementSize(dtype)) {
    case 1:
      return CopyVarints<uint8_t>(fields, is_bool, next);
    case 2:
      return CopyVarints<uint16_t>(fields, is_bool, next);
    case 4:
      return CopyVarints<uint32_t>(fields, is_bool, next);
    default:
      return CopyVarints<uint64_t>(fields, is_bool, next);
  }
}

absl::StatusOr<Buffer> CopyTyped(const TensorFields& fields,
                                 const TensorSpec& spec, uint64_t num_elements,
                                 const FieldScope& scope,
                                 ReserveBytes reserve) {
  SCATTERD_ASSIGN_OR_RETURN(
      Buffer elements,
      AllocateReserved(num_elements * ElementSize(spec.dtype), reserve));
  if (!CopyEntries(fields, spec.dtype, elements.mutable_data())) {
    return scope.Malformed();
  }
  return elements;
}

absl::StatusOr<Tensor> BuildStrings(const TensorFields& fields,
                                    const TensorSpec& spec,
                                    uint64_t num_elements,
                                    const FieldScope& scope,
                                    ReserveBytes reserve) {
  SCATTERD_ASSIGN_OR_RETURN(
      Buffer elements,
      AllocateReserved(num_elements * sizeof(StringRef), reserve));
  SCATTERD_ASSIGN_OR_RETURN(Buffer blob,
                            AllocateReserved(fields.string_bytes, reserve));
  std::byte* element = elements.mutable_data();
  char* next = reinterpret_cast<char*>(blob.mutable_data());
  const bool ok = ForEachEntry(fields, [&](WireReader& reader) {
    WireReader body = reader;
    if (!reader.ReadDelimited(&body)) return false;
    const StringRef ref{next, body.remaining()};
    std::memcpy(element, &ref, sizeof(ref));
    element += sizeof(ref);
    next += ref.size;
    return ref.size == 0 || body.ReadBytes(next - ref.size, ref.size);
  });
  if (!ok) return scope.Malformed("string_data");
  return Tensor::FromBuffer(spec, std::move(elements), {std::move(blob)});
}

absl::Status CheckLocation(const TensorFields& fields,
                           const FieldScope& scope) {
  if (fields.has_segment) {
    return scope.Error("segment", "segments are not supported");
  }
  if (fields.data_location == 1 || fields.has_external_data) {
    return scope.Error(
        fields.has_external_data ? "external_data" : "data_location",
        "external data is not supported");
  }
  if (fields.data_location != 0) {
    return scope.Error("data_location",
                       absl::StrCat("unknown data_location (",
                                    fields.data_location, " vs 0)"));
  }
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<Tensor> BuildTensor(const TensorFields& fields,
                                   const FieldScope& scope,
                                   ReserveBytes reserve) {
  SCATTERD_RETURN_IF_ERROR(CheckLocation(fields, scope));
  SCATTERD_ASSIGN_OR_RETURN(const TensorSpec spec,
                            BuildSpec(fields.data_type, fields.dims, scope));
  SCATTERD_ASSIGN_OR_RETURN(const ValueField value_field,
                            FindValueField(fields, spec.dtype, scope));
  const uint64_t num_elements =
      static_cast<uint64_t>(spec.shape.num_elements());
  SCATTERD_RETURN_IF_ERROR(
      CheckLength(fields, value_field, spec, num_elements, scope));

  absl::StatusOr<Tensor> tensor;
  if (value_field == ValueField::kNone) {
    tensor = Tensor::FromBuffer(spec, Buffer());
  } else if (spec.dtype == DType::kString) {
    tensor = BuildStrings(fields, spec, num_elements, scope, reserve);
  } else {
    absl::StatusOr<Buffer> elements =
        value_field == ValueField::kRaw
            ? CopyRaw(fields, spec.dtype, scope, reserve)
            : CopyTyped(fields, spec, num_elements, scope, reserve);
    if (!elements.ok()) return std::move(elements).status();
    tensor = Tensor::FromBuffer(spec, *std::move(elements));
  }
  if (tensor.ok()) tensor->set_name(fields.name);
  return tensor;
}

}  // namespace scatterd::internal
