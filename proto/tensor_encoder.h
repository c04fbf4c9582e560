// Tensor -> TensorProto.

#ifndef SCATTERD_PROTO_TENSOR_ENCODER_H_
#define SCATTERD_PROTO_TENSOR_ENCODER_H_

#include <cstdint>

#include "absl/status/status.h"
#include "core/tensor.h"
#include "proto/wire_writer.h"

namespace scatterd::internal {

// Writes the fields of `tensor` as a TensorProto: EncodedTensorSize(tensor)
// bytes.  RESOURCE_EXHAUSTED without memory.
absl::Status WriteTensor(const Tensor& tensor, WireWriter& writer);

// RESOURCE_EXHAUSTED if no protobuf peer could read a message of `size` bytes.
absl::Status CheckMessageSize(uint64_t size);

}  // namespace scatterd::internal

#endif  // SCATTERD_PROTO_TENSOR_ENCODER_H_
