// Where scatterctl's tensors come from and go to.

#ifndef SCATTERD_CLIENT_CTL_TENSOR_FILE_H_
#define SCATTERD_CLIENT_CTL_TENSOR_FILE_H_

#include <optional>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "core/buffer.h"
#include "core/tensor.h"

namespace scatterd {

// The tensor that a command line names: a file whose name ends in ".npy" or
// ".pb" (a serialized onnx.TensorProto), anything else is a literal.  `dtype`
// is what a literal is read as; files have their own.
absl::StatusOr<Tensor> ReadTensor(const std::string& argument,
                                  std::optional<DType> dtype);

// Writes `tensor` to a .npy or .pb file, which is replaced if it exists.
// INVALID_ARGUMENT for another name and for what the format cannot hold.
absl::Status WriteTensor(const Tensor& tensor, const std::string& path);

// All bytes of a file.  INVALID_ARGUMENT names it.
absl::StatusOr<Buffer> ReadFile(const std::string& path);

// OK for a name that WriteTensor takes.
absl::Status CheckTensorPath(const std::string& path);

}  // namespace scatterd

#endif  // SCATTERD_CLIENT_CTL_TENSOR_FILE_H_
