// What one update does to one element: the single source of arithmetic for
// every backend.
//
// Each function takes what is there and the update, and returns what is there
// next.  The bits are fixed for every device:
//   integers      wrap (two's complement); Div truncates toward zero, and
//                 lowest / -1 wraps; the divisor is not 0 (checked before)
//   floats        one rounded operation; a NaN result is the canonical quiet
//                 NaN of the type, since devices differ in the NaNs they make
//   halves        the float operation, rounded once to the half
//   complex       from the component operations, each rounded; never fused
//                 (compile with -ffp-contract=off); Div by Smith's method
//   BOOL          Add and Max are or, Mul and Min are and
//   STRING        Max and Min compare bytes as unsigned; Add is concatenation
//                 and lives with the kernels, for it needs memory
//   Max, Min      select one of the operands with its bits; complex numbers in
//                 lexicographic order.  A NaN that is there stays, an update
//                 that is NaN replaces (Propagate) or is ignored (Ignore); +0
//                 is greater than -0

#ifndef SCATTERD_CORE_ARITHMETIC_H_
#define SCATTERD_CORE_ARITHMETIC_H_

#include <bit>
#include <cmath>
#include <concepts>
#include <cstdint>
#include <limits>
#include <type_traits>

#include "core/dtype.h"
#include "core/float16.h"

namespace scatterd {

template <typename T>
concept Integer = std::integral<T>;
template <typename T>
concept Floating = std::same_as<T, float> || std::same_as<T, double>;
template <typename T>
concept Half = std::same_as<T, Float16> || std::same_as<T, BFloat16>;
template <typename T>
concept Complex = std::same_as<T, Complex64> || std::same_as<T, Complex128>;
template <typename T>
concept Real = Integer<T> || Floating<T> || Half<T>;

// --- Helpers ---------------------------------------------------------------

template <Floating T>
constexpr T CanonicalNan(T value) {
  return value == value ? value : std::numeric_limits<T>::quiet_NaN();
}

// The type to compute integers in: unsigned, so that it wraps, and not
// narrower than int, so that promotion does not make it signed.
template <Integer T>
using Wrapping =
    std::conditional_t<(sizeof(T) < 4), uint32_t, std::make_unsigned_t<T>>;

// The value to compare by.
template <Real T>
constexpr auto Comparable(T value) {
  if constexpr (Half<T>) {
    return ToFloat(value);
  } else {
    return value;
  }
}

template <typename T>
using BitsOf =
    std::conditional_t<sizeof(T) == 2, uint16_t,
                       std::conditional_t<sizeof(T) == 4, uint32_t, uint64_t>>;

// Rounds a float to the half type T.
template <Half T>
constexpr T RoundTo(float value) {
  if constexpr (std::same_as<T, Float16>) {
    return ToFloat16(value);
  } else {
    return ToBFloat16(value);
  }
}

// --- Operations ------------------------------------------------------------

struct AddOp {
  template <Integer T>
  static constexpr T Apply(T a, T b) {
    return static_cast<T>(static_cast<Wrapping<T>>(a) +
                          static_cast<Wrapping<T>>(b));
  }
  template <Floating T>
  static constexpr T Apply(T a, T b) {
    return CanonicalNan(Raw(a, b));
  }
  template <Floating T>
  static constexpr T Raw(T a, T b) {
    return a + b;
  }
  template <Half T>
  static constexpr T Apply(T a, T b) {
    return RoundTo<T>(ToFloat(a) + ToFloat(b));
  }
  template <Complex T>
  static constexpr T Apply(T a, T b) {
    return {Apply(a.re, b.re), Apply(a.im, b.im)};
  }
  static constexpr Bool8 Apply(Bool8 a, Bool8 b) {
    return {static_cast<uint8_t>(a.value | b.value)};
  }
};

struct SubOp {
  template <Integer T>
  static constexpr T Apply(T a, T b) {
    return static_cast<T>(static_cast<Wrapping<T>>(a) -
                          static_cast<Wrapping<T>>(b));
  }
  template <Floating T>
  static constexpr T Apply(T a, T b) {
    return CanonicalNan(Raw(a, b));
  }
  template <Floating T>
  static constexpr T Raw(T a, T b) {
    return a - b;
  }
  template <Half T>
  static constexpr T Apply(T a, T b) {
    return RoundTo<T>(ToFloat(a) - ToFloat(b));
  }
  template <Complex T>
  static constexpr T Apply(T a, T b) {
    return {Apply(a.re, b.re), Apply(a.im, b.im)};
  }
};

struct MulOp {
  template <Integer T>
  static constexpr T Apply(T a, T b) {
    return static_cast<T>(static_cast<Wrapping<T>>(a) *
                          static_cast<Wrapping<T>>(b));
  }
  template <Floating T>
  static constexpr T Apply(T a, T b) {
    return CanonicalNan(Raw(a, b));
  }
  template <Floating T>
  static constexpr T Raw(T a, T b) {
    return a * b;
  }
  template <Half T>
  static constexpr T Apply(T a, T b) {
    return RoundTo<T>(ToFloat(a) * ToFloat(b));
  }
  template <Complex T>
  static constexpr T Apply(T a, T b) {
    return {CanonicalNan(a.re * b.re - a.im * b.im),
            CanonicalNan(a.re * b.im + a.im * b.re)};
  }
  static constexpr Bool8 Apply(Bool8 a, Bool8 b) {
    return {static_cast<uint8_t>(a.value & b.value)};
  }
};

struct DivOp {
  template <Integer T>
  static constexpr T Apply(T a, T b) {
    if constexpr (std::is_signed_v<T>) {
      if (b == -1) return SubOp::Apply(T{0}, a);  // lowest / -1 would trap
    }
    return static_cast<T>(a / b);
  }
  template <Floating T>
  static constexpr T Apply(T a, T b) {
    return CanonicalNan(Raw(a, b));
  }
  template <Floating T>
  static constexpr T Raw(T a, T b) {
    return a / b;
  }
  template <Half T>
  static constexpr T Apply(T a, T b) {
    return RoundTo<T>(ToFloat(a) / ToFloat(b));
  }
  template <Complex T>
  static constexpr T Apply(T a, T b) {
    const auto re = b.re < 0 ? -b.re : b.re;
    const auto im = b.im < 0 ? -b.im : b.im;
    if (re >= im) {
      if (re == 0 && im == 0) {
        const decltype(re) zero = 0;  // |b|: +0 also for -0
        return {CanonicalNan(a.re / zero), CanonicalNan(a.im / zero)};
      }
      const auto ratio = b.im / b.re;
      const auto scale = 1 / (b.re + b.im * ratio);
      return {CanonicalNan((a.re + a.im * ratio) * scale),
              CanonicalNan((a.im - a.re * ratio) * scale)};
    }
    const auto ratio = b.re / b.im;
    const auto scale = 1 / (b.im + b.re * ratio);
    return {CanonicalNan((a.re * ratio + a.im) * scale),
            CanonicalNan((a.im * ratio - a.re) * scale)};
  }
};

// One of several updates of an element, and what makes the last one's result
// final: together Apply for each.  Once an element is NaN it stays one, so
// which NaN it becomes can wait.
template <typename Op, typename T>
constexpr T ApplyRaw(T a, T b) {
  if constexpr (requires { Op::Raw(a, b); }) {
    return Op::Raw(a, b);
  } else {
    return Op::Apply(a, b);
  }
}
template <typename Op, typename T>
constexpr T Settle(T value) {
  if constexpr (requires { Op::Raw(value, value); }) {
    return CanonicalNan(value);
  } else {
    return value;
  }
}

// Max (kGreater) and Min, with either NaN policy.
template <bool kGreater, bool kIgnoreNan>
struct SelectOp {
  template <Integer T>
  static constexpr T Apply(T a, T b) {
    return (kGreater ? b > a : b < a) ? b : a;
  }

  template <Real T>
  requires(!Integer<T>) static constexpr T Apply(T a, T b) {
    const auto x = Comparable(a);
    const auto y = Comparable(b);
    const T ordered = (kGreater ? x > y : x < y) ? a : b;
    const T selected = x == y ? Tie(a, b) : ordered;
    if constexpr (kIgnoreNan) {
      return y != y ? a : selected;  // x NaN: the comparison chose b
    } else {
      return x != x ? a : selected;  // y NaN: the comparison chose b
    }
  }

  // Lexicographic: real parts first.  Either part NaN makes a NaN.
  template <Complex T>
  static constexpr T Apply(T a, T b) {
    const bool a_nan = a.re != a.re || a.im != a.im;
    const bool b_nan = b.re != b.re || b.im != b.im;
    if (a_nan || b_nan) return a_nan != kIgnoreNan || (a_nan && b_nan) ? a : b;
    if (a.re != b.re) return (kGreater ? a.re > b.re : a.re < b.re) ? a : b;
    if (a.im != b.im) return (kGreater ? a.im > b.im : a.im < b.im) ? a : b;
    return {Tie(a.re, b.re), Tie(a.im, b.im)};
  }

  static constexpr Bool8 Apply(Bool8 a, Bool8 b) {
    return kGreater ? AddOp::Apply(a, b) : MulOp::Apply(a, b);
  }

  static StringRef Apply(StringRef a, StringRef b) {
    const int order = a.view().compare(b.view());
    return (kGreater ? order < 0 : order > 0) ? b : a;
  }

 private:
  // Equal operands differ at most in the sign of zero: and clears it for the
  // maximum, or keeps it for the minimum.
  template <typename T>
  static constexpr T Tie(T a, T b) {
    const auto x = std::bit_cast<BitsOf<T>>(a);
    const auto y = std::bit_cast<BitsOf<T>>(b);
    return std::bit_cast<T>(
        static_cast<BitsOf<T>>(kGreater ? (x & y) : (x | y)));
  }
};

template <bool kIgnoreNan>
using MaxOp = SelectOp<true, kIgnoreNan>;
template <bool kIgnoreNan>
using MinOp = SelectOp<false, kIgnoreNan>;

// --- Identities, for exclude_self ------------------------------------------

// The element from which a reduction starts when data is left out.
template <typename Op, typename T>
constexpr T Identity() {
  constexpr bool is_one = std::same_as<Op, MulOp> || std::same_as<Op, DivOp>;
  constexpr bool is_max =
      std::same_as<Op, MaxOp<false>> || std::same_as<Op, MaxOp<true>>;
  constexpr bool is_min =
      std::same_as<Op, MinOp<false>> || std::same_as<Op, MinOp<true>>;
  if constexpr (std::same_as<T, Bool8>) {
    return {static_cast<uint8_t>(is_one || is_min)};
  } else if constexpr (Complex<T>) {
    using Part = decltype(T::re);
    const Part im = is_max || is_min ? Identity<Op, Part>() : Part{0};
    return {Identity<Op, Part>(), im};
  } else if constexpr (Half<T>) {
    return RoundTo<T>(Identity<Op, float>());
  } else if constexpr (is_max) {
    return Floating<T> ? -std::numeric_limits<T>::infinity()
                       : std::numeric_limits<T>::lowest();
  } else if constexpr (is_min) {
    return Floating<T> ? std::numeric_limits<T>::infinity()
                       : std::numeric_limits<T>::max();
  } else {
    return is_one ? T{1} : T{0};
  }
}

// --- The division of MEAN --------------------------------------------------

// sum / count, once, for count >= 1: integers floor, halves divide in float.
template <Integer T>
constexpr T MeanOf(T sum, int64_t count) {
  if constexpr (std::is_signed_v<T>) {
    const int64_t value = sum;
    const int64_t quotient = value / count;
    return static_cast<T>(value % count < 0 ? quotient - 1 : quotient);
  } else {
    return static_cast<T>(uint64_t{sum} / static_cast<uint64_t>(count));
  }
}
template <Floating T>
constexpr T MeanOf(T sum, int64_t count) {
  return CanonicalNan(sum / static_cast<T>(count));
}
template <Half T>
constexpr T MeanOf(T sum, int64_t count) {
  return RoundTo<T>(ToFloat(sum) / static_cast<float>(count));
}
template <Complex T>
constexpr T MeanOf(T sum, int64_t count) {
  return {MeanOf(sum.re, count), MeanOf(sum.im, count)};
}

}  // namespace scatterd

#endif  // SCATTERD_CORE_ARITHMETIC_H_
