// The oracle's arithmetic on one element.  See reference_ops.h.
//
// Each operation is written out for its kind of type, in the words of the
// contract: integers wrap, a NaN that arithmetic makes is the canonical one,
// halves compute in float and round, MAX and MIN keep an operand's bits.

#ifndef SCATTERD_TESTS_TESTING_REFERENCE_ARITHMETIC_H_
#define SCATTERD_TESTS_TESTING_REFERENCE_ARITHMETIC_H_

#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <type_traits>

#include "core/dtype.h"
#include "core/options.h"
#include "tests/testing/half_oracle.h"

namespace scatterd::test {

template <typename T>
constexpr bool kIsHalf =
    std::is_same_v<T, Float16> || std::is_same_v<T, BFloat16>;
template <typename T>
constexpr bool kIsComplex =
    std::is_same_v<T, Complex64> || std::is_same_v<T, Complex128>;

// --- One arithmetic step ----------------------------------------------------

inline float Canonical(float x) {
  return x != x ? std::bit_cast<float>(uint32_t{0x7fc00000}) : x;
}

inline double Canonical(double x) {
  return x != x ? std::bit_cast<double>(uint64_t{0x7ff8000000000000}) : x;
}

template <typename T>
requires std::is_floating_point_v<T> T Step(Reduction reduction, T a, T b) {
  switch (reduction) {
    case Reduction::kSub:
      return Canonical(a - b);
    case Reduction::kMul:
      return Canonical(a * b);
    case Reduction::kDiv:
      return Canonical(a / b);
    default:  // ADD, and the sum of MEAN
      return Canonical(a + b);
  }
}

template <typename T>
T DivideIntegers(T a, T b) {
  if constexpr (std::is_signed_v<T>) {
    if (b == -1) return static_cast<T>(uint64_t{0} - static_cast<uint64_t>(a));
  }
  return static_cast<T>(a / b);
}

// The lowest bits of 64-bit unsigned arithmetic are the wrapped result of
// every narrower type.
template <typename T>
requires std::is_integral_v<T> T Step(Reduction reduction, T a, T b) {
  const uint64_t x = static_cast<uint64_t>(a);
  const uint64_t y = static_cast<uint64_t>(b);
  switch (reduction) {
    case Reduction::kSub:
      return static_cast<T>(x - y);
    case Reduction::kMul:
      return static_cast<T>(x * y);
    case Reduction::kDiv:
      return DivideIntegers(a, b);
    default:
      return static_cast<T>(x + y);
  }
}

template <typename T>
requires kIsHalf<T> T RoundTo(float x) {
  if constexpr (std::is_same_v<T, Float16>) {
    return NearestFloat16(x);
  } else {
    return NearestBFloat16(x);
  }
}

template <typename T>
requires kIsHalf<T> T Step(Reduction reduction, T a, T b) {
  return RoundTo<T>(Step<float>(reduction, static_cast<float>(ValueOf(a)),
                                static_cast<float>(ValueOf(b))));
}

template <typename T>
requires kIsComplex<T> T MultiplyComplex(T a, T b) {
  return {a.re * b.re - a.im * b.im, a.re * b.im + a.im * b.re};
}

// Smith's method.
template <typename T>
requires kIsComplex<T> T DivideComplex(T a, T b) {
  using R = decltype(T::re);
  if (std::fabs(b.re) >= std::fabs(b.im)) {
    if (b.re == 0 && b.im == 0) {
      return {a.re / std::fabs(b.re), a.im / std::fabs(b.re)};
    }
    const R r = b.im / b.re;
    const R s = R{1} / (b.re + b.im * r);
    return {(a.re + a.im * r) * s, (a.im - a.re * r) * s};
  }
  const R r = b.re / b.im;
  const R s = R{1} / (b.im + b.re * r);
  return {(a.re * r + a.im) * s, (a.im * r - a.re) * s};
}

template <typename T>
requires kIsComplex<T> T Step(Reduction reduction, T a, T b) {
  T result{};
  switch (reduction) {
    case Reduction::kSub:
      result = {a.re - b.re, a.im - b.im};
      break;
    case Reduction::kMul:
      result = MultiplyComplex(a, b);
      break;
    case Reduction::kDiv:
      result = DivideComplex(a, b);
      break;
    default:
      result = {a.re + b.re, a.im + b.im};
  }
  return {Canonical(result.re), Canonical(result.im)};
}

inline Bool8 Step(Reduction reduction, Bool8 a, Bool8 b) {
  const bool is_or =
      reduction == Reduction::kAdd || reduction == Reduction::kMax;
  const bool value = is_or ? (a.value || b.value) : (a.value && b.value);
  return {static_cast<uint8_t>(value)};
}

// --- MAX and MIN: one of the operands, bits and all -------------------------

template <typename T>
double RealValue(T x) {
  if constexpr (kIsHalf<T>) {
    return ValueOf(x);
  } else {
    return x;
  }
}

template <typename T>
T PickFloating(Reduction reduction, NanPolicy nan, T current, T update) {
  const double a = RealValue(current);
  const double b = RealValue(update);
  if (std::isnan(a) || std::isnan(b)) {
    if (nan == NanPolicy::kPropagate) return std::isnan(a) ? current : update;
    return std::isnan(b) ? current : update;
  }
  const bool is_max = reduction == Reduction::kMax;
  if (a == 0 && b == 0) return std::signbit(a) == is_max ? update : current;
  return (is_max ? b > a : b < a) ? update : current;
}

template <typename T>
T Pick(Reduction reduction, NanPolicy nan, T current, T update) {
  if constexpr (std::is_integral_v<T>) {
    const bool replaces =
        reduction == Reduction::kMax ? update > current : update < current;
    return replaces ? update : current;
  } else {
    return PickFloating(reduction, nan, current, update);
  }
}

// --- Identities -------------------------------------------------------------

// The value below (above) which there is none.
template <typename T>
T Extreme(bool lowest) {
  if constexpr (kIsHalf<T>) {
    const float infinity = std::numeric_limits<float>::infinity();
    return RoundTo<T>(lowest ? -infinity : infinity);
  } else if constexpr (std::is_floating_point_v<T>) {
    const T infinity = std::numeric_limits<T>::infinity();
    return lowest ? -infinity : infinity;
  } else {
    return lowest ? std::numeric_limits<T>::min()
                  : std::numeric_limits<T>::max();
  }
}

template <typename T>
T FromInteger(int value) {
  if constexpr (kIsHalf<T>) {
    return RoundTo<T>(static_cast<float>(value));
  } else if constexpr (kIsComplex<T>) {
    return {static_cast<decltype(T::re)>(value), 0};
  } else {
    return static_cast<T>(value);
  }
}

template <typename T>
T Identity(Reduction reduction) {
  if constexpr (std::is_same_v<T, Bool8>) {
    const bool is_and =
        reduction == Reduction::kMul || reduction == Reduction::kMin;
    return {static_cast<uint8_t>(is_and)};
  } else {
    if constexpr (!kIsComplex<T>) {
      if (reduction == Reduction::kMax) return Extreme<T>(true);
      if (reduction == Reduction::kMin) return Extreme<T>(false);
    }
    const bool multiplies =
        reduction == Reduction::kMul || reduction == Reduction::kDiv;
    return FromInteger<T>(multiplies ? 1 : 0);
  }
}

// --- MEAN's division --------------------------------------------------------

template <typename T>
T FloorDivide(T sum, int64_t count) {
  if constexpr (std::is_signed_v<T>) {
    const int64_t wide = sum;
    const int64_t quotient = wide / count;
    const bool round_down = wide % count < 0;
    return static_cast<T>(quotient - round_down);
  } else {
    return static_cast<T>(sum / static_cast<uint64_t>(count));
  }
}

template <typename T>
T DivideByCount(T sum, int64_t count) {
  if constexpr (std::is_integral_v<T>) {
    return FloorDivide(sum, count);
  } else if constexpr (kIsHalf<T>) {
    return RoundTo<T>(static_cast<float>(ValueOf(sum)) /
                      static_cast<float>(count));
  } else if constexpr (kIsComplex<T>) {
    const auto divisor = static_cast<decltype(T::re)>(count);
    return {Canonical(sum.re / divisor), Canonical(sum.im / divisor)};
  } else {
    return Canonical(sum / static_cast<T>(count));
  }
}

}  // namespace scatterd::test

#endif  // SCATTERD_TESTS_TESTING_REFERENCE_ARITHMETIC_H_
