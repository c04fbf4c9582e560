#include "core/float16.h"

#include <cmath>
#include <limits>
#include <random>

#include "gtest/gtest.h"
#include "tests/testing/half_oracle.h"

namespace scatterd {
namespace {

TEST(Float16, EveryHalfIsExactlyItsFloat) {
  for (uint32_t bits = 0; bits <= 0xffff; ++bits) {
    const Float16 half{static_cast<uint16_t>(bits)};
    const BFloat16 brain{static_cast<uint16_t>(bits)};
    const double half_value = test::ValueOf(half);
    const double brain_value = test::ValueOf(brain);
    if (std::isnan(half_value)) {
      ASSERT_TRUE(std::isnan(ToFloat(half))) << bits;
    } else {
      ASSERT_EQ(ToFloat(half), half_value) << bits;
      ASSERT_EQ(std::signbit(ToFloat(half)), bits >= 0x8000) << bits;
    }
    if (std::isnan(brain_value)) {
      ASSERT_TRUE(std::isnan(ToFloat(brain))) << bits;
    } else {
      ASSERT_EQ(ToFloat(brain), brain_value) << bits;
    }
  }
}

void ExpectRoundsLikeTheOracle(float value) {
  ASSERT_EQ(ToFloat16(value).bits, test::NearestFloat16(value).bits) << value;
  ASSERT_EQ(ToBFloat16(value).bits, test::NearestBFloat16(value).bits) << value;
}

TEST(Float16, RoundsAroundEveryHalfAsTheDefinitionSays) {
  for (uint32_t bits = 0; bits < 0x7c00; ++bits) {
    const float low = ToFloat(Float16{static_cast<uint16_t>(bits)});
    const float high = bits == 0x7bff
                           ? 65536.0f
                           : ToFloat(Float16{static_cast<uint16_t>(bits + 1)});
    const float middle = low + (high - low) / 2;
    for (float value : {low, middle, std::nextafter(middle, low),
                        std::nextafter(middle, high)}) {
      ExpectRoundsLikeTheOracle(value);
      ExpectRoundsLikeTheOracle(-value);
    }
  }
}

TEST(Float16, RoundsRandomFloatsAsTheDefinitionSays) {
  std::mt19937 random(7);
  for (int i = 0; i < 1000000; ++i) {
    ExpectRoundsLikeTheOracle(
        std::bit_cast<float>(static_cast<uint32_t>(random())));
  }
}

TEST(Float16, OverflowsToInfinity) {
  EXPECT_EQ(ToFloat16(65519.99f).bits, 0x7bff);
  EXPECT_EQ(ToFloat16(65520.0f).bits, 0x7c00);
  EXPECT_EQ(ToFloat16(-1e30f).bits, 0xfc00);
  EXPECT_EQ(ToBFloat16(std::numeric_limits<float>::max()).bits, 0x7f80);
}

}  // namespace
}  // namespace scatterd
