// Updates meet rows: the typed loops of one dtype and reduction.  Included by
// reduce.cc and reduce_complex.cc only.

#ifndef SCATTERD_CORE_BACKENDS_CPU_KERNELS_REDUCE_H_
#define SCATTERD_CORE_BACKENDS_CPU_KERNELS_REDUCE_H_

#include <type_traits>

#include "core/arithmetic.h"
#include "core/backends/cpu/kernels/half.h"
#include "core/backends/cpu/kernels/move.h"
#include "core/backends/cpu/kernels/tables.h"

namespace scatterd::cpu::SCATTERD_ISA {
namespace {

template <typename T>
[[gnu::always_inline]] inline T* Columns(const UpdateBlock& block,
                                         int64_t row) {
  return reinterpret_cast<T*>(block.output) + row * block.slice_elements +
         block.column_begin;
}

template <bool kListed>
[[gnu::always_inline]] inline int64_t Position(const UpdateBlock& block,
                                               int64_t i) {
  return kListed ? block.positions[i] : i;
}

template <typename T, bool kListed>
[[gnu::always_inline]] inline const T* UpdateColumns(const UpdateBlock& block,
                                                     int64_t i) {
  return reinterpret_cast<const T*>(block.updates) +
         Position<kListed>(block, i) * block.slice_elements +
         block.column_begin;
}

// Calls apply(output columns, update columns) for update after update, while
// the memory of the ones to come is fetched.
template <typename T, bool kListed, typename ApplyFn>
[[gnu::always_inline]] inline void ForEachSlice(const UpdateBlock& block,
                                                ApplyFn apply) {
  const size_t bytes = static_cast<size_t>(block.columns()) * sizeof(T);
  const int64_t distance = PrefetchDistance(bytes);
  for (int64_t i = 0; i < block.count; ++i) {
    if (i + distance < block.count) {
      const T* slice = Columns<T>(block, block.rows[i + distance]);
      PrefetchSlice<1>(reinterpret_cast<const std::byte*>(slice), bytes);
      if constexpr (kListed) {
        slice = UpdateColumns<T, kListed>(block, i + distance);
        PrefetchSlice<0>(reinterpret_cast<const std::byte*>(slice), bytes);
      }
    }
    apply(Columns<T>(block, block.rows[i]),
          UpdateColumns<T, kListed>(block, i));
  }
}

// --- Reductions ------------------------------------------------------------

template <typename T, typename Op>
[[gnu::always_inline]] inline void ApplySlice(T* __restrict output,
                                              const T* __restrict updates,
                                              int64_t n) {
  int64_t i = 0;
  if constexpr (std::is_same_v<T, Float16> && kHasEight<Op>) {
    for (; i + 8 <= n; i += 8) ApplyEight<Op>(output + i, updates + i);
  }
  for (; i < n; ++i) output[i] = Op::Apply(output[i], updates[i]);
}

// Single elements.  The one at hand stays in a register while its row repeats:
// updates of a hot row need not wait for memory.
template <typename T, typename Op, bool kListed>
void ApplyElements(const UpdateBlock& block) {
  if (block.count == 0) return;
  T* output = reinterpret_cast<T*>(block.output);
  const T* updates = reinterpret_cast<const T*>(block.updates);
  int64_t row = block.rows[0];
  T value = output[row];
  ForEachElement(
      block, [&](int64_t i) { __builtin_prefetch(output + block.rows[i], 1); },
      [&](int64_t i) {
        if (block.rows[i] != row) {
          output[row] = Settle<Op>(value);
          row = block.rows[i];
          value = output[row];
        }
        value = ApplyRaw<Op>(value, updates[Position<kListed>(block, i)]);
      });
  output[row] = Settle<Op>(value);
}

template <typename T, typename Op, bool kListed>
void ApplySlices(const UpdateBlock& block) {
  ForEachSlice<T, kListed>(block,
                           [n = block.columns()](T* output, const T* updates) {
                             ApplySlice<T, Op>(output, updates, n);
                           });
}

template <typename T, typename Op>
void Apply(const UpdateBlock& block) {
  const bool listed = block.positions != nullptr;
  if (block.slice_elements == 1) {
    return listed ? ApplyElements<T, Op, true>(block)
                  : ApplyElements<T, Op, false>(block);
  }
  return listed ? ApplySlices<T, Op, true>(block)
                : ApplySlices<T, Op, false>(block);
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
ReduceKernels KernelsOf() {
  return {.apply = &Apply<T, Op>, .set_identity = &SetIdentity<T, Op>};
}

template <typename T>
ReduceKernels ArithmeticKernels(Reduction reduction) {
  switch (reduction) {
    case Reduction::kAdd:
      return KernelsOf<T, AddOp>();
    case Reduction::kMul:
      return KernelsOf<T, MulOp>();
    case Reduction::kSub:
      return KernelsOf<T, SubOp>();
    case Reduction::kDiv:
      return KernelsOf<T, DivOp>();
    case Reduction::kMean: {
      ReduceKernels kernels = KernelsOf<T, AddOp>();
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
    return ignore ? KernelsOf<T, MaxOp<true>>() : KernelsOf<T, MaxOp<false>>();
  }
  return ignore ? KernelsOf<T, MinOp<true>>() : KernelsOf<T, MinOp<false>>();
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
    return reduction == Reduction::kAdd ? KernelsOf<T, AddOp>()
                                        : KernelsOf<T, MulOp>();
  } else {
    return IsOrder(reduction) ? OrderKernels<T>(reduction, nan)
                              : ArithmeticKernels<T>(reduction);
  }
}

}  // namespace
}  // namespace scatterd::cpu::SCATTERD_ISA

#endif  // SCATTERD_CORE_BACKENDS_CPU_KERNELS_REDUCE_H_
