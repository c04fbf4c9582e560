#include "tests/backends/gradient_sweep.h"

#include <optional>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "tests/backends/conformance.h"
#include "tests/testing/reference_ops.h"
#include "tests/testing/reference_shapes.h"
#include "tests/testing/tensor_literals.h"
#include "tests/testing/tensor_matchers.h"

namespace scatterd::test {
namespace {

// -1, 0 and 1: ties, and zeros among factors.
Tensor FewValues(const TensorSpec& spec, RandomTensors& random) {
  std::vector<int64_t> values(spec.shape.num_elements());
  for (int64_t& value : values) value = random.Below(3) - 1;
  return FromIntegers(spec.dtype, spec.shape, values);
}

Tensor MakeValues(const TensorSpec& spec, int64_t kind, RandomTensors& random) {
  if (kind == 0) return FewValues(spec, random);
  return random.Make(spec, kind == 1 ? RandomTensors::Values::kOrdinary
                                     : RandomTensors::Values::kAwkward);
}

TensorSpec SpecOf(const Operand& operand) {
  if (const auto* zeros = std::get_if<ZerosSpec>(&operand)) return zeros->spec;
  return std::get<Tensor>(operand).spec();
}

TensorSpec OutputSpec(const OperatorCall& call) {
  if (IsScatter(call.op)) return SpecOf(call.data);
  ReferenceInputs inputs;
  inputs.op = call.op;
  inputs.data = ValueOrDie(Tensor::Zeros(SpecOf(call.data)));
  inputs.indices = std::get<Tensor>(call.indices);
  inputs.attributes = call.attributes;
  return {inputs.data.dtype(), *ReferenceOutputShape(inputs)};
}

// Whether values of data and updates play a role.
bool DependsOnOperands(Reduction reduction) {
  return reduction == Reduction::kMul || reduction == Reduction::kDiv ||
         reduction == Reduction::kMax || reduction == Reduction::kMin;
}

// A dialect that credits every duplicate and, with these options, differs in
// nothing else.
void CreditAllDuplicates(GradientCase& gradient) {
  ExecutionOptions& options = gradient.call.forward.options;
  options.dialect = Dialect::kPytorch;
  if (!options.out_of_bounds) options.out_of_bounds = OutOfBounds::kError;
  if (!options.negative_indices) {
    options.negative_indices = NegativeIndices::kFromEnd;
  }
  gradient.receivers = Receivers::kAllDuplicates;
}

bool HasEmptyTuples(const OperatorCall& call) {
  const Shape& indices = std::get<Tensor>(call.indices).shape();
  return call.op == OperatorId::kScatterND && indices[indices.rank() - 1] == 0;
}

std::string ErrorDifference(const OperatorCall& forward,
                            const absl::Status& expected,
                            const absl::Status& actual) {
  const std::string prefix = absl::StrCat(OperatorName(forward.op), ": C");
  if (actual.code() != expected.code() ||
      !absl::StartsWith(actual.message(), prefix)) {
    return absl::StrCat("got ", actual.ToString(), ", expected ",
                        expected.ToString());
  }
  const std::optional<BadIndex> bad = BadIndexOf(expected);
  if (!bad) return "";
  const std::string position = absl::StrCat("(position ", bad->position, ")");
  return absl::StrContains(actual.message(), position)
             ? ""
             : absl::StrCat("got ", actual.ToString(), ", expected ", position);
}

}  // namespace

std::vector<DType> DifferentiableDTypes() {
  return {DType::kFloat,    DType::kDouble,    DType::kFloat16,
          DType::kBFloat16, DType::kComplex64, DType::kComplex128};
}

GradientCase RandomGradient(OperatorId op, const ShapeCase& shapes, DType dtype,
                            Reduction reduction, RandomTensors& random) {
  constexpr double kScales[] = {1, 0, -1, 0.5, 3.7, -0.0};
  GradientCase gradient;
  OperatorCall& forward = gradient.call.forward;
  forward = RandomCall(op, shapes, dtype, reduction, random);
  const int64_t kind = random.Below(3);
  if (std::holds_alternative<Tensor>(forward.data)) {
    forward.data = MakeValues(SpecOf(forward.data), kind, random);
  }
  if (IsScatter(op)) {
    forward.updates = MakeValues(SpecOf(forward.updates), kind, random);
    if (!DependsOnOperands(reduction) && random.OneIn(4)) {
      forward.updates = ZerosSpec{SpecOf(forward.updates)};
    }
    if (reduction == Reduction::kNone && !HasEmptyTuples(forward) &&
        random.OneIn(3)) {
      CreditAllDuplicates(gradient);
    }
  }
  gradient.call.grad_output =
      MakeValues(OutputSpec(forward), random.Below(3), random);
  if (random.OneIn(2)) gradient.call.scale = kScales[random.Below(6)];
  return gradient;
}

std::string GradientDifference(const GradientCase& gradient,
                               const absl::StatusOr<GradientResult>& actual) {
  const absl::StatusOr<GradientResult> expected =
      ReferenceGradient(gradient.call, gradient.receivers);
  if (!expected.ok()) {
    return ErrorDifference(gradient.call.forward, expected.status(),
                           actual.status());
  }
  if (!actual.ok()) return actual.status().ToString();
  std::string difference = Difference(actual->grad_data, expected->grad_data);
  if (!difference.empty()) return absl::StrCat("grad_data: ", difference);
  if (actual->grad_updates.has_value() != expected->grad_updates.has_value()) {
    return "grad_updates: is there and should not be, or is missing";
  }
  if (!actual->grad_updates) return "";
  difference = Difference(*actual->grad_updates, *expected->grad_updates);
  return difference.empty() ? "" : absl::StrCat("grad_updates: ", difference);
}

std::string Describe(const GradientCase& gradient) {
  return absl::StrCat(
      "gradient of ", Describe(gradient.call.forward),
      " scale=", gradient.call.scale.value_or(1),
      gradient.receivers == Receivers::kAllDuplicates ? " all duplicates" : "");
}

}  // namespace scatterd::test
