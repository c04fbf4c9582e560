// The oracle's gradients: the definitions of core/gradient.h, one element at a
// time.

#ifndef SCATTERD_TESTS_TESTING_REFERENCE_GRADIENT_H_
#define SCATTERD_TESTS_TESTING_REFERENCE_GRADIENT_H_

#include "absl/status/statusor.h"
#include "core/call.h"

namespace scatterd::test {

// Who receives gradient under NONE.
enum class Receivers { kWinner, kAllDuplicates };

// What the contract says that Gradient answers, without statistics.  Options
// are those of `call.forward`; every operand is a tensor or zeros, and the
// dialect changes nothing but `receivers`.
//
// Errors as ReferenceCall(call.forward), and INVALID_ARGUMENT for a grad_output
// or dtype that is refused.
absl::StatusOr<GradientResult> ReferenceGradient(
    const GradientCall& call, Receivers receivers = Receivers::kWinner);

// For each element of a gather's output or a scatter's updates: the flat
// position of data that it meets; -1 if it is skipped.  The forward call
// succeeds.
Tensor PartnersOf(const OperatorCall& forward);

}  // namespace scatterd::test

#endif  // SCATTERD_TESTS_TESTING_REFERENCE_GRADIENT_H_
