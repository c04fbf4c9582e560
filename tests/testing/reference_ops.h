// The oracle: every operator, one element at a time.
//
// Written from the contract alone and stupid on purpose: coordinates are
// spelled out, updates are applied one after another in row-major order, and
// nothing is shared with the product but the types that calls and tensors are
// made of.  Read it next to the operators' documentation.
//
//   1. shapes and attributes     reference_shapes.cc
//   2. each index, on its own    reference_ops.cc
//   3. which elements meet       reference_ops.cc
//   4. what a meeting does       reference_fold.cc, reference_arithmetic.h

#ifndef SCATTERD_TESTS_TESTING_REFERENCE_OPS_H_
#define SCATTERD_TESTS_TESTING_REFERENCE_OPS_H_

#include <cstdint>
#include <optional>

#include "absl/status/statusor.h"
#include "core/call.h"

namespace scatterd::test {

// What the contract says that `call` answers.  Operands are tensors or zeros;
// the dialect is unset or ONNX.
//
// INVALID_ARGUMENT for a broken constraint, a duplicate under REJECT or an
// integer division by zero; OUT_OF_RANGE for an index (see BadIndexOf).
absl::StatusOr<Tensor> ReferenceCall(const OperatorCall& call);

// Where a call went out of range.
struct BadIndex {
  int64_t position;  // of the tuple (or single index), row-major
  int axis;          // of data
  int64_t axis_size;
};

// The first index, in row-major order, that makes ReferenceCall answer
// OUT_OF_RANGE; nullopt for any other status.
std::optional<BadIndex> BadIndexOf(const absl::Status& status);

}  // namespace scatterd::test

#endif  // SCATTERD_TESTS_TESTING_REFERENCE_OPS_H_
