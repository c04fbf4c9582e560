// Calls for the conformance suite: shapes swept, values and options random.

#ifndef SCATTERD_TESTS_BACKENDS_CALL_SWEEP_H_
#define SCATTERD_TESTS_BACKENDS_CALL_SWEEP_H_

#include <vector>

#include "core/call.h"
#include "tests/testing/random_tensors.h"

namespace scatterd::test {

// A legal combination of shapes and attributes.
struct ShapeCase {
  Shape data;
  Shape indices;
  Shape updates;  // scatters only
  OperatorAttributes attributes;
};

// Legal shapes for `op`: ranks 1 to 6, every axis from both ends, every number
// of batch dims, every tuple depth, indices of several ranks; extents are
// small and random, some of them 0.
std::vector<ShapeCase> SweepShapes(OperatorId op, RandomTensors& random);

// Legal shapes with about `num_indices` indices into a small tensor.
ShapeCase LargeShape(OperatorId op, int64_t num_indices, RandomTensors& random);

// A call with these shapes: awkward values, index values that repeat and,
// where the options say what they do, lie far outside; options and index
// dtype at random.  At most one thing is wrong with it: an index, a duplicate
// under REJECT or an integer divisor, each in a few calls of a hundred.
OperatorCall RandomCall(OperatorId op, const ShapeCase& shapes, DType dtype,
                        Reduction reduction, RandomTensors& random);

}  // namespace scatterd::test

#endif  // SCATTERD_TESTS_BACKENDS_CALL_SWEEP_H_
