#include <cstring>
#include <vector>

#include "core/arithmetic.h"
#include "core/gradient.h"
#include "core/status_macros.h"

namespace scatterd {
namespace {

bool Repeats(const StridedView& view) {
  for (int axis = 0; axis < view.shape.rank(); ++axis) {
    if (view.strides[static_cast<size_t>(axis)] == 0 && view.shape[axis] > 1) {
      return true;
    }
  }
  return false;
}

// Calls visit(offset in the tensor) for each element of the view, in row-major
// order.
template <typename Visit>
void ForEachElement(const StridedView& view, const Visit& visit, int axis = 0,
                    int64_t offset = 0) {
  if (axis == view.shape.rank()) return visit(offset);
  const int64_t stride = view.strides[static_cast<size_t>(axis)];
  for (int64_t i = 0; i < view.shape[axis]; ++i) {
    ForEachElement(view, visit, axis + 1, offset + i * stride);
  }
}

template <typename T>
void Add(const StridedView& view, const Tensor& gradient, T* output) {
  const T* next = gradient.values<T>().data();
  ForEachElement(view, [&](int64_t offset) {
    output[offset] = AddOp::Apply(output[offset], *next++);
  });
}

template <Half T>
void AddWide(const StridedView& view, const Tensor& gradient, T* output,
             size_t size) {
  std::vector<float> sums(size);
  const T* next = gradient.values<T>().data();
  ForEachElement(view, [&](int64_t offset) {
    float& sum = sums[static_cast<size_t>(offset)];
    sum = AddOp::Apply(sum, ToFloat(*next++));
  });
  for (size_t i = 0; i < size; ++i) output[i] = RoundTo<T>(sums[i]);
}

template <typename T>
void Contract(const StridedView& view, const Tensor& gradient,
              Accumulation accumulation, Tensor& output) {
  T* elements = reinterpret_cast<T*>(output.mutable_bytes());
  if (!Repeats(view)) {
    const T* next = gradient.values<T>().data();
    ForEachElement(view, [&](int64_t offset) { elements[offset] = *next++; });
    return;
  }
  if constexpr (Half<T>) {
    if (accumulation == Accumulation::kWide) {
      return AddWide(view, gradient, elements,
                     static_cast<size_t>(output.num_elements()));
    }
  }
  Add(view, gradient, elements);
}

}  // namespace

absl::StatusOr<Tensor> ContractGradient(const StridedView& view,
                                        const Tensor& gradient,
                                        const Shape& shape,
                                        Accumulation accumulation) {
  SCATTERD_ASSIGN_OR_RETURN(Tensor output,
                            Tensor::Zeros({gradient.dtype(), shape}));
  if (gradient.num_elements() == 0) return output;
  switch (gradient.dtype()) {
    case DType::kFloat:
      Contract<float>(view, gradient, accumulation, output);
      break;
    case DType::kDouble:
      Contract<double>(view, gradient, accumulation, output);
      break;
    case DType::kFloat16:
      Contract<Float16>(view, gradient, accumulation, output);
      break;
    case DType::kBFloat16:
      Contract<BFloat16>(view, gradient, accumulation, output);
      break;
    case DType::kComplex64:
      Contract<Complex64>(view, gradient, accumulation, output);
      break;
    case DType::kComplex128:
      Contract<Complex128>(view, gradient, accumulation, output);
      break;
    default:
      break;  // planning refuses it
  }
  return output;
}

}  // namespace scatterd
