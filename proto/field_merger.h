// The loop over a message's fields that all decoders share.
//
//   absl::Status ResidentFields::Merge(WireReader message, ...) {
//     return MergeFields(message, scope, reserve, [&](FieldMerger& field) {
//       switch (field.number()) {
//         case 1:
//           return field.Text("name", &name);
//         default:
//           return field.Skip();
//       }
//     });
//   }
//
// A decoder takes the fields in the order in which they come, each into a
// member that it replaces or adds to.  So running it again over a later
// occurrence of the same submessage is protobuf's merge.

#ifndef SCATTERD_PROTO_FIELD_MERGER_H_
#define SCATTERD_PROTO_FIELD_MERGER_H_

#include <cstdint>
#include <string>

#include "absl/functional/function_ref.h"
#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "proto/codec.h"
#include "proto/field_scope.h"
#include "proto/wire_reader.h"

namespace scatterd::internal {

// One field, whose tag has been read.  Exactly one of the functions that
// return a status is to be called; each of them skips a value of another wire
// type than its own, as protobuf does.
class FieldMerger {
 public:
  FieldMerger(const FieldScope& scope, ReserveBytes reserve,
              WireReader* message)
      : scope_(scope),
        reserve_(reserve),
        begin_(*message),
        message_(*message) {}

  // False if the tag is malformed.
  bool ReadTag() { return message_.ReadTag(&tag_); }

  uint32_t number() const { return tag_.field; }
  const FieldScope& scope() const { return scope_; }
  ReserveBytes reserve() const { return reserve_; }

  // A bool, an enum or an integer, truncated to T.
  template <typename T>
  absl::Status Number(T* value) {
    if (tag_.type != WireType::kVarint) return Skip();
    uint64_t bits = 0;
    if (!message_.ReadVarint(&bits)) return scope_.Malformed();
    *value = static_cast<T>(bits);
    return absl::OkStatus();
  }

  absl::Status Double(double* value);

  // A string, which must be UTF-8; `name` is the field's.
  absl::Status Text(absl::string_view name, std::string* text);

  // Bytes or a submessage: `take` is called with a reader of them.
  absl::Status Delimited(absl::FunctionRef<absl::Status(WireReader body)> take);

  absl::Status Skip();

  // For fields of any wire type: the tag, a reader at the tag, and the reader
  // behind it, which has to be moved behind the value.
  WireTag tag() const { return tag_; }
  const WireReader& begin() const { return begin_; }
  WireReader& message() { return message_; }

 private:
  const FieldScope& scope_;
  const ReserveBytes reserve_;
  const WireReader begin_;
  WireReader& message_;
  WireTag tag_;
};

// Calls `merge_field` for every field; INVALID_ARGUMENT for a malformed tag.
absl::Status MergeFields(
    WireReader message, const FieldScope& scope, ReserveBytes reserve,
    absl::FunctionRef<absl::Status(FieldMerger& field)> merge_field);

}  // namespace scatterd::internal

#endif  // SCATTERD_PROTO_FIELD_MERGER_H_
