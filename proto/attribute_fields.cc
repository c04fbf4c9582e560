#include <bit>
#include <utility>

#include "absl/strings/str_cat.h"
#include "core/status_macros.h"
#include "proto/graph_fields.h"
#include "proto/reserved_vector.h"
#include "proto/tensor_decoder.h"
#include "scatterd/v1/graph.pb.h"

namespace scatterd::internal {
namespace {

using Wire = v1::AttributeProto;

// The field that holds a value of a type; 0 for a type that scatterd has not.
uint32_t ValueFieldOf(int32_t type) {
  switch (type) {
    case Wire::ATTRIBUTE_TYPE_FLOAT:
      return Wire::kFFieldNumber;
    case Wire::ATTRIBUTE_TYPE_INT:
      return Wire::kIFieldNumber;
    case Wire::ATTRIBUTE_TYPE_STRING:
      return Wire::kSFieldNumber;
    case Wire::ATTRIBUTE_TYPE_TENSOR:
      return Wire::kTFieldNumber;
    case Wire::ATTRIBUTE_TYPE_FLOATS:
      return Wire::kFloatsFieldNumber;
    case Wire::ATTRIBUTE_TYPE_INTS:
      return Wire::kIntsFieldNumber;
    case Wire::ATTRIBUTE_TYPE_STRINGS:
      return Wire::kStringsFieldNumber;
    default:
      return 0;
  }
}

constexpr int32_t kTypes[] = {
    Wire::ATTRIBUTE_TYPE_FLOAT,  Wire::ATTRIBUTE_TYPE_INT,
    Wire::ATTRIBUTE_TYPE_STRING, Wire::ATTRIBUTE_TYPE_TENSOR,
    Wire::ATTRIBUTE_TYPE_FLOATS, Wire::ATTRIBUTE_TYPE_INTS,
    Wire::ATTRIBUTE_TYPE_STRINGS};

bool IsWireTypeOf(uint32_t field, WireType type) {
  switch (field) {
    case Wire::kFFieldNumber:
      return type == WireType::kFixed32;
    case Wire::kIFieldNumber:
      return type == WireType::kVarint;
    case Wire::kFloatsFieldNumber:
      return type == WireType::kFixed32 || type == WireType::kDelimited;
    case Wire::kIntsFieldNumber:
      return type == WireType::kVarint || type == WireType::kDelimited;
    default:
      return type == WireType::kDelimited;
  }
}

bool ReadValue(WireReader& reader, float* value) {
  uint32_t bits = 0;
  if (!reader.ReadFixed32(&bits)) return false;
  *value = std::bit_cast<float>(bits);
  return true;
}

bool ReadValue(WireReader& reader, int64_t* value) {
  uint64_t bits = 0;
  if (!reader.ReadVarint(&bits)) return false;
  *value = static_cast<int64_t>(bits);
  return true;
}

// A number of the wire type that belongs to T.
template <typename T>
absl::Status MergeNumber(FieldMerger& field, T* value) {
  return ReadValue(field.message(), value) ? absl::OkStatus()
                                           : field.scope().Malformed();
}

// Numbers, packed or one.
template <typename T>
absl::Status MergeNumbers(FieldMerger& field, std::vector<T>* values) {
  const auto append = [&](WireReader& reader) {
    T value{};
    if (!ReadValue(reader, &value)) return field.scope().Malformed();
    return AppendReserved(value, values, field.reserve());
  };
  if (field.tag().type != WireType::kDelimited) return append(field.message());
  return field.Delimited([&](WireReader body) {
    while (!body.done()) SCATTERD_RETURN_IF_ERROR(append(body));
    return absl::OkStatus();
  });
}

absl::Status MergeBytes(FieldMerger& field, std::string* bytes) {
  return field.Delimited([&](WireReader body) {
    SCATTERD_RETURN_IF_ERROR(field.reserve()(body.remaining()));
    bytes->clear();
    bytes->reserve(body.remaining());
    body.AppendRest(bytes);
    return absl::OkStatus();
  });
}

absl::Status AppendBytes(FieldMerger& field,
                         std::vector<std::string>* strings) {
  std::string bytes;
  SCATTERD_RETURN_IF_ERROR(MergeBytes(field, &bytes));
  return AppendReserved(std::move(bytes), strings, field.reserve());
}

std::string Below(absl::string_view a, absl::string_view b) {
  return absl::StrCat(a, a.empty() ? "" : ".", b);
}

}  // namespace

absl::Status AttributeFields::Merge(WireReader message, const FieldScope& scope,
                                    ReserveBytes reserve) {
  return MergeFields(message, scope, reserve,
                     [this](FieldMerger& field) { return MergeField(field); });
}

absl::Status AttributeFields::MergeField(FieldMerger& field) {
  const uint32_t number = field.number();
  if (number == Wire::kNameFieldNumber) return field.Text("name", &name_);
  if (number == Wire::kTypeFieldNumber) return field.Number(&type_);
  const bool is_value =
      number == Wire::kFFieldNumber || number == Wire::kIFieldNumber ||
      number == Wire::kSFieldNumber || number == Wire::kTFieldNumber ||
      number == Wire::kFloatsFieldNumber || number == Wire::kIntsFieldNumber ||
      number == Wire::kStringsFieldNumber;
  if (!is_value || !IsWireTypeOf(number, field.tag().type)) return field.Skip();
  value_fields_ |= 1u << number;
  switch (number) {
    case Wire::kFFieldNumber:
      return MergeNumber(field, &f_);
    case Wire::kIFieldNumber:
      return MergeNumber(field, &i_);
    case Wire::kSFieldNumber:
      return MergeBytes(field, &s_);
    case Wire::kTFieldNumber:
      return MergeTensor(field);
    case Wire::kFloatsFieldNumber:
      return MergeNumbers(field, &floats_);
    case Wire::kIntsFieldNumber:
      return MergeNumbers(field, &ints_);
    default:
      return AppendBytes(field, &strings_);
  }
}

absl::Status AttributeFields::MergeTensor(FieldMerger& field) {
  const std::string source = Below(field.scope().source, "t");
  return field.Delimited([&](WireReader body) {
    if (t_ == nullptr) {
      SCATTERD_RETURN_IF_ERROR(field.reserve()(sizeof(TensorFields)));
      t_ = std::make_unique<TensorFields>();
    }
    const FieldScope scope{field.scope().op, field.scope().operand, source};
    return t_->Merge(body, scope, field.reserve());
  });
}

// What the attribute says it is, or else the type of the one value that is
// there.  A value that is its type's default need not be there.
absl::StatusOr<int32_t> AttributeFields::FindType(
    const FieldScope& scope) const {
  if (type_ != 0) {
    const uint32_t others = value_fields_ & ~(1u << ValueFieldOf(type_));
    if (others == 0 || ValueFieldOf(type_) == 0) return type_;
    return scope.Error(
        "type", "the attribute has a value of another type than its own");
  }
  for (const int32_t type : kTypes) {
    if (value_fields_ == 1u << ValueFieldOf(type)) return type;
  }
  if (value_fields_ == 0) return 0;
  return scope.Error("type", "the attribute has several values and no type");
}

absl::StatusOr<GraphAttribute> AttributeFields::Build(const FieldScope& scope,
                                                      ReserveBytes reserve) {
  SCATTERD_ASSIGN_OR_RETURN(const int32_t type, FindType(scope));
  GraphAttribute attribute{std::move(name_), {}};
  switch (type) {
    case Wire::ATTRIBUTE_TYPE_FLOAT:
      attribute.value = f_;
      break;
    case Wire::ATTRIBUTE_TYPE_INT:
      attribute.value = i_;
      break;
    case Wire::ATTRIBUTE_TYPE_STRING:
      attribute.value = std::move(s_);
      break;
    case Wire::ATTRIBUTE_TYPE_TENSOR: {
      const std::string source = Below(scope.source, "t");
      SCATTERD_ASSIGN_OR_RETURN(
          attribute.value,
          BuildTensor(t_ == nullptr ? TensorFields() : *t_,
                      {scope.op, scope.operand, source}, reserve));
      break;
    }
    case Wire::ATTRIBUTE_TYPE_FLOATS:
      attribute.value = std::move(floats_);
      break;
    case Wire::ATTRIBUTE_TYPE_INTS:
      attribute.value = std::move(ints_);
      break;
    case Wire::ATTRIBUTE_TYPE_STRINGS:
      attribute.value = std::move(strings_);
      break;
    default:
      break;
  }
  return attribute;
}

}  // namespace scatterd::internal
