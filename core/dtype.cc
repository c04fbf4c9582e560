#include "core/dtype.h"

namespace scatterd {
namespace {

struct Row {
  DType dtype;
  absl::string_view onnx_name;
  absl::string_view lower_name;
};

constexpr Row kRows[] = {
#define SCATTERD_DTYPE(name, onnx, number, lower, storage, kind) \
  {DType::name, #onnx, #lower},
#include "core/dtypes.inc"
};

using internal::kMaxDTypeNumber;

struct Index {
  int8_t row[kMaxDTypeNumber + 1];
};

constexpr Index MakeIndex() {
  Index index{};
  for (int8_t& row : index.row) row = -1;
  int8_t i = 0;
  for (const Row& row : kRows) {
    index.row[static_cast<int32_t>(row.dtype)] = i++;
  }
  return index;
}

constexpr Index kIndex = MakeIndex();

const Row* Find(int64_t number) {
  if (number < 0 || number > kMaxDTypeNumber) return nullptr;
  const int row = kIndex.row[number];
  return row < 0 ? nullptr : &kRows[row];
}

}  // namespace

std::optional<DType> DTypeFromNumber(int64_t number) {
  const Row* row = Find(number);
  if (row == nullptr) return std::nullopt;
  return row->dtype;
}

std::optional<DType> DTypeFromName(absl::string_view name) {
  for (const Row& row : kRows) {
    if (name == row.onnx_name || name == row.lower_name) return row.dtype;
  }
  return std::nullopt;
}

absl::string_view DTypeName(DType dtype) {
  const Row* row = Find(static_cast<int64_t>(dtype));
  return row == nullptr ? "UNDEFINED" : row->onnx_name;
}

absl::string_view DTypeLowerName(DType dtype) {
  const Row* row = Find(static_cast<int64_t>(dtype));
  return row == nullptr ? "undefined" : row->lower_name;
}

}  // namespace scatterd
