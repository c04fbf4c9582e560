// Half-precision storage types.
//
// Float16 (IEEE 754 binary16) and BFloat16 (the upper half of a float) hold
// bits only; arithmetic converts to float, computes, and rounds back to
// nearest-even.  For +, -, * and / one float operation followed by that
// rounding is the correctly rounded half-precision result.  A NaN always
// rounds to the one canonical quiet NaN of the type, so results have the same
// bits on every device.
//
// The conversions assume the default floating-point environment (round to
// nearest, no flush-to-zero), which scatterd never changes.

#ifndef SCATTERD_CORE_FLOAT16_H_
#define SCATTERD_CORE_FLOAT16_H_

#include <bit>
#include <cstdint>

namespace scatterd {

struct Float16 {
  uint16_t bits;
};

struct BFloat16 {
  uint16_t bits;
};

inline constexpr uint16_t kFloat16Nan = 0x7e00;
inline constexpr uint16_t kBFloat16Nan = 0x7fc0;

// Exact: every Float16 is a float.  NaNs keep sign and payload.
constexpr float ToFloat(Float16 value) {
  const uint32_t sign = uint32_t{value.bits & 0x8000u} << 16;
  uint32_t magnitude = value.bits & 0x7fffu;
  if (magnitude >= 0x7c00u) {  // infinity or NaN
    return std::bit_cast<float>(sign | 0x7f800000u |
                                ((magnitude & 0x3ffu) << 13));
  }
  // Multiplying by 2^112 re-biases the exponent and normalises subnormals.
  const float scaled = std::bit_cast<float>(magnitude << 13) * 0x1p112f;
  return std::bit_cast<float>(std::bit_cast<uint32_t>(scaled) | sign);
}

// Exact: every BFloat16 is a float.  NaNs keep sign and payload.
constexpr float ToFloat(BFloat16 value) {
  return std::bit_cast<float>(uint32_t{value.bits} << 16);
}

// Rounds to nearest, ties to even; overflows to infinity.
constexpr Float16 ToFloat16(float value) {
  const uint32_t bits = std::bit_cast<uint32_t>(value);
  const uint16_t sign = static_cast<uint16_t>((bits >> 16) & 0x8000u);
  const uint32_t magnitude = bits & 0x7fffffffu;
  if (magnitude > 0x7f800000u) return {kFloat16Nan};
  if (magnitude >= 0x477ff000u) {  // rounds to 2^16 or more
    return {static_cast<uint16_t>(sign | 0x7c00u)};
  }
  if (magnitude < 0x38800000u) {  // below 2^-14: a subnormal half
    // Adding 0.5 leaves the half's bits, rounded, in the low mantissa bits.
    const float shifted = std::bit_cast<float>(magnitude) + 0.5f;
    const uint32_t rounded = std::bit_cast<uint32_t>(shifted) - 0x3f000000u;
    return {static_cast<uint16_t>(sign | rounded)};
  }
  const uint32_t odd = (magnitude >> 13) & 1u;
  const uint32_t rounded = magnitude - 0x38000000u + 0xfffu + odd;
  return {static_cast<uint16_t>(sign | (rounded >> 13))};
}

// Rounds to nearest, ties to even; overflows to infinity.
constexpr BFloat16 ToBFloat16(float value) {
  const uint32_t bits = std::bit_cast<uint32_t>(value);
  if ((bits & 0x7fffffffu) > 0x7f800000u) return {kBFloat16Nan};
  const uint32_t odd = (bits >> 16) & 1u;
  return {static_cast<uint16_t>((bits + 0x7fffu + odd) >> 16)};
}

}  // namespace scatterd

#endif  // SCATTERD_CORE_FLOAT16_H_
