// What a TensorProto says, before anything is believed.
//
// Elements stay in the message: only where they are is noted, so that a
// payload is copied once and only after it was checked.

#ifndef SCATTERD_PROTO_TENSOR_FIELDS_H_
#define SCATTERD_PROTO_TENSOR_FIELDS_H_

#include <array>
#include <cstdint>
#include <optional>
#include <string>

#include "absl/container/inlined_vector.h"
#include "absl/strings/string_view.h"
#include "proto/codec.h"
#include "proto/field_merger.h"
#include "proto/field_scope.h"
#include "proto/spec_fields.h"
#include "proto/wire_reader.h"

namespace scatterd::internal {

// Field numbers of TensorProto.
struct TensorField {
  static constexpr uint32_t kDims = 1;
  static constexpr uint32_t kDataType = 2;
  static constexpr uint32_t kSegment = 3;
  static constexpr uint32_t kFloatData = 4;
  static constexpr uint32_t kInt32Data = 5;
  static constexpr uint32_t kStringData = 6;
  static constexpr uint32_t kInt64Data = 7;
  static constexpr uint32_t kName = 8;
  static constexpr uint32_t kRawData = 9;
  static constexpr uint32_t kDoubleData = 10;
  static constexpr uint32_t kUint64Data = 11;
  static constexpr uint32_t kDocString = 12;
  static constexpr uint32_t kExternalData = 13;
  static constexpr uint32_t kDataLocation = 14;
};

// "float_data"; for the typed value fields.
absl::string_view ElementFieldName(uint32_t field);

// Whether a typed value field holds varints, fixed numbers or byte strings.
WireType EntryWireType(uint32_t field);

// Fields of one typed value field that follow one another in the message.
struct ElementRun {
  uint32_t field;
  WireReader begin;  // at the first tag
  uint64_t end;      // the position behind the last value
};

// Refers to the message, which must outlive it.  Merged like all ...Fields.
struct TensorFields {
  absl::Status Merge(WireReader message, const FieldScope& scope,
                     ReserveBytes reserve);

  DimsField dims;
  int32_t data_type = 0;
  int32_t data_location = 0;
  bool has_segment = false;
  bool has_external_data = false;
  std::string name;
  std::optional<WireReader> raw_data;
  std::array<uint64_t, TensorField::kUint64Data + 1> num_entries{};  // by field
  uint64_t string_bytes = 0;  // of all string_data
  absl::InlinedVector<ElementRun, 1> runs;

 private:
  absl::Status MergeField(FieldMerger& field);
  absl::Status MergeExternalData(FieldMerger& field);
  absl::Status MergeElements(FieldMerger& field);
  absl::Status AddRun(FieldMerger& field);
};

}  // namespace scatterd::internal

#endif  // SCATTERD_PROTO_TENSOR_FIELDS_H_
