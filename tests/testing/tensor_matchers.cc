#include "tests/testing/tensor_matchers.h"

#include <algorithm>
#include <cmath>
#include <cstring>

#include "absl/strings/escaping.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "tests/testing/half_oracle.h"

namespace scatterd {
namespace test {
namespace {

constexpr int64_t kMaxPrinted = 8;

std::string Hex(const void* element, size_t size) {
  const char* bytes = static_cast<const char*>(element);
  std::string big_endian(bytes, size);
  std::reverse(big_endian.begin(), big_endian.end());
  return absl::StrCat("0x", absl::BytesToHexString(big_endian));
}

template <typename T>
std::string RealToString(T value, const void* element, size_t size) {
  if (std::isfinite(value) && value != 0) return absl::StrCat(value);
  return absl::StrCat(Hex(element, size), " (", value, ")");
}

template <typename T>
std::string Print(const T& value) {
  if constexpr (std::is_integral_v<T>) {
    return absl::StrCat(value);
  } else if constexpr (std::is_floating_point_v<T>) {
    return RealToString(value, &value, sizeof(value));
  } else if constexpr (std::is_same_v<T, Bool8>) {
    return Hex(&value, sizeof(value));
  } else if constexpr (std::is_same_v<T, StringRef>) {
    return absl::StrCat("\"", absl::CEscape(value.view()), "\"");
  } else if constexpr (requires { value.re; }) {
    return absl::StrCat("(", Print(value.re), ",", Print(value.im), ")");
  } else {
    return RealToString(ValueOf(value), &value, sizeof(value));
  }
}

bool SameElement(const Tensor& a, const Tensor& b, int64_t i) {
  if (a.dtype() == DType::kString) {
    return a.values<StringRef>()[i].view() == b.values<StringRef>()[i].view();
  }
  const size_t size = ElementSize(a.dtype());
  return std::memcmp(a.bytes() + i * size, b.bytes() + i * size, size) == 0;
}

std::string Position(const Shape& shape, int64_t flat) {
  std::vector<int64_t> coordinates(shape.rank());
  for (int axis = shape.rank() - 1; axis >= 0; --axis) {
    coordinates[axis] = flat % shape[axis];
    flat /= shape[axis];
  }
  return absl::StrCat("[", absl::StrJoin(coordinates, ","), "]");
}

}  // namespace

std::string ElementToString(const Tensor& tensor, int64_t i) {
  switch (tensor.dtype()) {
#define SCATTERD_DTYPE(name, onnx, number, lower, storage, kind) \
  case DType::name:                                              \
    return Print(tensor.values<storage>()[i]);
#include "core/dtypes.inc"
    case DType::kUnspecified:
      break;
  }
  return "?";
}

std::string Difference(const Tensor& actual, const Tensor& expected) {
  if (actual.spec() != expected.spec()) {
    return absl::StrCat("which is ", actual.spec().ToString(), " instead of ",
                        expected.spec().ToString());
  }
  int64_t differences = 0;
  std::string text;
  for (int64_t i = 0; i < actual.num_elements(); ++i) {
    if (SameElement(actual, expected, i)) continue;
    if (++differences > kMaxPrinted) continue;
    absl::StrAppend(&text, "\n  at ", Position(actual.shape(), i), ": ",
                    ElementToString(actual, i), " instead of ",
                    ElementToString(expected, i));
  }
  if (differences == 0) return "";
  return absl::StrCat("which differs in ", differences, " of ",
                      actual.num_elements(), " elements", text);
}

}  // namespace test

void PrintTo(const Tensor& tensor, std::ostream* out) {
  *out << tensor.spec().ToString() << " {";
  const int64_t shown = std::min(tensor.num_elements(), int64_t{16});
  for (int64_t i = 0; i < shown; ++i) {
    *out << (i == 0 ? "" : ", ") << test::ElementToString(tensor, i);
  }
  *out << (shown < tensor.num_elements() ? ", ...}" : "}");
}

}  // namespace scatterd
