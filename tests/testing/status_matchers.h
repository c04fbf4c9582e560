// Matchers for absl::Status and absl::StatusOr.
//
//   EXPECT_THAT(Plan(...), IsOk());
//   EXPECT_THAT(Plan(...), StatusIs(absl::StatusCode::kInvalidArgument,
//                                   HasSubstr("gather: C2")));
//   EXPECT_THAT(Run(...), IsOkAndHolds(EqualsTensor(expected)));
//
// There is no matcher for "some error": a test names the code.

#ifndef SCATTERD_TESTS_TESTING_STATUS_MATCHERS_H_
#define SCATTERD_TESTS_TESTING_STATUS_MATCHERS_H_

#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "gmock/gmock.h"

namespace scatterd::test {

inline const absl::Status& GetStatus(const absl::Status& status) {
  return status;
}

template <typename T>
const absl::Status& GetStatus(const absl::StatusOr<T>& status_or) {
  return status_or.status();
}

MATCHER(IsOk, "is OK") {
  *result_listener << "which is " << GetStatus(arg);
  return GetStatus(arg).ok();
}

MATCHER_P(StatusIs, code, "has code " + absl::StatusCodeToString(code)) {
  *result_listener << "which is " << GetStatus(arg);
  return GetStatus(arg).code() == code;
}

MATCHER_P2(StatusIs, code, message_matcher,
           "has code " + absl::StatusCodeToString(code) +
               " and a message that " +
               ::testing::DescribeMatcher<std::string>(message_matcher)) {
  *result_listener << "which is " << GetStatus(arg) << " ";
  return GetStatus(arg).code() == code &&
         ::testing::ExplainMatchResult(message_matcher,
                                       std::string(GetStatus(arg).message()),
                                       result_listener);
}

MATCHER_P(IsOkAndHolds, value_matcher, "is OK and holds a value that matches") {
  if (!arg.ok()) {
    *result_listener << "which is " << arg.status();
    return false;
  }
  return ::testing::ExplainMatchResult(value_matcher, *arg, result_listener);
}

}  // namespace scatterd::test

#endif  // SCATTERD_TESTS_TESTING_STATUS_MATCHERS_H_
