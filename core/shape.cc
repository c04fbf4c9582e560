#include "core/shape.h"

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"

namespace scatterd {

int64_t Product(absl::Span<const int64_t> dims) {
  int64_t product = 1;
  for (int64_t dim : dims) product *= dim;
  return product;
}

int64_t Shape::num_elements() const { return Product(dims_); }

std::string Shape::ToString() const {
  return absl::StrCat("[", absl::StrJoin(dims_, ","), "]");
}

absl::StatusOr<int64_t> CheckedNumElements(const Shape& shape,
                                           size_t element_size) {
  if (shape.rank() > kMaxRank) {
    return absl::InvalidArgumentError(absl::StrCat(
        "rank is too large (", shape.rank(), " vs at most ", kMaxRank, ")"));
  }
  constexpr int64_t kLimit = int64_t{1} << 62;
  int64_t non_zero = 1;  // the product of the extents that are not 0
  auto bytes = static_cast<int64_t>(element_size);
  bool empty = false;
  for (int axis = 0; axis < shape.rank(); ++axis) {
    const int64_t dim = shape[axis];
    if (dim < 0) {
      return absl::InvalidArgumentError(
          absl::StrCat("dimension ", axis, " of shape ", shape.ToString(),
                       " is negative (", dim, " vs at least 0)"));
    }
    if (dim == 0) {
      empty = true;
    } else if (__builtin_mul_overflow(bytes, dim, &bytes) || bytes > kLimit) {
      return absl::InvalidArgumentError(
          absl::StrCat("shape ", shape.ToString(), " overflows (vs at most ",
                       kLimit / static_cast<int64_t>(element_size),
                       " elements of ", element_size, " bytes)"));
    } else {
      non_zero *= dim;
    }
  }
  return empty ? 0 : non_zero;
}

}  // namespace scatterd
