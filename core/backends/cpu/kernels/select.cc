// The updates of one destination range, picked without a branch.

#if defined(__AVX512F__)
#include <immintrin.h>
#endif

#include "core/backends/cpu/kernels/tables.h"

namespace scatterd::cpu::SCATTERD_ISA {

int64_t Select(const int64_t* rows, int64_t count, int64_t begin, int64_t end,
               int64_t* selected_rows, int64_t* selected) {
  int64_t n = 0;
  int64_t i = 0;
#if defined(__AVX512F__)
  const __m512i first = _mm512_set1_epi64(begin);
  const __m512i size = _mm512_set1_epi64(end - begin);
  const __m512i eight = _mm512_set1_epi64(8);
  __m512i position = _mm512_set_epi64(7, 6, 5, 4, 3, 2, 1, 0);
  for (; i + 8 <= count; i += 8) {
    const __m512i row = _mm512_loadu_si512(rows + i);
    const __mmask8 mask =
        _mm512_cmplt_epu64_mask(_mm512_sub_epi64(row, first), size);
    _mm512_storeu_si512(selected_rows + n,
                        _mm512_maskz_compress_epi64(mask, row));
    _mm512_storeu_si512(selected + n,
                        _mm512_maskz_compress_epi64(mask, position));
    n += __builtin_popcount(mask);
    position = _mm512_add_epi64(position, eight);
  }
#endif
  for (; i < count; ++i) {
    selected_rows[n] = rows[i];
    selected[n] = i;
    n += rows[i] >= begin && rows[i] < end;
  }
  return n;
}

}  // namespace scatterd::cpu::SCATTERD_ISA
