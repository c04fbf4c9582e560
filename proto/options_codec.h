// ExecutionOptions.

#ifndef SCATTERD_PROTO_OPTIONS_CODEC_H_
#define SCATTERD_PROTO_OPTIONS_CODEC_H_

#include <cstdint>
#include <optional>
#include <string>

#include "absl/status/statusor.h"
#include "core/options.h"
#include "proto/codec.h"
#include "proto/field_merger.h"
#include "proto/field_scope.h"
#include "proto/tensor_fields.h"
#include "proto/wire_reader.h"

namespace scatterd::internal {

// Merged like all ...Fields.  Refers to the message.
class OptionsFields {
 public:
  absl::Status Merge(WireReader message, const FieldScope& scope,
                     ReserveBytes reserve);
  absl::StatusOr<ExecutionOptions> Build(const FieldScope& scope,
                                         ReserveBytes reserve) const;

 private:
  absl::Status MergeField(FieldMerger& field);

  int32_t dialect_ = 0;
  int32_t out_of_bounds_ = 0;
  int32_t negative_indices_ = 0;
  int32_t duplicates_ = 0;
  int32_t nan_ = 0;
  int32_t accumulation_ = 0;
  std::optional<TensorFields> fill_value_;
  std::string device_;
  std::string idempotency_key_;
};

// The serialized options; "" if none is set.  Errors as EncodeTensor.
absl::StatusOr<std::string> EncodeOptions(const ExecutionOptions& options);

}  // namespace scatterd::internal

#endif  // SCATTERD_PROTO_OPTIONS_CODEC_H_
