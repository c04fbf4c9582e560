#include "proto/tensor_fields.h"

#include "core/status_macros.h"

namespace scatterd::internal {
namespace {

// Counts the entries of a packed field; false if it is malformed.
bool CountPacked(WireType type, WireReader body, uint64_t* count) {
  if (type != WireType::kVarint) {
    const uint64_t width = type == WireType::kFixed32 ? 4 : 8;
    *count = body.remaining() / width;
    return body.remaining() % width == 0;
  }
  uint64_t value = 0;
  for (*count = 0; !body.done(); ++*count) {
    if (!body.ReadVarint(&value)) return false;
  }
  return true;
}

}  // namespace

absl::string_view ElementFieldName(uint32_t field) {
  switch (field) {
    case TensorField::kFloatData:
      return "float_data";
    case TensorField::kInt32Data:
      return "int32_data";
    case TensorField::kInt64Data:
      return "int64_data";
    case TensorField::kDoubleData:
      return "double_data";
    case TensorField::kUint64Data:
      return "uint64_data";
    default:
      return "string_data";
  }
}

WireType EntryWireType(uint32_t field) {
  switch (field) {
    case TensorField::kFloatData:
      return WireType::kFixed32;
    case TensorField::kDoubleData:
      return WireType::kFixed64;
    case TensorField::kStringData:
      return WireType::kDelimited;
    default:
      return WireType::kVarint;
  }
}

absl::Status TensorFields::Merge(WireReader message, const FieldScope& scope,
                                 ReserveBytes reserve) {
  return MergeFields(message, scope, reserve,
                     [this](FieldMerger& field) { return MergeField(field); });
}

absl::Status TensorFields::MergeField(FieldMerger& field) {
  std::string ignored;
  switch (field.number()) {
    case TensorField::kDims:
      return dims.Merge(field);
    case TensorField::kDataType:
      return field.Number(&data_type);
    case TensorField::kDataLocation:
      return field.Number(&data_location);
    case TensorField::kSegment:
      has_segment |= field.tag().type == WireType::kDelimited;
      return field.Skip();
    case TensorField::kExternalData:
      return MergeExternalData(field);
    case TensorField::kName:
      return field.Text("name", &name);
    case TensorField::kDocString:
      return field.Text("doc_string", &ignored);
    case TensorField::kRawData:
      return field.Delimited([this](WireReader body) {
        raw_data = body;
        return absl::OkStatus();
      });
    case TensorField::kFloatData:
    case TensorField::kInt32Data:
    case TensorField::kStringData:
    case TensorField::kInt64Data:
    case TensorField::kDoubleData:
    case TensorField::kUint64Data:
      return MergeElements(field);
    default:
      return field.Skip();
  }
}

absl::Status TensorFields::MergeExternalData(FieldMerger& field) {
  return field.Delimited([&](WireReader entry) {
    has_external_data = true;
    return MergeFields(
        entry, field.scope(), field.reserve(), [](FieldMerger& inner) {
          std::string ignored;
          return inner.number() <= 2 ? inner.Text("external_data", &ignored)
                                     : inner.Skip();
        });
  });
}

absl::Status TensorFields::MergeElements(FieldMerger& field) {
  const WireType entry_type = EntryWireType(field.number());
  uint64_t count = 0;
  if (field.tag().type == entry_type && entry_type != WireType::kDelimited) {
    SCATTERD_RETURN_IF_ERROR(field.Skip());
    count = 1;
  } else {
    SCATTERD_RETURN_IF_ERROR(field.Delimited([&](WireReader body) {
      if (entry_type == WireType::kDelimited) {
        string_bytes += body.remaining();
        count = 1;
        return absl::OkStatus();
      }
      return CountPacked(entry_type, body, &count)
                 ? absl::OkStatus()
                 : field.scope().Malformed(ElementFieldName(field.number()));
    }));
  }
  if (count == 0) return absl::OkStatus();
  num_entries[field.number()] += count;
  return AddRun(field);
}

absl::Status TensorFields::AddRun(FieldMerger& field) {
  const bool extends = !runs.empty() && runs.back().field == field.number() &&
                       runs.back().end == field.begin().position();
  if (!extends) {
    if (runs.size() == runs.capacity()) {
      const size_t capacity = 2 * runs.size();
      SCATTERD_RETURN_IF_ERROR(field.reserve()(capacity * sizeof(ElementRun)));
      runs.reserve(capacity);
    }
    runs.push_back({field.number(), field.begin(), 0});
  }
  runs.back().end = field.message().position();
  return absl::OkStatus();
}

}  // namespace scatterd::internal
