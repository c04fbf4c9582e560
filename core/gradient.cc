#include "core/gradient.h"

#include <optional>

#include "absl/strings/str_cat.h"
#include "core/errors.h"
#include "core/status_macros.h"

namespace scatterd {
namespace {

bool IsDifferentiable(DType dtype) {
  const DTypeKind kind = KindOf(dtype);
  return kind == DTypeKind::kFloat || kind == DTypeKind::kHalf ||
         kind == DTypeKind::kComplex;
}

absl::Status CheckDifferentiable(OperatorId id, DType dtype) {
  if (IsDifferentiable(dtype)) return absl::OkStatus();
  return ConstraintError(
      OperatorName(id), 0, "data",
      absl::StrCat("only floating-point and complex data has a gradient (",
                   DTypeName(dtype),
                   " vs FLOAT, DOUBLE, FLOAT16, BFLOAT16, COMPLEX64 or "
                   "COMPLEX128)"));
}

absl::Status CheckGradOutput(OperatorId id, const TensorSpec& got,
                             const TensorSpec& expected) {
  if (got == expected) return absl::OkStatus();
  return ConstraintError(
      OperatorName(id), 0, "grad_output",
      absl::StrCat("grad_output is not like the output (", got.ToString(),
                   " vs ", expected.ToString(), ")"));
}

bool UsesOperands(Reduction reduction) {
  return reduction == Reduction::kMul || reduction == Reduction::kDiv ||
         reduction == Reduction::kMax || reduction == Reduction::kMin;
}

absl::Status CheckGradientExists(const Plan& forward) {
  const bool order = forward.reduction == Reduction::kMax ||
                     forward.reduction == Reduction::kMin;
  if (!order || KindOf(forward.dtype) != DTypeKind::kComplex) {
    return absl::OkStatus();
  }
  return ConstraintError(
      forward.op, 0, "reduction",
      absl::StrCat("reduction ", ReductionName(forward.reduction),
                   " of complex numbers has no gradient"));
}

Plan Transpose(const Plan& forward, const TensorSpec& output) {
  Plan transposed = forward;
  transposed.is_scatter = !forward.is_scatter;
  transposed.reduction =
      forward.is_scatter ? Reduction::kNone : Reduction::kAdd;
  transposed.exclude_self = false;
  transposed.output = output;
  return transposed;
}

}  // namespace

absl::StatusOr<GradientPlan> MakeGradientPlan(OperatorId id,
                                              const OperatorInputs& inputs,
                                              const TensorSpec& grad_output) {
  GradientPlan plan;
  SCATTERD_ASSIGN_OR_RETURN(plan.forward, MakePlan(id, inputs));
  SCATTERD_RETURN_IF_ERROR(CheckDifferentiable(id, inputs.data.dtype));
  SCATTERD_RETURN_IF_ERROR(CheckGradientExists(plan.forward));
  SCATTERD_RETURN_IF_ERROR(
      CheckGradOutput(id, grad_output, plan.forward.output));
  plan.grad_data = inputs.data;
  if (plan.forward.is_scatter) {
    const std::optional<StridedView>& view = plan.forward.updates_view;
    plan.grad_updates = {inputs.updates.dtype,
                         view ? view->shape : inputs.updates.shape};
  }
  plan.transposed =
      Transpose(plan.forward,
                plan.forward.is_scatter ? plan.grad_updates : plan.grad_data);
  const bool uses =
      plan.forward.is_scatter && UsesOperands(plan.forward.reduction);
  plan.needs_updates = uses;
  plan.needs_data = uses && !plan.forward.exclude_self;
  return plan;
}

}  // namespace scatterd
