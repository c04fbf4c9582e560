// The request of an operator, by itself or inside another message.

#ifndef SCATTERD_PROTO_CALL_FIELDS_H_
#define SCATTERD_PROTO_CALL_FIELDS_H_

#include <cstdint>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "core/call.h"
#include "core/operator_id.h"
#include "proto/codec.h"
#include "proto/field_merger.h"
#include "proto/field_scope.h"
#include "proto/operand_codec.h"
#include "proto/options_codec.h"
#include "proto/wire_reader.h"

namespace scatterd::internal {

struct CallRow;

// What a request says.  Merged like all ...Fields.  Refers to the message and
// to `reserve`.
class CallFields {
 public:
  CallFields(OperatorId op, ReserveBytes reserve);

  OperatorId op() const;
  absl::Status Merge(WireReader message);
  absl::StatusOr<OperatorCall> Build() const;

 private:
  FieldScope Child(absl::string_view field) const { return {scope_.op, field}; }

  absl::Status MergeField(FieldMerger& field);
  template <typename Fields>
  absl::Status MergeMessage(FieldMerger& field, absl::string_view name,
                            Fields& fields);
  absl::Status BuildReduction(OperatorAttributes& attributes) const;

  const CallRow* row_;
  FieldScope scope_;
  ReserveBytes reserve_;
  OperandFields data_, indices_, updates_;
  OperatorAttributes attributes_;
  int32_t reduction_ = 0;
  OptionsFields options_;
  OutputTargetFields output_;
};

}  // namespace scatterd::internal

#endif  // SCATTERD_PROTO_CALL_FIELDS_H_
