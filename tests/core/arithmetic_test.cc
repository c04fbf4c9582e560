#include "core/arithmetic.h"

#include <bit>
#include <cmath>
#include <limits>

#include "gtest/gtest.h"

namespace scatterd {
namespace {

using Max = MaxOp<false>;
using Min = MinOp<false>;
using MaxIgnore = MaxOp<true>;
using MinIgnore = MinOp<true>;

uint32_t Bits(float value) { return std::bit_cast<uint32_t>(value); }
float FromBits(uint32_t bits) { return std::bit_cast<float>(bits); }

constexpr uint32_t kCanonical = 0x7fc00000;
const float kInf = std::numeric_limits<float>::infinity();
const float kNanA = FromBits(0x7fc00001);
const float kNanB = FromBits(0xffc12345);

TEST(Arithmetic, IntegersWrap) {
  EXPECT_EQ((AddOp::Apply<int8_t>(120, 10)), -126);
  EXPECT_EQ((SubOp::Apply<uint8_t>(3, 5)), 254);
  EXPECT_EQ((MulOp::Apply<uint16_t>(65535, 65535)), 1);
  EXPECT_EQ((MulOp::Apply<int64_t>(INT64_MIN, -1)), INT64_MIN);
  EXPECT_EQ((AddOp::Apply<int32_t>(INT32_MAX, 1)), INT32_MIN);
}

TEST(Arithmetic, IntegerDivisionTruncatesAndItsOverflowWraps) {
  EXPECT_EQ((DivOp::Apply<int32_t>(-7, 2)), -3);
  EXPECT_EQ((DivOp::Apply<int32_t>(7, -2)), -3);
  EXPECT_EQ((DivOp::Apply<int32_t>(INT32_MIN, -1)), INT32_MIN);
  EXPECT_EQ((DivOp::Apply<int8_t>(-128, -1)), -128);
  EXPECT_EQ((DivOp::Apply<uint64_t>(UINT64_MAX, 2)), UINT64_MAX / 2);
}

TEST(Arithmetic, EveryNanResultIsTheCanonicalOne) {
  EXPECT_EQ(Bits(AddOp::Apply(kInf, -kInf)), kCanonical);
  EXPECT_EQ(Bits(AddOp::Apply(kNanB, 1.0f)), kCanonical);
  EXPECT_EQ(Bits(SubOp::Apply(1.0f, kNanB)), kCanonical);
  EXPECT_EQ(Bits(MulOp::Apply(0.0f, kInf)), kCanonical);
  EXPECT_EQ(Bits(DivOp::Apply(0.0f, 0.0f)), kCanonical);
  EXPECT_EQ(std::bit_cast<uint64_t>(DivOp::Apply(0.0, 0.0)),
            0x7ff8000000000000u);
  EXPECT_EQ(AddOp::Apply(Float16{0x7c00}, Float16{0xfc00}).bits, 0x7e00);
  EXPECT_EQ(AddOp::Apply(BFloat16{0x7f80}, BFloat16{0xff80}).bits, 0x7fc0);
}

TEST(Arithmetic, MaxAndMinPropagateTheFirstNanWithItsBits) {
  EXPECT_EQ(Bits(Max::Apply(kNanA, kNanB)), Bits(kNanA));
  EXPECT_EQ(Bits(Max::Apply(1.0f, kNanB)), Bits(kNanB));
  EXPECT_EQ(Bits(Max::Apply(kNanA, 1.0f)), Bits(kNanA));
  EXPECT_EQ(Bits(Min::Apply(1.0f, kNanB)), Bits(kNanB));
  EXPECT_EQ(Max::Apply(Float16{0x7e01}, Float16{0x3c00}).bits, 0x7e01);
}

TEST(Arithmetic, MaxAndMinIgnoreNanOnRequest) {
  EXPECT_EQ(MaxIgnore::Apply(1.0f, kNanB), 1.0f);
  EXPECT_EQ(MaxIgnore::Apply(kNanA, 1.0f), 1.0f);
  EXPECT_EQ(MinIgnore::Apply(kNanA, 1.0f), 1.0f);
  EXPECT_EQ(Bits(MinIgnore::Apply(kNanA, kNanB)), Bits(kNanA));
  EXPECT_EQ(MinIgnore::Apply(-kInf, kNanB), -kInf);
}

TEST(Arithmetic, PositiveZeroIsGreaterThanNegativeZero) {
  for (const auto& [a, b] : {std::pair{0.0f, -0.0f}, {-0.0f, 0.0f}}) {
    EXPECT_EQ(Bits(Max::Apply(a, b)), 0u);
    EXPECT_EQ(Bits(Min::Apply(a, b)), 0x80000000u);
    EXPECT_EQ(Bits(MaxIgnore::Apply(a, b)), 0u);
  }
  EXPECT_EQ(Max::Apply(Float16{0x8000}, Float16{0}).bits, 0);
  EXPECT_EQ(Min::Apply(BFloat16{0}, BFloat16{0x8000}).bits, 0x8000);
}

TEST(Arithmetic, MaxAndMinOrderTheUsualValues) {
  EXPECT_EQ(Max::Apply(-2.0, 3.0), 3.0);
  EXPECT_EQ(Min::Apply(-2.0, 3.0), -2.0);
  EXPECT_EQ((Max::Apply<int8_t>(-5, 3)), 3);
  EXPECT_EQ((Min::Apply<uint64_t>(UINT64_MAX, 3)), 3u);
  EXPECT_EQ(Max::Apply(kInf, 3.0f), kInf);
}

TEST(Arithmetic, HalvesRoundAfterTheOperation) {
  // 2048 + 1 is a tie between 2048 and 2050: even wins.
  EXPECT_EQ(AddOp::Apply(ToFloat16(2048), ToFloat16(1)).bits,
            ToFloat16(2048).bits);
  EXPECT_EQ(AddOp::Apply(ToBFloat16(256), ToBFloat16(1)).bits,
            ToBFloat16(256).bits);
}

TEST(Arithmetic, BoolsAreOrAndAnd) {
  const Bool8 yes{1};
  const Bool8 no{0};
  EXPECT_EQ(AddOp::Apply(yes, yes).value, 1);
  EXPECT_EQ(AddOp::Apply(no, yes).value, 1);
  EXPECT_EQ(MulOp::Apply(no, yes).value, 0);
  EXPECT_EQ(Max::Apply(no, yes).value, 1);
  EXPECT_EQ(Min::Apply(no, yes).value, 0);
}

TEST(Arithmetic, ComplexNumbersMultiplyAndDivide) {
  const Complex64 product = MulOp::Apply(Complex64{1, 1}, Complex64{2, 3});
  EXPECT_EQ(product.re, -1);
  EXPECT_EQ(product.im, 5);
  const Complex64 quotient = DivOp::Apply(Complex64{-1, 5}, Complex64{2, 3});
  EXPECT_EQ(quotient.re, 1);
  EXPECT_EQ(quotient.im, 1);
}

TEST(Arithmetic, ComplexDivisionDoesNotOverflowInBetween) {
  const Complex128 quotient =
      DivOp::Apply(Complex128{1e300, 1e300}, Complex128{1e300, 1e300});
  EXPECT_EQ(quotient.re, 1);
  EXPECT_EQ(quotient.im, 0);
}

TEST(Arithmetic, ComplexDivisionByZeroHasTheSignOfTheNumerator) {
  // The divisor counts by its magnitude, whatever the signs of its zeros.
  for (const Complex64 zero :
       {Complex64{0.0f, 0.0f}, Complex64{-0.0f, 0.0f}, Complex64{0.0f, -0.0f},
        Complex64{-0.0f, -0.0f}}) {
    const Complex64 quotient = DivOp::Apply(Complex64{1, -1}, zero);
    EXPECT_EQ(quotient.re, kInf);
    EXPECT_EQ(quotient.im, -kInf);
  }
}

TEST(Arithmetic, ComplexNumbersOrderLexicographically) {
  const auto max = [](Complex64 a, Complex64 b) { return Max::Apply(a, b); };
  EXPECT_EQ(max({1, 9}, {2, -9}).re, 2);
  EXPECT_EQ(max({2, -9}, {1, 9}).im, -9);
  EXPECT_EQ(max({1, 2}, {1, 3}).im, 3);
  EXPECT_EQ(Min::Apply(Complex64{1, 2}, Complex64{1, 3}).im, 2);
  EXPECT_EQ(Bits(max({1, kNanA}, {5, 5}).im), Bits(kNanA));
  EXPECT_EQ(Bits(max({5, 5}, {kNanB, 1}).re), Bits(kNanB));
  EXPECT_EQ(MaxIgnore::Apply(Complex64{5, 5}, Complex64{kNanB, 1}).re, 5);
  EXPECT_EQ(MaxIgnore::Apply(Complex64{kNanA, 1}, Complex64{4, 1}).re, 4);
}

TEST(Arithmetic, IdentitiesLeaveAnUpdateAsItIs) {
  for (float value : {-kInf, -3.0f, 0.0f, 2.5f, kInf}) {
    EXPECT_EQ(AddOp::Apply(Identity<AddOp, float>(), value), value);
    EXPECT_EQ(MulOp::Apply(Identity<MulOp, float>(), value), value);
    EXPECT_EQ(Max::Apply(Identity<Max, float>(), value), value);
    EXPECT_EQ(Min::Apply(Identity<Min, float>(), value), value);
  }
  EXPECT_EQ((Identity<Max, int32_t>()), INT32_MIN);
  EXPECT_EQ((Identity<Min, uint8_t>()), 255);
  EXPECT_EQ((Identity<Max, uint8_t>()), 0);
  EXPECT_EQ((Identity<Max, Float16>().bits), 0xfc00);
  EXPECT_EQ((Identity<MulOp, BFloat16>().bits), 0x3f80);
  EXPECT_EQ((Identity<MulOp, Bool8>().value), 1);
  EXPECT_EQ((Identity<Min, Bool8>().value), 1);
  EXPECT_EQ((Identity<AddOp, Bool8>().value), 0);
  EXPECT_EQ((Identity<MulOp, Complex64>().re), 1);
  EXPECT_EQ((Identity<MulOp, Complex64>().im), 0);
}

TEST(Arithmetic, IntegerMeansFloor) {
  EXPECT_EQ((MeanOf<int32_t>(-8, 3)), -3);
  EXPECT_EQ((MeanOf<int32_t>(8, 3)), 2);
  EXPECT_EQ((MeanOf<int32_t>(-9, 3)), -3);
  EXPECT_EQ((MeanOf<uint8_t>(46, 3)), 15);
  EXPECT_EQ((MeanOf<uint8_t>(200, 1000)), 0);
  EXPECT_EQ((MeanOf<int64_t>(INT64_MIN, 1)), INT64_MIN);
  EXPECT_EQ((MeanOf<uint64_t>(UINT64_MAX, 2)), UINT64_MAX / 2);
}

}  // namespace
}  // namespace scatterd
