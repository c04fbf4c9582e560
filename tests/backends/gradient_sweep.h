// Gradient calls for tests: the forward calls of call_sweep.h, and what their
// gradients must be.

#ifndef SCATTERD_TESTS_BACKENDS_GRADIENT_SWEEP_H_
#define SCATTERD_TESTS_BACKENDS_GRADIENT_SWEEP_H_

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "core/call.h"
#include "tests/backends/call_sweep.h"
#include "tests/testing/random_tensors.h"
#include "tests/testing/reference_gradient.h"

namespace scatterd::test {

struct GradientCase {
  GradientCall call;
  Receivers receivers = Receivers::kWinner;
};

// FLOAT, DOUBLE, FLOAT16, BFLOAT16 and the complex dtypes.
std::vector<DType> DifferentiableDTypes();

// A gradient of RandomCall: awkward, ordinary or tying values, any scale.
// Operands that the gradient does not depend on are zeros in some calls; NONE
// credits all duplicates in some.
GradientCase RandomGradient(OperatorId op, const ShapeCase& shapes, DType dtype,
                            Reduction reduction, RandomTensors& random);

// What differs from the oracle's result or error; empty if nothing does.
std::string GradientDifference(const GradientCase& gradient,
                               const absl::StatusOr<GradientResult>& actual);

// The case on one line.
std::string Describe(const GradientCase& gradient);

}  // namespace scatterd::test

#endif  // SCATTERD_TESTS_BACKENDS_GRADIENT_SWEEP_H_
