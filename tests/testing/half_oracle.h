// Half-precision conversions written for tests, from the formats' definitions.
//
// Nothing here looks at how core/float16.h does it: values are taken apart
// with frexp and put together with ldexp, in doubles, where every step is
// exact.

#ifndef SCATTERD_TESTS_TESTING_HALF_ORACLE_H_
#define SCATTERD_TESTS_TESTING_HALF_ORACLE_H_

#include "core/float16.h"

namespace scatterd::test {

// The value that the bits stand for; some NaN for every NaN.
double ValueOf(Float16 half);
double ValueOf(BFloat16 half);

// The nearest half, ties to the one with an even last bit; the canonical
// quiet NaN (0x7e00, 0x7fc0) for NaN.
Float16 NearestFloat16(double value);
BFloat16 NearestBFloat16(double value);

}  // namespace scatterd::test

#endif  // SCATTERD_TESTS_TESTING_HALF_ORACLE_H_
