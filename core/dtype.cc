#include "core/dtype.h"

namespace scatterd {

std::optional<DType> DTypeFromNumber(int64_t number) {
  if (number < 0 || number > internal::kMaxDTypeNumber) return std::nullopt;
  const auto dtype = static_cast<DType>(number);
  if (!IsValid(dtype)) return std::nullopt;
  return dtype;
}

std::optional<DType> DTypeFromName(absl::string_view name) {
#define SCATTERD_DTYPE(dtype, onnx, number, lower, storage, kind) \
  if (name == #onnx || name == #lower) return DType::dtype;
#include "core/dtypes.inc"
  return std::nullopt;
}

absl::string_view DTypeName(DType dtype) {
  switch (dtype) {
#define SCATTERD_DTYPE(name, onnx, number, lower, storage, kind) \
  case DType::name:                                              \
    return #onnx;
#include "core/dtypes.inc"
    case DType::kUnspecified:
      break;
  }
  return "UNDEFINED";
}

absl::string_view DTypeLowerName(DType dtype) {
  switch (dtype) {
#define SCATTERD_DTYPE(name, onnx, number, lower, storage, kind) \
  case DType::name:                                              \
    return #lower;
#include "core/dtypes.inc"
    case DType::kUnspecified:
      break;
  }
  return "undefined";
}

}  // namespace scatterd
