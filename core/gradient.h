// Gradients (vector-Jacobian products) of the operators.
//
// Given G, the gradient of the output, a gradient is a scatter or a gather of
// G through the forward's own addressing, so it is planned by the forward's
// planner and checked by its constraints.  Nothing of a forward call is kept:
// a gradient call brings what it needs.
//
//   forward      grad_data                       grad_updates[j]
//   gathers      zeros; G[j] added at p(j)       -
//   none         G, 0 at hits                    G[p(j)] if j wins, else 0 *
//   add, sub     G                               +G[p(j)], -G[p(j)]
//   mul          G * product of the updates      G * product of the others
//   div          G / product of the updates      -G * (output / u[j])
//   max, min     G / n where data is selected    G / n where u[j] is selected
//   mean         G / N                           G / N
//
// p(j) is the destination of update j; a hit is a destination of at least one
// update.  Products of others contain data (unless excluded) and are formed
// without division, so zeros are exact: the product of those before, in order
// and data first, times the product of those behind, from the last back.  The
// product of all updates is formed from the last back too, but in order for
// div.  Products start from 1 where data is not in front.  n counts the
// operands equal to the output, data included unless excluded; where the output
// is NaN the result is NaN.  N counts the updates, plus one for data unless
// excluded.  exclude_self makes grad_data 0 at hits.  Updates that SKIP dropped
// receive 0, and gathered fill values contribute nothing; CLAMP and WRAP pass
// gradient to and from the effective position.  * some dialects give all
// duplicates G[p(j)].
//
// Sums start from 0 and are formed in row-major order of indices; halves are
// computed in float and rounded once (sums of several elements of G follow
// options.accumulation).  Complex gradients use the conjugates of the other
// factors.  Last, each element is multiplied by the scale, which is rounded to
// the type that is computed in; a scale of 0 makes it +0 whatever it was.
//
// Where a dialect reads updates as a tensor of another shape, its gradient has
// the caller's shape: the sum over the repeats of a broadcast element, in
// row-major order and after scaling; 0 outside a corner (ContractGradient).

#ifndef SCATTERD_CORE_GRADIENT_H_
#define SCATTERD_CORE_GRADIENT_H_

#include "absl/status/statusor.h"
#include "core/operator.h"
#include "core/options.h"
#include "core/plan.h"
#include "core/strided_view.h"
#include "core/tensor.h"

namespace scatterd {

struct GradientPlan {
  Plan forward;
  // The transposed plan: a scatter for a gather, a gather for a scatter.
  Plan transposed;
  TensorSpec grad_data;
  // Scatters only: of the updates as the kernel sees them, which is not what
  // the caller sent where the forward plan has an updates_view.
  TensorSpec grad_updates;
  bool needs_data = false;     // else data's spec is enough
  bool needs_updates = false;  // else updates' spec is enough
};

// Plans the gradient of operator `id`.  Beside the forward's constraints:
// INVALID_ARGUMENT unless data is FLOAT, DOUBLE, FLOAT16, BFLOAT16 or complex
// and grad_output has the spec of the forward's output.
absl::StatusOr<GradientPlan> MakeGradientPlan(OperatorId id,
                                              const OperatorInputs& inputs,
                                              const TensorSpec& grad_output);

// From the gradient of what `view` shows to the gradient of the tensor of
// `shape` that it shows: see above.  Errors as Buffer::Allocate.
absl::StatusOr<Tensor> ContractGradient(const StridedView& view,
                                        const Tensor& gradient,
                                        const Shape& shape,
                                        Accumulation accumulation);

}  // namespace scatterd

#endif  // SCATTERD_CORE_GRADIENT_H_
