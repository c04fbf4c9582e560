// What messages say about dtypes and shapes.

#ifndef SCATTERD_PROTO_SPEC_FIELDS_H_
#define SCATTERD_PROTO_SPEC_FIELDS_H_

#include <cstdint>

#include "absl/status/statusor.h"
#include "core/tensor.h"
#include "proto/codec.h"
#include "proto/field_merger.h"
#include "proto/field_scope.h"
#include "proto/wire_reader.h"

namespace scatterd::internal {

// A repeated int64 field of extents, packed or not.
struct DimsField {
  absl::Status Merge(FieldMerger& field);

  Shape shape;         // the first kMaxRank + 1 extents at most
  uint64_t count = 0;  // all of them
};

// The checked spec.  INVALID_ARGUMENT for a dtype that scatterd has not and
// for a shape that no tensor can have.
absl::StatusOr<TensorSpec> BuildSpec(int32_t data_type, const DimsField& dims,
                                     const FieldScope& scope);

// A TensorSpec.
struct SpecFields {
  absl::Status Merge(WireReader message, const FieldScope& scope,
                     ReserveBytes reserve);
  absl::StatusOr<TensorSpec> Build(const FieldScope& scope) const {
    return BuildSpec(data_type, dims, scope);
  }

  int32_t data_type = 0;
  DimsField dims;
};

}  // namespace scatterd::internal

#endif  // SCATTERD_PROTO_SPEC_FIELDS_H_
