// The conformance suite: what every way of running operators must do.
//
// A backend, or anything that stands for one (a server behind a client),
// supplies a Runner and instantiates the suite:
//
//   INSTANTIATE_TEST_SUITE_P(Mine, Conformance,
//                            ::testing::Values(Runner{"mine", run}),
//                            RunnerName);
//
// and so inherits every case: all operators, dtypes, reductions, index dtypes
// and options over a sweep of shapes, compared bit for bit with the oracle
// (tests/testing/reference_ops.h).

#ifndef SCATTERD_TESTS_BACKENDS_CONFORMANCE_H_
#define SCATTERD_TESTS_BACKENDS_CONFORMANCE_H_

#include <functional>
#include <ostream>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "core/call.h"
#include "gtest/gtest.h"

namespace scatterd::test {

struct Runner {
  std::string name;  // letters and digits

  // Runs one call.
  std::function<absl::StatusOr<OperatorResult>(const OperatorCall&)> run;
};

inline void PrintTo(const Runner& runner, std::ostream* out) {
  *out << runner.name;
}

inline std::string RunnerName(const ::testing::TestParamInfo<Runner>& info) {
  return info.param.name;
}

class Conformance : public ::testing::TestWithParam<Runner> {
 protected:
  absl::StatusOr<OperatorResult> Run(const OperatorCall& call) {
    return GetParam().run(call);
  }

  // The call has the oracle's result, or its error: the code, a message of
  // the documented form and, for an index, the first bad position.
  void Check(const OperatorCall& call);

  // Checks each call, up to the third that is wrong.
  void CheckAll(const std::vector<OperatorCall>& calls);

  // The same against a result of the oracle that is at hand.
  void CheckAgainst(const OperatorCall& call,
                    const absl::StatusOr<Tensor>& expected);

  // The call is refused with INVALID_ARGUMENT, by the oracle too, and the
  // message has `what` in it.
  void CheckRefused(const OperatorCall& call, const std::string& what);
};

// A call with the oracle's answer, for many runners.
struct SolvedCall {
  OperatorCall call;
  absl::StatusOr<Tensor> expected;
};
SolvedCall Solve(OperatorCall call);

// Specs, attributes and options of a call on one line.
std::string Describe(const OperatorCall& call);

// Every row of dtypes.inc and reductions.inc.
std::vector<DType> AllDTypes();
std::vector<Reduction> AllReductions();

}  // namespace scatterd::test

#endif  // SCATTERD_TESTS_BACKENDS_CONFORMANCE_H_
