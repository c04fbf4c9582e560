#include "tests/testing/half_oracle.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace scatterd::test {
namespace {

// A 16-bit IEEE 754 style format: one sign bit, then the exponent.
struct Format {
  int mantissa_bits;
  int min_exponent;  // of the smallest normal number
  int max_exponent;  // of the largest

  int bias() const { return max_exponent; }
  int exponent_mask() const { return 2 * max_exponent + 1; }
};

constexpr Format kFloat16Format = {10, -14, 15};
constexpr Format kBFloat16Format = {7, -126, 127};

double Decode(uint16_t bits, const Format& format) {
  const double sign = (bits & 0x8000) ? -1.0 : 1.0;
  const int mantissa = bits & ((1 << format.mantissa_bits) - 1);
  const int exponent = (bits & 0x7fff) >> format.mantissa_bits;
  if (exponent == format.exponent_mask()) {
    if (mantissa != 0) return std::numeric_limits<double>::quiet_NaN();
    return sign * std::numeric_limits<double>::infinity();
  }
  if (exponent == 0) {
    return sign *
           std::ldexp(mantissa, format.min_exponent - format.mantissa_bits);
  }
  return sign * std::ldexp(mantissa + (1 << format.mantissa_bits),
                           exponent - format.bias() - format.mantissa_bits);
}

// `value` is positive and at most the format's infinity.
uint16_t EncodeMagnitude(double value, const Format& format) {
  const int exponent = value == 0
                           ? format.min_exponent
                           : std::max(std::ilogb(value), format.min_exponent);
  const int quantum = exponent - format.mantissa_bits;
  const double steps = std::nearbyint(std::ldexp(value, -quantum));
  // Steps count up through subnormals, binades and into infinity alike.
  const int binades_below = exponent - format.min_exponent;
  return static_cast<uint16_t>((binades_below << format.mantissa_bits) +
                               static_cast<int>(steps));
}

uint16_t Encode(double value, const Format& format, uint16_t nan) {
  if (std::isnan(value)) return nan;
  const uint16_t infinity =
      static_cast<uint16_t>(format.exponent_mask() << format.mantissa_bits);
  const uint16_t sign = std::signbit(value) ? 0x8000 : 0;
  const double magnitude = std::fabs(value);
  if (magnitude >= std::ldexp(1.0, format.max_exponent + 1)) {
    return sign | infinity;
  }
  return sign | EncodeMagnitude(magnitude, format);
}

}  // namespace

double ValueOf(Float16 half) { return Decode(half.bits, kFloat16Format); }

double ValueOf(BFloat16 half) { return Decode(half.bits, kBFloat16Format); }

Float16 NearestFloat16(double value) {
  return {Encode(value, kFloat16Format, 0x7e00)};
}

BFloat16 NearestBFloat16(double value) {
  return {Encode(value, kBFloat16Format, 0x7fc0)};
}

}  // namespace scatterd::test
