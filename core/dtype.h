// Element types.
//
// DType's values are ONNX's data_type numbers.  The rows live in
// core/dtypes.inc; everything here is generated from them, so adding a type is
// adding a row.
//
// How an element is stored (host byte order, no padding between elements):
//   integers, float, double   the C++ type
//   FLOAT16, BFLOAT16         16 bits (core/float16.h)
//   BOOL                      one byte, exactly 0 or 1
//   COMPLEX64 / COMPLEX128    real part, then imaginary part
//   STRING                    StringRef: a borrowed pointer and a length; the
//                             bytes live in the tensor's blobs (core/tensor.h)
//   FLOAT8*                   one opaque byte: moved, never computed with

#ifndef SCATTERD_CORE_DTYPE_H_
#define SCATTERD_CORE_DTYPE_H_

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>

#include "absl/strings/string_view.h"
#include "core/float16.h"

namespace scatterd {

// A BOOL element.
struct Bool8 {
  uint8_t value;  // 0 or 1
};

struct Complex64 {
  float re, im;
};

struct Complex128 {
  double re, im;
};

// A STRING element: bytes that somebody else owns.  All-zero bits are the
// empty string, so zero-filled memory is a valid STRING tensor.
struct StringRef {
  const char* data;
  size_t size;

  absl::string_view view() const { return {data, size}; }
};
static_assert(sizeof(StringRef) == 16, "strings move as 16-byte elements");

enum class DType : int32_t {
  kUnspecified = 0,
#define SCATTERD_DTYPE(name, onnx, number, lower, storage, kind) name = number,
#include "core/dtypes.inc"
};

enum class DTypeKind {
  kInteger,
  kFloat,    // FLOAT, DOUBLE
  kHalf,     // FLOAT16, BFLOAT16
  kComplex,  // COMPLEX64, COMPLEX128
  kBool,
  kString,
  kOpaque,  // float8 types: data may only be moved
};

namespace internal {

struct DTypeFacts {
  uint8_t element_size;  // 0: no such dtype
  DTypeKind kind;
};

constexpr int kMaxDTypeNumber = 24;

// By number, so that a lookup is one read.
constexpr std::array<DTypeFacts, kMaxDTypeNumber + 1> MakeDTypeFacts() {
  std::array<DTypeFacts, kMaxDTypeNumber + 1> facts{};
  for (DTypeFacts& fact : facts) fact = {0, DTypeKind::kOpaque};
#define SCATTERD_DTYPE(name, onnx, number, lower, storage, dtype_kind) \
  facts[number] = {sizeof(storage), DTypeKind::k##dtype_kind};
#include "core/dtypes.inc"
  return facts;
}
constexpr std::array<DTypeFacts, kMaxDTypeNumber + 1> kDTypeFacts =
    MakeDTypeFacts();

constexpr DTypeFacts FactsOf(DType dtype) {
  const auto number = static_cast<uint32_t>(dtype);
  return number <= kMaxDTypeNumber ? kDTypeFacts[number]
                                   : DTypeFacts{0, DTypeKind::kOpaque};
}

}  // namespace internal

// True for a value that names a row of dtypes.inc.
constexpr bool IsValid(DType dtype) {
  return internal::FactsOf(dtype).element_size != 0;
}

// The dtype with this ONNX number; nullopt if scatterd has none.
std::optional<DType> DTypeFromNumber(int64_t number);

// The dtype with this name, in ONNX's ("FLOAT16") or the usual lower-case
// ("float16") spelling; nullopt if there is none.
std::optional<DType> DTypeFromName(absl::string_view name);

// ONNX's name ("FLOAT16"); "UNDEFINED" for kUnspecified and unknown values.
absl::string_view DTypeName(DType dtype);

// NumPy-like lower-case name ("float16").
absl::string_view DTypeLowerName(DType dtype);

// Bytes of one stored element (16 for STRING).  `dtype` must be valid.
constexpr size_t ElementSize(DType dtype) {
  return internal::FactsOf(dtype).element_size;
}

// `dtype` must be valid.
constexpr DTypeKind KindOf(DType dtype) {
  return internal::FactsOf(dtype).kind;
}

// The DType of a C++ storage type.  Not defined for uint8_t's FLOAT8 uses.
template <typename T>
struct DTypeOf;

#define SCATTERD_DTYPE_OF(type, dtype)           \
  template <>                                    \
  struct DTypeOf<type> {                         \
    static constexpr DType value = DType::dtype; \
  }
SCATTERD_DTYPE_OF(float, kFloat);
SCATTERD_DTYPE_OF(double, kDouble);
SCATTERD_DTYPE_OF(int8_t, kInt8);
SCATTERD_DTYPE_OF(int16_t, kInt16);
SCATTERD_DTYPE_OF(int32_t, kInt32);
SCATTERD_DTYPE_OF(int64_t, kInt64);
SCATTERD_DTYPE_OF(uint8_t, kUInt8);
SCATTERD_DTYPE_OF(uint16_t, kUInt16);
SCATTERD_DTYPE_OF(uint32_t, kUInt32);
SCATTERD_DTYPE_OF(uint64_t, kUInt64);
SCATTERD_DTYPE_OF(Bool8, kBool);
SCATTERD_DTYPE_OF(Float16, kFloat16);
SCATTERD_DTYPE_OF(BFloat16, kBFloat16);
SCATTERD_DTYPE_OF(Complex64, kComplex64);
SCATTERD_DTYPE_OF(Complex128, kComplex128);
SCATTERD_DTYPE_OF(StringRef, kString);
#undef SCATTERD_DTYPE_OF

}  // namespace scatterd

#endif  // SCATTERD_CORE_DTYPE_H_
