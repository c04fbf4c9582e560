#include "client/ctl/literal_values.h"

#include <algorithm>
#include <bit>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <limits>
#include <string>
#include <system_error>
#include <type_traits>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "core/status_macros.h"

namespace scatterd::internal {
namespace {

absl::Status NoValueOf(const LiteralElement& element, DType dtype) {
  return LiteralError(
      element.position,
      absl::StrCat(
          element.kind == LiteralKind::kString ? "a string" : element.text,
          " is no value of ", DTypeName(dtype)));
}

// All of `text` as a T; false if it is none or out of T's range.
template <typename T>
bool ParseNumber(absl::string_view text, T& value) {
  if (absl::StartsWith(text, "+")) {
    text.remove_prefix(1);
    if (absl::StartsWith(text, "-")) return false;
  }
  const char* end = text.data() + text.size();
  const std::from_chars_result result =
      std::from_chars(text.data(), end, value);
  return result.ec == std::errc() && result.ptr == end;
}

template <typename T>
bool Convert(const LiteralElement& element, T& value) {
  return element.kind <=
             (std::is_floating_point_v<T> ? LiteralKind::kDecimal
                                          : LiteralKind::kInteger) &&
         ParseNumber(element.text, value);
}

bool Convert(const LiteralElement& element, Bool8& value) {
  const absl::string_view text = element.text;
  const bool is_true = absl::EqualsIgnoreCase(text, "true") || text == "1";
  value.value = is_true ? 1 : 0;
  return element.kind != LiteralKind::kString &&
         (is_true || absl::EqualsIgnoreCase(text, "false") || text == "0");
}

// The float next to `value` whose last bit is set, unless `value` is a float:
// rounding that again to fewer bits gives the same as rounding `value` once.
float RoundToOdd(double value) {
  const float nearest = static_cast<float>(value);
  if (nearest == value || !std::isfinite(nearest)) return nearest;
  if (std::bit_cast<uint32_t>(nearest) & 1) return nearest;
  const float toward = static_cast<double>(nearest) < value
                           ? std::numeric_limits<float>::infinity()
                           : -std::numeric_limits<float>::infinity();
  return std::nextafter(nearest, toward);
}

template <typename Half>
bool ConvertHalf(const LiteralElement& element, Half (*round)(float),
                 Half& value) {
  double number;
  if (!Convert(element, number)) return false;
  value = round(RoundToOdd(number));
  return std::isinf(number) || !std::isinf(ToFloat(value));
}

bool Convert(const LiteralElement& element, Float16& value) {
  return ConvertHalf(element, ToFloat16, value);
}

bool Convert(const LiteralElement& element, BFloat16& value) {
  return ConvertHalf(element, ToBFloat16, value);
}

// Where the imaginary part of "1e-3+2j" begins; 0 if there is no real part.
size_t ImaginaryBegin(absl::string_view text) {
  for (size_t i = text.size(); i-- > 1;) {
    if (text[i] != '+' && text[i] != '-') continue;
    if (text[i - 1] != 'e' && text[i - 1] != 'E') return i;
  }
  return 0;
}

template <typename C>
bool ConvertComplex(const LiteralElement& element, C& value) {
  value = {};
  if (element.kind != LiteralKind::kComplex) return Convert(element, value.re);
  absl::string_view text = element.text;
  text.remove_suffix(1);  // j
  const size_t imaginary = ImaginaryBegin(text);
  return (imaginary == 0 || ParseNumber(text.substr(0, imaginary), value.re)) &&
         ParseNumber(text.substr(imaginary), value.im);
}

bool Convert(const LiteralElement& element, Complex64& value) {
  return ConvertComplex(element, value);
}

bool Convert(const LiteralElement& element, Complex128& value) {
  return ConvertComplex(element, value);
}

template <typename T>
absl::StatusOr<Tensor> MakeTensorOf(const ParsedLiteral& literal) {
  const TensorSpec spec{DTypeOf<T>::value, literal.shape};
  SCATTERD_ASSIGN_OR_RETURN(Tensor tensor, Tensor::Allocate(spec));
  T* next = reinterpret_cast<T*>(tensor.mutable_bytes());
  for (const LiteralElement& element : literal.elements) {
    if (!Convert(element, *next++)) return NoValueOf(element, spec.dtype);
  }
  return tensor;
}

template <>
absl::StatusOr<Tensor> MakeTensorOf<StringRef>(const ParsedLiteral& literal) {
  std::vector<std::string> strings;
  strings.reserve(literal.elements.size());
  for (const LiteralElement& element : literal.elements) {
    if (element.kind != LiteralKind::kString) {
      return NoValueOf(element, DType::kString);
    }
    strings.push_back(element.text);
  }
  return Tensor::FromStrings(literal.shape, strings);
}

}  // namespace

absl::StatusOr<DType> SuggestDType(
    const std::vector<LiteralElement>& elements) {
  if (elements.empty()) return DType::kFloat;
  LiteralKind kind = elements.front().kind;
  for (const LiteralElement& element : elements) {
    if (element.kind == kind) continue;
    if (std::max(element.kind, kind) > LiteralKind::kComplex) {
      return LiteralError(element.position,
                          "strings, bools and numbers are mixed");
    }
    kind = std::max(element.kind, kind);
  }
  switch (kind) {
    case LiteralKind::kInteger:
      return DType::kInt64;
    case LiteralKind::kDecimal:
      return DType::kFloat;
    case LiteralKind::kComplex:
      return DType::kComplex64;
    case LiteralKind::kBool:
      return DType::kBool;
    case LiteralKind::kString:
      return DType::kString;
  }
  return DType::kFloat;
}

absl::StatusOr<Tensor> MakeTensor(DType dtype, const ParsedLiteral& literal) {
  switch (dtype) {
    case DType::kFloat:
      return MakeTensorOf<float>(literal);
    case DType::kDouble:
      return MakeTensorOf<double>(literal);
    case DType::kInt8:
      return MakeTensorOf<int8_t>(literal);
    case DType::kInt16:
      return MakeTensorOf<int16_t>(literal);
    case DType::kInt32:
      return MakeTensorOf<int32_t>(literal);
    case DType::kInt64:
      return MakeTensorOf<int64_t>(literal);
    case DType::kUInt8:
      return MakeTensorOf<uint8_t>(literal);
    case DType::kUInt16:
      return MakeTensorOf<uint16_t>(literal);
    case DType::kUInt32:
      return MakeTensorOf<uint32_t>(literal);
    case DType::kUInt64:
      return MakeTensorOf<uint64_t>(literal);
    case DType::kBool:
      return MakeTensorOf<Bool8>(literal);
    case DType::kFloat16:
      return MakeTensorOf<Float16>(literal);
    case DType::kBFloat16:
      return MakeTensorOf<BFloat16>(literal);
    case DType::kComplex64:
      return MakeTensorOf<Complex64>(literal);
    case DType::kComplex128:
      return MakeTensorOf<Complex128>(literal);
    case DType::kString:
      return MakeTensorOf<StringRef>(literal);
    default:
      break;
  }
  return absl::InvalidArgumentError(absl::StrCat(
      DTypeName(dtype), " has no literals; pass an ONNX .pb file"));
}

}  // namespace scatterd::internal
