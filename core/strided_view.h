// Reading a tensor as one of another shape: broadcast and cropped operands.

#ifndef SCATTERD_CORE_STRIDED_VIEW_H_
#define SCATTERD_CORE_STRIDED_VIEW_H_

#include <cstdint>
#include <optional>

#include "absl/container/inlined_vector.h"
#include "absl/status/statusor.h"
#include "core/shape.h"
#include "core/tensor.h"

namespace scatterd {

// Element (i0, i1, ...) of `shape` is the tensor's element i0*strides[0] +
// i1*strides[1] + ...; a stride of 0 repeats.
struct StridedView {
  Shape shape;
  absl::InlinedVector<int64_t, 6> strides;
};

// `from` broadcast to `to` by NumPy's rule: aligned at the last axis, extents
// equal or 1.  nullopt if it does not fit.
std::optional<StridedView> BroadcastView(const Shape& from, const Shape& to);

// The leading corner of `from` with the shape `to`: same rank, no extent
// longer.  nullopt if it does not fit.
std::optional<StridedView> CornerView(const Shape& from, const Shape& to);

// A dense copy of what the view shows of `tensor`, which the view was made
// for.  Errors as Buffer::Allocate.
absl::StatusOr<Tensor> Expand(const StridedView& view, const Tensor& tensor);

}  // namespace scatterd

#endif  // SCATTERD_CORE_STRIDED_VIEW_H_
