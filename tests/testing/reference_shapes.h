// The oracle's shape rules.  See reference_ops.h.

#ifndef SCATTERD_TESTS_TESTING_REFERENCE_SHAPES_H_
#define SCATTERD_TESTS_TESTING_REFERENCE_SHAPES_H_

#include "absl/status/statusor.h"
#include "core/operator_id.h"
#include "core/options.h"
#include "core/tensor.h"

namespace scatterd::test {

// A call whose operands are tensors.
struct ReferenceInputs {
  OperatorId op;
  Tensor data;
  Tensor indices;
  Tensor updates;  // scatters only
  OperatorAttributes attributes;

  int axis() const;  // attributes.axis, counted from the front
  int batch_dims() const { return static_cast<int>(attributes.batch_dims); }
  int depth() const;  // k: the length of an index tuple
};

// The shape of the result.  INVALID_ARGUMENT for dtypes, shapes and
// attributes that the operator refuses.
absl::StatusOr<Shape> ReferenceOutputShape(const ReferenceInputs& inputs);

}  // namespace scatterd::test

#endif  // SCATTERD_TESTS_TESTING_REFERENCE_SHAPES_H_
