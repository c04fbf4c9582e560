// Slices of halves: converted, computed and rounded eight or sixteen at a time
// where the processor converts.  The bits are those of core/arithmetic.h.

#ifndef SCATTERD_CORE_BACKENDS_CPU_KERNELS_HALF_H_
#define SCATTERD_CORE_BACKENDS_CPU_KERNELS_HALF_H_

#include <cstdint>

#include "core/arithmetic.h"

#if defined(__F16C__)
#include <immintrin.h>
#endif

namespace scatterd::cpu::SCATTERD_ISA {
namespace {

#if defined(__F16C__)
[[gnu::always_inline]] inline __m256 Compute(AddOp, __m256 a, __m256 b) {
  return _mm256_add_ps(a, b);
}
[[gnu::always_inline]] inline __m256 Compute(SubOp, __m256 a, __m256 b) {
  return _mm256_sub_ps(a, b);
}
[[gnu::always_inline]] inline __m256 Compute(MulOp, __m256 a, __m256 b) {
  return _mm256_mul_ps(a, b);
}
[[gnu::always_inline]] inline __m256 Compute(DivOp, __m256 a, __m256 b) {
  return _mm256_div_ps(a, b);
}

// Eight elements; a NaN becomes the canonical one, as in RoundTo.
template <typename Op>
[[gnu::always_inline]] inline void ApplyEight(Float16* output,
                                              const Float16* updates) {
  auto* const to = reinterpret_cast<__m128i*>(output);
  const auto* const from = reinterpret_cast<const __m128i*>(updates);
  const __m256 result = Compute(Op(), _mm256_cvtph_ps(_mm_loadu_si128(to)),
                                _mm256_cvtph_ps(_mm_loadu_si128(from)));
  const __m256 nan = _mm256_set1_ps(__builtin_nanf(""));
  const __m256 canonical = _mm256_blendv_ps(
      result, nan, _mm256_cmp_ps(result, result, _CMP_UNORD_Q));
  _mm_storeu_si128(to, _mm256_cvtps_ph(canonical, _MM_FROUND_TO_NEAREST_INT));
}

template <typename Op>
inline constexpr bool kHasEight =
    std::same_as<Op, AddOp> || std::same_as<Op, SubOp> ||
    std::same_as<Op, MulOp> || std::same_as<Op, DivOp>;
#else
template <typename Op>
inline constexpr bool kHasEight = false;
template <typename Op>
void ApplyEight(Float16* output, const Float16* updates);
#endif

}  // namespace
}  // namespace scatterd::cpu::SCATTERD_ISA

#endif  // SCATTERD_CORE_BACKENDS_CPU_KERNELS_HALF_H_
