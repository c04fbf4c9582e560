// TensorFields -> Tensor.

#ifndef SCATTERD_PROTO_TENSOR_DECODER_H_
#define SCATTERD_PROTO_TENSOR_DECODER_H_

#include "absl/status/statusor.h"
#include "core/tensor.h"
#include "proto/codec.h"
#include "proto/field_scope.h"
#include "proto/tensor_fields.h"

namespace scatterd::internal {

// Checks all that the contract asks of a tensor and copies its elements.
absl::StatusOr<Tensor> BuildTensor(const TensorFields& fields,
                                   const FieldScope& scope,
                                   ReserveBytes reserve);

}  // namespace scatterd::internal

#endif  // SCATTERD_PROTO_TENSOR_DECODER_H_
