#ifndef SCATTERD_CLIENT_CTL_TENSOR_SPEC_TEXT_H_
#define SCATTERD_CLIENT_CTL_TENSOR_SPEC_TEXT_H_

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "core/tensor.h"

namespace scatterd {

// "float32[8]", "INT64[2,3]", "bool[]": a dtype name in either spelling and
// extents.  INVALID_ARGUMENT for anything else, also for a shape that no
// tensor can have.
absl::StatusOr<TensorSpec> ParseTensorSpec(absl::string_view text);

// The dtype of this name; INVALID_ARGUMENT that lists them if there is none.
absl::StatusOr<DType> ParseDType(absl::string_view name);

}  // namespace scatterd

#endif  // SCATTERD_CLIENT_CTL_TENSOR_SPEC_TEXT_H_
