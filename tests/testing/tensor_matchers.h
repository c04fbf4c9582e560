// Bitwise comparison of tensors.

#ifndef SCATTERD_TESTS_TESTING_TENSOR_MATCHERS_H_
#define SCATTERD_TESTS_TESTING_TENSOR_MATCHERS_H_

#include <ostream>
#include <string>

#include "core/tensor.h"
#include "gmock/gmock.h"

namespace scatterd {

// How GoogleTest prints a tensor: spec and the first elements.
void PrintTo(const Tensor& tensor, std::ostream* out);

namespace test {

// Element `i` as a person reads it: "1.5", "0x7fc00001 (nan)", "\"a\\000\"".
std::string ElementToString(const Tensor& tensor, int64_t i);

// What differs, first positions first; empty if dtype, shape and every bit
// are equal (for STRING: every string's bytes).
std::string Difference(const Tensor& actual, const Tensor& expected);

// Matches a tensor that is bit for bit `expected`.  Names are not compared.
MATCHER_P(EqualsTensor, expected, "equals the expected tensor bit for bit") {
  const std::string difference = Difference(arg, expected);
  *result_listener << difference;
  return difference.empty();
}

}  // namespace test
}  // namespace scatterd

#endif  // SCATTERD_TESTS_TESTING_TENSOR_MATCHERS_H_
