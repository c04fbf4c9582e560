#include "tests/testing/half_oracle.h"

#include <cmath>
#include <limits>

#include "gtest/gtest.h"

namespace scatterd::test {
namespace {

TEST(HalfOracle, KnowsFloat16ValuesFromTheStandard) {
  EXPECT_EQ(ValueOf(Float16{0x3c00}), 1.0);
  EXPECT_EQ(ValueOf(Float16{0xc000}), -2.0);
  EXPECT_EQ(ValueOf(Float16{0x7bff}), 65504.0);
  EXPECT_EQ(ValueOf(Float16{0x0400}), std::ldexp(1, -14));
  EXPECT_EQ(ValueOf(Float16{0x0001}), std::ldexp(1, -24));
  EXPECT_EQ(ValueOf(Float16{0x3555}), 0.333251953125);
}

TEST(HalfOracle, KnowsBFloat16ValuesFromItsDefinition) {
  EXPECT_EQ(ValueOf(BFloat16{0x3f80}), 1.0);
  EXPECT_EQ(ValueOf(BFloat16{0x4049}), 3.140625);
  EXPECT_EQ(ValueOf(BFloat16{0x0001}), std::ldexp(1, -133));
  EXPECT_EQ(ValueOf(BFloat16{0xff80}),
            -std::numeric_limits<double>::infinity());
}

TEST(HalfOracle, EveryHalfSurvivesARoundTrip) {
  for (uint32_t bits = 0; bits <= 0xffff; ++bits) {
    const Float16 half{static_cast<uint16_t>(bits)};
    const BFloat16 brain{static_cast<uint16_t>(bits)};
    if (!std::isnan(ValueOf(half))) {
      ASSERT_EQ(NearestFloat16(ValueOf(half)).bits, bits);
    }
    if (!std::isnan(ValueOf(brain))) {
      ASSERT_EQ(NearestBFloat16(ValueOf(brain)).bits, bits);
    }
  }
}

TEST(HalfOracle, RoundsTiesToEven) {
  EXPECT_EQ(NearestFloat16(2049).bits, NearestFloat16(2048).bits);
  EXPECT_EQ(NearestFloat16(2051).bits, NearestFloat16(2052).bits);
  EXPECT_EQ(NearestFloat16(65519).bits, 0x7bff);
  EXPECT_EQ(NearestFloat16(65520).bits, 0x7c00);
  EXPECT_EQ(NearestFloat16(std::ldexp(1, -25)).bits, 0);
  EXPECT_EQ(NearestFloat16(-std::ldexp(1.5, -25)).bits, 0x8001);
  EXPECT_EQ(NearestBFloat16(257).bits, NearestBFloat16(256).bits);
  EXPECT_EQ(NearestBFloat16(259).bits, NearestBFloat16(260).bits);
}

TEST(HalfOracle, RoundsEveryNanToTheCanonicalOne) {
  EXPECT_EQ(NearestFloat16(-std::nan("1")).bits, 0x7e00);
  EXPECT_EQ(NearestBFloat16(-std::nan("1")).bits, 0x7fc0);
}

}  // namespace
}  // namespace scatterd::test
