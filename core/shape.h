// Shapes: the extents of a dense row-major tensor.

#ifndef SCATTERD_CORE_SHAPE_H_
#define SCATTERD_CORE_SHAPE_H_

#include <cstdint>
#include <initializer_list>
#include <string>

#include "absl/container/inlined_vector.h"
#include "absl/status/statusor.h"
#include "absl/types/span.h"

namespace scatterd {

// The largest rank that scatterd accepts.
inline constexpr int kMaxRank = 32;

// Extents, outermost first.  Rank 0 (no extents) is one element; an extent of
// 0 makes a legal empty tensor.  Copyable; a value type.
class Shape {
 public:
  Shape() = default;
  Shape(std::initializer_list<int64_t> dims) : dims_(dims) {}
  explicit Shape(absl::Span<const int64_t> dims)
      : dims_(dims.begin(), dims.end()) {}

  int rank() const { return static_cast<int>(dims_.size()); }
  int64_t operator[](int axis) const { return dims_[axis]; }
  absl::Span<const int64_t> dims() const { return dims_; }

  // The extents [begin, end).  0 <= begin <= end <= rank().
  absl::Span<const int64_t> dims(int begin, int end) const {
    return dims().subspan(begin, end - begin);
  }

  void Append(int64_t dim) { dims_.push_back(dim); }
  void Append(absl::Span<const int64_t> dims) {
    dims_.insert(dims_.end(), dims.begin(), dims.end());
  }

  // The number of elements.  The shape must have passed CheckedNumElements
  // (every Tensor's and plan's has); otherwise the product may overflow.
  int64_t num_elements() const;

  // "[2,3]"; "[]" for rank 0.
  std::string ToString() const;

  friend bool operator==(const Shape& a, const Shape& b) {
    return a.dims_ == b.dims_;
  }
  friend bool operator!=(const Shape& a, const Shape& b) { return !(a == b); }

 private:
  absl::InlinedVector<int64_t, 6> dims_;
};

// The number of elements of `shape`.  INVALID_ARGUMENT for a negative extent,
// for a rank above kMaxRank, and when the product of the non-zero extents
// exceeds 2^62 / element_size: with that bound every stride and byte offset
// inside the tensor fits int64_t, also where another extent is 0.
absl::StatusOr<int64_t> CheckedNumElements(const Shape& shape,
                                           size_t element_size);

// The product of extents that are part of a checked shape; 1 for none.
int64_t Product(absl::Span<const int64_t> dims);

}  // namespace scatterd

#endif  // SCATTERD_CORE_SHAPE_H_
