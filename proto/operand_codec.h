// Operand and OutputTarget.

#ifndef SCATTERD_PROTO_OPERAND_CODEC_H_
#define SCATTERD_PROTO_OPERAND_CODEC_H_

#include <cstdint>
#include <string>
#include <variant>

#include "absl/status/statusor.h"
#include "core/call.h"
#include "proto/codec.h"
#include "proto/field_scope.h"
#include "proto/spec_fields.h"
#include "proto/tensor_fields.h"
#include "proto/wire_reader.h"
#include "proto/wire_writer.h"

namespace scatterd::internal {

// A ResidentRef or a ResidentTarget, whose first fields are the same.
struct ResidentFields {
  absl::Status Merge(WireReader message, const FieldScope& scope,
                     ReserveBytes reserve);

  ResidentTarget target;
};

// A SharedMemoryRef.
struct SharedMemoryFields {
  absl::Status Merge(WireReader message, const FieldScope& scope,
                     ReserveBytes reserve);
  absl::StatusOr<SharedMemoryRef> Build(const FieldScope& scope) const;

  SharedMemoryRef ref;
  SpecFields spec;
};

// An Operand.  Refers to the message.
class OperandFields {
 public:
  absl::Status Merge(WireReader message, const FieldScope& operand,
                     ReserveBytes reserve);

  // monostate if no source is set.
  absl::StatusOr<Operand> Build(const FieldScope& operand,
                                ReserveBytes reserve) const;

 private:
  std::variant<std::monostate, TensorFields, ResidentFields, SpecFields,
               SharedMemoryFields>
      source_;
};

// An OutputTarget.
class OutputTargetFields {
 public:
  absl::Status Merge(WireReader message, const FieldScope& output,
                     ReserveBytes reserve);
  absl::StatusOr<OutputTarget> Build(const FieldScope& output) const;

 private:
  std::variant<std::monostate, ResidentFields, SharedMemoryFields> target_;
};

// An operand ready to be written.  Refers to it.
class OperandEncoder {
 public:
  explicit OperandEncoder(const Operand& operand);

  // Bytes of `field`; 0 for monostate, which is not written.
  uint64_t Size(uint32_t field) const;
  absl::Status Write(uint32_t field, WireWriter& writer) const;

 private:
  const Tensor* tensor_ = nullptr;
  uint64_t tensor_size_ = 0;
  std::string bytes_;  // of any other source
};

// The serialized OutputTarget; "" for monostate.
std::string EncodeOutputTarget(const OutputTarget& target);

}  // namespace scatterd::internal

#endif  // SCATTERD_PROTO_OPERAND_CODEC_H_
