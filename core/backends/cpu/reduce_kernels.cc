#include "core/backends/cpu/reduce_kernels.h"

#include <cstring>

#include "core/arithmetic.h"

namespace scatterd::cpu {
namespace {

template <typename T>
T* Columns(const UpdateBlock& block, int64_t row) {
  return reinterpret_cast<T*>(block.output) + row * block.slice_elements +
         block.column_begin;
}

template <typename T>
const T* UpdateColumns(const UpdateBlock& block, int64_t position) {
  return reinterpret_cast<const T*>(block.updates) +
         position * block.slice_elements + block.column_begin;
}

template <typename T, typename Op>
void ApplySlice(T* __restrict output, const T* __restrict updates, int64_t n) {
  for (int64_t i = 0; i < n; ++i) output[i] = Op::Apply(output[i], updates[i]);
}

template <typename T, typename Op>
void Apply(const UpdateBlock& block) {
  if (block.slice_elements == 1) {
    T* output = reinterpret_cast<T*>(block.output);
    const T* updates = reinterpret_cast<const T*>(block.updates);
    for (int64_t i = 0; i < block.count; ++i) {
      T& element = output[block.rows[i]];
      element = Op::Apply(element, updates[block.positions[i]]);
    }
    return;
  }
  for (int64_t i = 0; i < block.count; ++i) {
    ApplySlice<T, Op>(Columns<T>(block, block.rows[i]),
                      UpdateColumns<T>(block, block.positions[i]),
                      block.columns());
  }
}

template <typename T, typename Op>
void SetIdentity(const UpdateBlock& block) {
  constexpr T kIdentity = Identity<Op, T>();
  for (int64_t i = 0; i < block.count; ++i) {
    T* output = Columns<T>(block, block.rows[i]);
    for (int64_t c = 0; c < block.columns(); ++c) output[c] = kIdentity;
  }
}

template <typename T>
void Divide(std::byte* elements, int64_t n, int64_t count) {
  T* values = reinterpret_cast<T*>(elements);
  for (int64_t i = 0; i < n; ++i) values[i] = MeanOf(values[i], count);
}

template <typename T, typename Op>
ReduceKernels Kernels() {
  return {.apply = &Apply<T, Op>, .set_identity = &SetIdentity<T, Op>};
}

template <typename T>
ReduceKernels ArithmeticKernels(Reduction reduction) {
  switch (reduction) {
    case Reduction::kAdd:
      return Kernels<T, AddOp>();
    case Reduction::kMul:
      return Kernels<T, MulOp>();
    case Reduction::kSub:
      return Kernels<T, SubOp>();
    case Reduction::kDiv:
      return Kernels<T, DivOp>();
    case Reduction::kMean: {
      ReduceKernels kernels = Kernels<T, AddOp>();
      kernels.divide = &Divide<T>;
      return kernels;
    }
    default:
      return {};
  }
}

template <typename T>
ReduceKernels OrderKernels(Reduction reduction, NanPolicy nan) {
  const bool ignore = nan == NanPolicy::kIgnore;
  if (reduction == Reduction::kMax) {
    return ignore ? Kernels<T, MaxOp<true>>() : Kernels<T, MaxOp<false>>();
  }
  return ignore ? Kernels<T, MinOp<true>>() : Kernels<T, MinOp<false>>();
}

bool IsOrder(Reduction reduction) {
  return reduction == Reduction::kMax || reduction == Reduction::kMin;
}

template <typename T>
ReduceKernels KernelsFor(Reduction reduction, NanPolicy nan) {
  if constexpr (std::is_same_v<T, StringRef>) {
    if (reduction == Reduction::kMax) return {.apply = &Apply<T, MaxOp<false>>};
    if (reduction == Reduction::kMin) return {.apply = &Apply<T, MinOp<false>>};
    return {};
  } else if constexpr (std::is_same_v<T, Bool8>) {
    if (IsOrder(reduction)) return OrderKernels<T>(reduction, nan);
    return reduction == Reduction::kAdd ? Kernels<T, AddOp>()
                                        : Kernels<T, MulOp>();
  } else {
    return IsOrder(reduction) ? OrderKernels<T>(reduction, nan)
                              : ArithmeticKernels<T>(reduction);
  }
}

template <size_t kWidth>
void AssignElements(const UpdateBlock& block) {
  for (int64_t i = 0; i < block.count; ++i) {
    std::memcpy(
        block.output + static_cast<size_t>(block.rows[i]) * kWidth,
        block.updates + static_cast<size_t>(block.positions[i]) * kWidth,
        kWidth);
  }
}

void AssignBytes(const UpdateBlock& block) {
  for (int64_t i = 0; i < block.count; ++i) {
    std::memcpy(Columns<std::byte>(block, block.rows[i]),
                UpdateColumns<std::byte>(block, block.positions[i]),
                static_cast<size_t>(block.columns()));
  }
}

}  // namespace

ReduceKernels GetReduceKernels(DType dtype, Reduction reduction,
                               NanPolicy nan) {
  if (KindOf(dtype) == DTypeKind::kOpaque) return {};
  switch (dtype) {
#define SCATTERD_DTYPE(name, onnx, number, lower, storage, kind) \
  case DType::name:                                              \
    return KernelsFor<storage>(reduction, nan);
#include "core/dtypes.inc"
    case DType::kUnspecified:
      break;
  }
  return {};
}

AssignShape GetAssignKernel(size_t slice_bytes) {
  switch (slice_bytes) {
    case 1:
      return {&AssignElements<1>, 1, 1};
    case 2:
      return {&AssignElements<2>, 1, 2};
    case 4:
      return {&AssignElements<4>, 1, 4};
    case 8:
      return {&AssignElements<8>, 1, 8};
    case 16:
      return {&AssignElements<16>, 1, 16};
    default:
      return {&AssignBytes, static_cast<int64_t>(slice_bytes), 1};
  }
}

}  // namespace scatterd::cpu
