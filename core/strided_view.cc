#include "core/strided_view.h"

#include <cstring>

#include "core/status_macros.h"

namespace scatterd {
namespace {

// Copies elements in the view's order; the innermost axis is one loop.
class Expander {
 public:
  Expander(const StridedView& view, const Tensor& source, Tensor& output)
      : view_(view),
        width_(ElementSize(source.dtype())),
        source_(source.bytes()),
        output_(output.mutable_bytes()) {}

  void Run(int axis, int64_t offset) {
    if (axis == view_.shape.rank()) {
      std::memcpy(output_, source_ + static_cast<size_t>(offset) * width_,
                  width_);
      output_ += width_;
      return;
    }
    const int64_t stride = view_.strides[static_cast<size_t>(axis)];
    for (int64_t i = 0; i < view_.shape[axis]; ++i) {
      Run(axis + 1, offset + i * stride);
    }
  }

 private:
  const StridedView& view_;
  const size_t width_;
  const std::byte* const source_;
  std::byte* output_;
};

}  // namespace

std::optional<StridedView> BroadcastView(const Shape& from, const Shape& to) {
  if (from.rank() > to.rank()) return std::nullopt;
  StridedView view;
  view.shape = to;
  view.strides.resize(static_cast<size_t>(to.rank()), 0);
  int64_t stride = 1;
  for (int back = 1; back <= from.rank(); ++back) {
    const int64_t extent = from[from.rank() - back];
    const int axis = to.rank() - back;
    if (extent == to[axis]) {
      view.strides[static_cast<size_t>(axis)] = stride;
    } else if (extent != 1) {
      return std::nullopt;
    }
    stride *= extent;
  }
  return view;
}

std::optional<StridedView> CornerView(const Shape& from, const Shape& to) {
  if (from.rank() != to.rank()) return std::nullopt;
  StridedView view;
  view.shape = to;
  view.strides.resize(static_cast<size_t>(to.rank()), 0);
  int64_t stride = 1;
  for (int axis = to.rank() - 1; axis >= 0; --axis) {
    if (from[axis] < to[axis]) return std::nullopt;
    view.strides[static_cast<size_t>(axis)] = stride;
    stride *= from[axis];
  }
  return view;
}

absl::StatusOr<Tensor> Expand(const StridedView& view, const Tensor& tensor) {
  SCATTERD_ASSIGN_OR_RETURN(Tensor output,
                            Tensor::Allocate({tensor.dtype(), view.shape}));
  if (output.num_elements() != 0) Expander(view, tensor, output).Run(0, 0);
  output.ShareBlobs(tensor);
  return output;
}

}  // namespace scatterd
