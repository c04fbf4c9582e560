#include "tests/backends/conformance.h"

#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "tests/testing/reference_ops.h"
#include "tests/testing/status_matchers.h"
#include "tests/testing/tensor_matchers.h"

namespace scatterd::test {
namespace {

using ::testing::AllOf;
using ::testing::ContainsRegex;
using ::testing::HasSubstr;

constexpr int64_t kMaxPrintedIndices = 64;

std::string OperandText(const Operand& operand) {
  if (const auto* tensor = std::get_if<Tensor>(&operand)) {
    return tensor->spec().ToString();
  }
  if (const auto* zeros = std::get_if<ZerosSpec>(&operand)) {
    return absl::StrCat("zeros ", zeros->spec.ToString());
  }
  return "absent";
}

template <typename E>
std::string OptionText(absl::string_view name, const std::optional<E>& value) {
  if (!value) return "";
  return absl::StrCat(" ", name, "=", static_cast<int>(*value));
}

std::string IndicesText(const OperatorCall& call) {
  const auto* indices = std::get_if<Tensor>(&call.indices);
  if (indices == nullptr || indices->num_elements() > kMaxPrintedIndices) {
    return "";
  }
  std::string text = " indices=";
  for (int64_t i = 0; i < indices->num_elements(); ++i) {
    absl::StrAppend(&text, i == 0 ? "" : ",", ElementToString(*indices, i));
  }
  return text;
}

// "<operator>: C<n>: ".
std::string ErrorPrefix(OperatorId op) {
  return absl::StrCat("^", OperatorName(op), ": C[0-9]+: ");
}

}  // namespace

SolvedCall Solve(OperatorCall call) {
  absl::StatusOr<Tensor> expected = ReferenceCall(call);
  return {std::move(call), std::move(expected)};
}

std::string Describe(const OperatorCall& call) {
  const OperatorAttributes& attributes = call.attributes;
  const ExecutionOptions& options = call.options;
  return absl::StrCat(
      OperatorName(call.op), "(", OperandText(call.data), ", ",
      OperandText(call.indices), ", ", OperandText(call.updates),
      ") axis=", attributes.axis, " batch_dims=", attributes.batch_dims,
      " reduction=", ReductionName(attributes.reduction),
      " exclude_self=", attributes.exclude_self,
      OptionText("out_of_bounds", options.out_of_bounds),
      OptionText("negative_indices", options.negative_indices),
      OptionText("duplicates", options.duplicates),
      OptionText("nan", options.nan),
      OptionText("accumulation", options.accumulation),
      options.fill_value ? " with fill_value" : "", IndicesText(call));
}

void Conformance::Check(const OperatorCall& call) {
  CheckAgainst(call, ReferenceCall(call));
}

void Conformance::CheckAll(const std::vector<OperatorCall>& calls) {
  int num_wrong = 0;
  for (const OperatorCall& call : calls) {
    const auto* results =
        ::testing::UnitTest::GetInstance()->current_test_info()->result();
    const int before = results->total_part_count();
    Check(call);
    if (results->total_part_count() != before && ++num_wrong == 3) return;
  }
}

void Conformance::CheckAgainst(const OperatorCall& call,
                               const absl::StatusOr<Tensor>& expected) {
  const absl::StatusOr<OperatorResult> actual = Run(call);
  if (expected.ok()) {
    ASSERT_THAT(actual, IsOk()) << Describe(call);
    ASSERT_TRUE(actual->output.has_value()) << Describe(call);
    ASSERT_THAT(*actual->output, EqualsTensor(*expected)) << Describe(call);
    return;
  }
  ASSERT_THAT(actual, StatusIs(expected.status().code(),
                               ContainsRegex(ErrorPrefix(call.op))))
      << Describe(call);
  const std::optional<BadIndex> bad = BadIndexOf(expected.status());
  if (!bad) return;
  ASSERT_THAT(std::string(actual.status().message()),
              AllOf(HasSubstr(absl::StrCat("(position ", bad->position, ")")),
                    HasSubstr(absl::StrCat("axis ", bad->axis, " of size ",
                                           bad->axis_size))))
      << Describe(call);
}

void Conformance::CheckRefused(const OperatorCall& call,
                               const std::string& what) {
  const auto refused = absl::StatusCode::kInvalidArgument;
  ASSERT_THAT(ReferenceCall(call), StatusIs(refused)) << Describe(call);
  EXPECT_THAT(Run(call),
              StatusIs(refused, AllOf(ContainsRegex(ErrorPrefix(call.op)),
                                      HasSubstr(what))))
      << Describe(call);
}

std::vector<DType> AllDTypes() {
  return {
#define SCATTERD_DTYPE(name, onnx, number, lower, storage, kind) DType::name,
#include "core/dtypes.inc"
  };
}

std::vector<Reduction> AllReductions() {
  return {
#define SCATTERD_REDUCTION(name, upper, number, lower) Reduction::name,
#include "core/reductions.inc"
  };
}

}  // namespace scatterd::test
