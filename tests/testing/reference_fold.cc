#include "tests/testing/reference_fold.h"

#include <bit>
#include <cmath>
#include <cstring>
#include <limits>
#include <string>
#include <type_traits>

#include "core/status_macros.h"
#include "tests/testing/half_oracle.h"

namespace scatterd::test {
namespace {

template <typename T>
constexpr bool kIsHalf =
    std::is_same_v<T, Float16> || std::is_same_v<T, BFloat16>;
template <typename T>
constexpr bool kIsComplex =
    std::is_same_v<T, Complex64> || std::is_same_v<T, Complex128>;

// --- One arithmetic step
// ------------------------------------------------------

float Canonical(float x) {
  return x != x ? std::bit_cast<float>(uint32_t{0x7fc00000}) : x;
}

double Canonical(double x) {
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

Bool8 Step(Reduction reduction, Bool8 a, Bool8 b) {
  const bool is_or =
      reduction == Reduction::kAdd || reduction == Reduction::kMax;
  const bool value = is_or ? (a.value || b.value) : (a.value && b.value);
  return {static_cast<uint8_t>(value)};
}

// --- MAX and MIN: one of the operands, bits and all
// ----------------------------

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

// --- Identities
// -----------------------------------------------------------------

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

// --- MEAN's division
// ------------------------------------------------------------

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

// --- One position
// ----------------------------------------------------------------

template <typename T>
T Meet(const FoldRule& rule, T current, T update) {
  if constexpr (!kIsComplex<T> && !std::is_same_v<T, Bool8>) {
    if (rule.reduction == Reduction::kMax ||
        rule.reduction == Reduction::kMin) {
      return Pick(rule.reduction, rule.nan, current, update);
    }
  }
  return Step(rule.reduction, current, update);
}

// `updates` in order, at least one.
template <typename T>
T FoldPosition(const FoldRule& rule, T self, const std::vector<T>& updates) {
  T current = rule.exclude_self ? Identity<T>(rule.reduction) : self;
  for (const T& update : updates) current = Meet(rule, current, update);
  if constexpr (!std::is_same_v<T, Bool8>) {
    if (rule.reduction == Reduction::kMean) {
      const int64_t count = updates.size() + (rule.exclude_self ? 0 : 1);
      return DivideByCount(current, count);
    }
  }
  return current;
}

// A half's updates in float, rounded once.
template <typename T>
T FoldWide(const FoldRule& rule, T self, const std::vector<T>& updates) {
  std::vector<float> wide;
  for (const T update : updates) {
    wide.push_back(static_cast<float>(ValueOf(update)));
  }
  return RoundTo<T>(
      FoldPosition(rule, static_cast<float>(ValueOf(self)), wide));
}

bool IsSelection(Reduction reduction) {
  return reduction == Reduction::kMax || reduction == Reduction::kMin;
}

template <typename T>
absl::Status CheckDivisors(const FoldRule& rule,
                           const std::vector<T>& updates) {
  if constexpr (std::is_integral_v<T>) {
    for (const T update : updates) {
      if (rule.reduction == Reduction::kDiv && update == 0) {
        return absl::InvalidArgumentError("integer division by zero");
      }
    }
  }
  return absl::OkStatus();
}

template <typename T>
absl::StatusOr<Tensor> FoldNumbers(const Tensor& data, const Tensor& updates,
                                   const Hits& hits, const FoldRule& rule) {
  const absl::Span<const T> start = data.values<T>();
  std::vector<T> result(start.begin(), start.end());
  for (const auto& [position, sources] : hits) {
    std::vector<T> meeting;
    for (const int64_t source : sources) {
      meeting.push_back(updates.values<T>()[source]);
    }
    SCATTERD_RETURN_IF_ERROR(CheckDivisors(rule, meeting));
    if constexpr (kIsHalf<T>) {
      if (rule.accumulation == Accumulation::kWide &&
          !IsSelection(rule.reduction)) {
        result[position] = FoldWide(rule, start[position], meeting);
        continue;
      }
    }
    result[position] = FoldPosition(rule, start[position], meeting);
  }
  return Tensor::FromValues<T>(data.shape(), result);
}

// --- Strings
// ---------------------------------------------------------------------

std::string StringAt(const Tensor& tensor, int64_t position) {
  return std::string(tensor.values<StringRef>()[position].view());
}

bool BytesLess(const std::string& a, const std::string& b) {
  for (size_t i = 0; i < a.size() && i < b.size(); ++i) {
    const auto x = static_cast<unsigned char>(a[i]);
    const auto y = static_cast<unsigned char>(b[i]);
    if (x != y) return x < y;
  }
  return a.size() < b.size();
}

std::string MeetStrings(Reduction reduction, const std::string& current,
                        const std::string& update) {
  if (reduction == Reduction::kAdd) return current + update;
  const bool replaces = reduction == Reduction::kMax
                            ? BytesLess(current, update)
                            : BytesLess(update, current);
  return replaces ? update : current;
}

std::string FoldString(const FoldRule& rule, const std::string& self,
                       const std::vector<std::string>& updates) {
  std::string current = self;
  size_t first = 0;
  if (rule.exclude_self) {
    // ADD starts from "", which is what replacing by the first update gives.
    current = updates[first++];
  }
  for (size_t i = first; i < updates.size(); ++i) {
    current = MeetStrings(rule.reduction, current, updates[i]);
  }
  return current;
}

absl::StatusOr<Tensor> FoldStrings(const Tensor& data, const Tensor& updates,
                                   const Hits& hits, const FoldRule& rule) {
  std::vector<std::string> result;
  for (int64_t i = 0; i < data.num_elements(); ++i) {
    result.push_back(StringAt(data, i));
  }
  for (const auto& [position, sources] : hits) {
    std::vector<std::string> meeting;
    for (const int64_t source : sources) {
      meeting.push_back(StringAt(updates, source));
    }
    result[position] = FoldString(rule, result[position], meeting);
  }
  return Tensor::FromStrings(data.shape(), result);
}

// --- NONE: elements move
// ------------------------------------------------------------

absl::StatusOr<Tensor> AssignHits(const Tensor& data, const Tensor& updates,
                                  const Hits& hits, Duplicates duplicates) {
  SCATTERD_ASSIGN_OR_RETURN(Tensor result, Tensor::Zeros(data.spec()));
  const size_t size = ElementSize(data.dtype());
  if (data.byte_size() != 0) {
    std::memcpy(result.mutable_bytes(), data.bytes(), data.byte_size());
  }
  for (const auto& [position, sources] : hits) {
    if (duplicates == Duplicates::kReject && sources.size() > 1) {
      return absl::InvalidArgumentError("duplicate indices");
    }
    const int64_t winner =
        duplicates == Duplicates::kFirstWins ? sources.front() : sources.back();
    std::memcpy(result.mutable_bytes() + position * size,
                updates.bytes() + winner * size, size);
  }
  result.ShareBlobs(data);
  result.ShareBlobs(updates);
  return result;
}

}  // namespace

absl::StatusOr<Tensor> FoldHits(const Tensor& data, const Tensor& updates,
                                const Hits& hits, const FoldRule& rule) {
  if (rule.reduction == Reduction::kNone) {
    return AssignHits(data, updates, hits, rule.duplicates);
  }
  if (KindOf(data.dtype()) == DTypeKind::kString) {
    return FoldStrings(data, updates, hits, rule);
  }
  switch (data.dtype()) {
#define FOLD_CASE(dtype, type) \
  case DType::dtype:           \
    return FoldNumbers<type>(data, updates, hits, rule)
    FOLD_CASE(kFloat, float);
    FOLD_CASE(kDouble, double);
    FOLD_CASE(kInt8, int8_t);
    FOLD_CASE(kInt16, int16_t);
    FOLD_CASE(kInt32, int32_t);
    FOLD_CASE(kInt64, int64_t);
    FOLD_CASE(kUInt8, uint8_t);
    FOLD_CASE(kUInt16, uint16_t);
    FOLD_CASE(kUInt32, uint32_t);
    FOLD_CASE(kUInt64, uint64_t);
    FOLD_CASE(kBool, Bool8);
    FOLD_CASE(kFloat16, Float16);
    FOLD_CASE(kBFloat16, BFloat16);
    FOLD_CASE(kComplex64, Complex64);
    FOLD_CASE(kComplex128, Complex128);
#undef FOLD_CASE
    default:
      return absl::InvalidArgumentError("this dtype has no arithmetic");
  }
}

}  // namespace scatterd::test
