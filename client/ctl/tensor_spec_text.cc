#include "client/ctl/tensor_spec_text.h"

#include <cstdint>
#include <optional>
#include <string>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "core/status_macros.h"

namespace scatterd {
namespace {

std::string KnownDTypes() {
  std::string names;
#define SCATTERD_DTYPE(name, onnx, number, lower, storage, kind) \
  absl::StrAppend(&names, names.empty() ? "" : ", ", #lower);
#include "core/dtypes.inc"
  return names;
}

absl::StatusOr<Shape> ParseExtents(absl::string_view text) {
  Shape shape;
  if (text.empty()) return shape;
  for (const absl::string_view extent : absl::StrSplit(text, ',')) {
    int64_t value;
    if (!absl::SimpleAtoi(extent, &value) || value < 0) {
      return absl::InvalidArgumentError(
          absl::StrCat("\"", extent, "\" is no extent"));
    }
    shape.Append(value);
  }
  return shape;
}

}  // namespace

absl::StatusOr<DType> ParseDType(absl::string_view name) {
  const std::optional<DType> dtype = DTypeFromName(name);
  if (dtype) return *dtype;
  return absl::InvalidArgumentError(
      absl::StrCat("\"", name, "\" is no dtype (", KnownDTypes(), ")"));
}

absl::StatusOr<TensorSpec> ParseTensorSpec(absl::string_view text) {
  const size_t bracket = text.find('[');
  if (bracket == absl::string_view::npos || text.back() != ']') {
    return absl::InvalidArgumentError(
        absl::StrCat("\"", text, "\" is not like float32[2,3]"));
  }
  SCATTERD_ASSIGN_OR_RETURN(const DType dtype,
                            ParseDType(text.substr(0, bracket)));
  const absl::string_view extents =
      text.substr(bracket + 1, text.size() - bracket - 2);
  SCATTERD_ASSIGN_OR_RETURN(const Shape shape, ParseExtents(extents));
  const TensorSpec spec{dtype, shape};
  SCATTERD_RETURN_IF_ERROR(CheckedByteSize(spec).status());
  return spec;
}

}  // namespace scatterd
