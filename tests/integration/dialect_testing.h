// Calls in a dialect, through the real server.

#ifndef SCATTERD_TESTS_INTEGRATION_DIALECT_TESTING_H_
#define SCATTERD_TESTS_INTEGRATION_DIALECT_TESTING_H_

#include <string>
#include <vector>

#include "core/options.h"
#include "core/tensor.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/integration/server_under_test.h"
#include "tests/testing/status_matchers.h"
#include "tests/testing/tensor_literals.h"
#include "tests/testing/tensor_matchers.h"

namespace scatterd::test {

inline constexpr auto kInvalid = absl::StatusCode::kInvalidArgument;
inline constexpr auto kOutOfRange = absl::StatusCode::kOutOfRange;

inline constexpr Dialect kAllDialects[] = {
    Dialect::kOnnx,      Dialect::kTensorflow, Dialect::kTensorflowGpu,
    Dialect::kMindspore, Dialect::kPytorch,    Dialect::kJax,
    Dialect::kNumpy};

inline absl::StatusOr<Tensor> RunIn(Dialect dialect, OperatorCall call) {
  call.options.dialect = dialect;
  absl::StatusOr<OperatorResult> result = CallServer(call);
  if (!result.ok()) return result.status();
  return *result->output;
}

inline void ExpectIn(Dialect dialect, const OperatorCall& call,
                     const Tensor& expected) {
  SCOPED_TRACE(static_cast<int>(dialect));
  EXPECT_THAT(RunIn(dialect, call), IsOkAndHolds(EqualsTensor(expected)));
}

inline void ExpectRefusedIn(Dialect dialect, const OperatorCall& call,
                            absl::StatusCode code, const std::string& what) {
  SCOPED_TRACE(static_cast<int>(dialect));
  EXPECT_THAT(RunIn(dialect, call), StatusIs(code, ::testing::HasSubstr(what)));
}

inline Tensor Floats(const std::vector<float>& values) {
  return TensorOf<float>({static_cast<int64_t>(values.size())}, values);
}

}  // namespace scatterd::test

#endif  // SCATTERD_TESTS_INTEGRATION_DIALECT_TESTING_H_
