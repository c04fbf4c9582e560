// The kernels that apply updates, but for complex numbers.

#include "core/backends/cpu/kernels/reduce.h"

#include <cstring>

namespace scatterd::cpu::SCATTERD_ISA {
namespace {

// --- NONE ------------------------------------------------------------------

// Whether all updates meet one row, so that the last is the only one to stay.
bool MeetOneRow(const UpdateBlock& block) {
  const int64_t row = block.rows[block.count - 1];
  if (block.rows[0] != row || block.rows[block.count / 2] != row) return false;
  int64_t other = 0;
  for (int64_t i = 0; i < block.count; ++i) other |= block.rows[i] ^ row;
  return other == 0;
}

template <size_t kWidth, bool kListed>
void AssignElements(const UpdateBlock& block) {
  const auto row = [&block](int64_t i) {
    return block.output + static_cast<size_t>(block.rows[i]) * kWidth;
  };
  const auto assign = [&](int64_t i) {
    const auto position = static_cast<size_t>(Position<kListed>(block, i));
    std::memcpy(row(i), block.updates + position * kWidth, kWidth);
  };
  if (block.count == 0) return;
  if (MeetOneRow(block)) {
    for (int64_t i = 0; i < block.count; i += 4) PrefetchUpcoming(block, i);
    return assign(block.count - 1);
  }
  ForEachElement(
      block, [&](int64_t i) { __builtin_prefetch(row(i), 1); }, assign);
}

template <size_t kWidth>
void Assign(const UpdateBlock& block) {
  if (block.positions != nullptr) {
    AssignElements<kWidth, true>(block);
  } else {
    AssignElements<kWidth, false>(block);
  }
}

template <bool kListed>
void AssignSlices(const UpdateBlock& block) {
  const auto bytes = static_cast<size_t>(block.columns());
  ForEachSlice<std::byte, kListed>(
      block, [bytes](std::byte* output, const std::byte* updates) {
        CopyLines<false>(output, updates, bytes);
      });
}

void AssignAny(const UpdateBlock& block) {
  if (block.positions != nullptr) {
    AssignSlices<true>(block);
  } else {
    AssignSlices<false>(block);
  }
}

// Complex ones are reduce_complex.cc's.
template <typename T>
ReduceKernels RealKernels(Reduction reduction, NanPolicy nan) {
  if constexpr (Complex<T>) {
    return {};
  } else {
    return KernelsFor<T>(reduction, nan);
  }
}

}  // namespace

ReduceKernels GetReduceKernels(DType dtype, Reduction reduction,
                               NanPolicy nan) {
  if (KindOf(dtype) == DTypeKind::kOpaque) return {};
  if (KindOf(dtype) == DTypeKind::kComplex) {
    return GetComplexReduceKernels(dtype, reduction, nan);
  }
  switch (dtype) {
#define SCATTERD_DTYPE(name, onnx, number, lower, storage, kind) \
  case DType::name:                                              \
    return RealKernels<storage>(reduction, nan);
#include "core/dtypes.inc"
    case DType::kUnspecified:
      break;
  }
  return {};
}

AssignKernel GetAssignKernel(size_t slice_bytes) {
  switch (slice_bytes) {
    case 1:
      return {&Assign<1>, 1};
    case 2:
      return {&Assign<2>, 1};
    case 4:
      return {&Assign<4>, 1};
    case 8:
      return {&Assign<8>, 1};
    case 16:
      return {&Assign<16>, 1};
    default:
      return {&AssignAny, static_cast<int64_t>(slice_bytes)};
  }
}

}  // namespace scatterd::cpu::SCATTERD_ISA
