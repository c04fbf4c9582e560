#include "client/ctl/literal.h"

#include <charconv>
#include <cmath>
#include <cstdint>
#include <cstring>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "client/ctl/literal_parser.h"
#include "client/ctl/literal_string.h"
#include "client/ctl/literal_values.h"
#include "client/ctl/tensor_spec_text.h"
#include "core/status_macros.h"

namespace scatterd {
namespace {

absl::StatusOr<Tensor> EmptyTensor(const TensorSpec& spec,
                                   std::optional<DType> dtype) {
  if (spec.shape.num_elements() != 0) {
    return absl::InvalidArgumentError(absl::StrCat(
        "a spec is a literal only of an empty tensor (", spec.ToString(), ")"));
  }
  if (dtype && *dtype != spec.dtype) {
    return absl::InvalidArgumentError(
        absl::StrCat("the literal is of another dtype (", DTypeName(spec.dtype),
                     " vs ", DTypeName(*dtype), ")"));
  }
  return Tensor::Zeros(spec);
}

// The shortest text that reads back as `value`, always as a decimal.
template <typename T>
std::string FormatDecimal(T value) {
  if (std::isnan(value)) return "nan";
  char text[64];
  const std::to_chars_result result =
      std::to_chars(text, text + sizeof(text), value);
  std::string decimal(text, result.ptr);
  if (decimal.find_first_of(".en") == std::string::npos) decimal += ".0";
  return decimal;
}

template <typename T>
std::string FormatElement(T value) {
  if constexpr (std::is_floating_point_v<T>) return FormatDecimal(value);
  return std::to_string(value);
}

std::string FormatElement(Bool8 value) {
  return value.value ? "true" : "false";
}

std::string FormatElement(Float16 value) {
  return FormatDecimal(ToFloat(value));
}

std::string FormatElement(BFloat16 value) {
  return FormatDecimal(ToFloat(value));
}

template <typename T>
std::string FormatComplex(T re, T im) {
  const std::string imaginary = FormatDecimal(im);
  return absl::StrCat(FormatDecimal(re), imaginary[0] == '-' ? "" : "+",
                      imaginary, "j");
}

std::string FormatElement(Complex64 value) {
  return FormatComplex(value.re, value.im);
}

std::string FormatElement(Complex128 value) {
  return FormatComplex(value.re, value.im);
}

std::string FormatElement(StringRef value) {
  return internal::Quote(value.view());
}

// Writes nested lists, one innermost list per line.
class Formatter {
 public:
  explicit Formatter(const Tensor& tensor) : tensor_(tensor) {}

  template <typename T>
  std::string Format() {
    AppendAxis<T>(0);
    return std::move(text_);
  }

 private:
  template <typename T>
  void AppendAxis(int axis) {
    if (axis == tensor_.shape().rank()) {
      T value;  // bytes() may have any alignment
      std::memcpy(&value, tensor_.bytes() + sizeof(T) * next_++, sizeof(T));
      text_ += FormatElement(value);
      return;
    }
    text_ += '[';
    for (int64_t i = 0; i < tensor_.shape()[axis]; ++i) {
      if (i > 0) AppendSeparator(axis);
      AppendAxis<T>(axis + 1);
    }
    text_ += ']';
  }

  void AppendSeparator(int axis) {
    if (axis + 1 == tensor_.shape().rank()) {
      text_ += ", ";
    } else {
      absl::StrAppend(&text_, ",\n", std::string(axis + 1, ' '));
    }
  }

  const Tensor& tensor_;
  int64_t next_ = 0;
  std::string text_;
};

// Whether nested lists show every extent: those after a 0 are lost.
bool ListsShow(const Shape& shape) {
  for (int axis = 0; axis + 1 < shape.rank(); ++axis) {
    if (shape[axis] == 0) return false;
  }
  return true;
}

}  // namespace

absl::StatusOr<Tensor> ParseLiteral(absl::string_view text,
                                    std::optional<DType> dtype) {
  const absl::string_view stripped = absl::StripAsciiWhitespace(text);
  const absl::StatusOr<TensorSpec> spec = ParseTensorSpec(stripped);
  if (spec.ok()) return EmptyTensor(*spec, dtype);
  SCATTERD_ASSIGN_OR_RETURN(const internal::ParsedLiteral literal,
                            internal::ParseLiteralSyntax(text));
  if (!dtype) {
    SCATTERD_ASSIGN_OR_RETURN(dtype, internal::SuggestDType(literal.elements));
  }
  return internal::MakeTensor(*dtype, literal);
}

absl::StatusOr<std::string> FormatLiteral(const Tensor& tensor) {
  if (KindOf(tensor.dtype()) == DTypeKind::kOpaque) {
    return absl::InvalidArgumentError(absl::StrCat(
        DTypeName(tensor.dtype()), " has no literals; write an ONNX .pb file"));
  }
  if (!ListsShow(tensor.shape())) {
    return absl::StrCat(DTypeLowerName(tensor.dtype()),
                        tensor.shape().ToString());
  }
  Formatter formatter(tensor);
  switch (tensor.dtype()) {
#define SCATTERD_DTYPE(name, onnx, number, lower, storage, kind) \
  case DType::name:                                              \
    return formatter.Format<storage>();
#include "core/dtypes.inc"
    default:
      break;
  }
  return absl::InvalidArgumentError("no tensor");
}

}  // namespace scatterd
