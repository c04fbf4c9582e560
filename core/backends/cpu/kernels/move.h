// How bytes move: whole lines, and past the caches where that is asked for.

#ifndef SCATTERD_CORE_BACKENDS_CPU_KERNELS_MOVE_H_
#define SCATTERD_CORE_BACKENDS_CPU_KERNELS_MOVE_H_

#include <cstddef>
#include <cstdint>
#include <cstring>

#include "core/backends/cpu/kernels/kernels.h"

#if defined(__SSE2__)
#include <immintrin.h>
#endif

namespace scatterd::cpu::SCATTERD_ISA {
namespace {

constexpr size_t kLine = 64;

[[gnu::always_inline]] inline bool IsLineAligned(const void* address) {
  return reinterpret_cast<uintptr_t>(address) % kLine == 0;
}

// Copies a line; if it streams, `output` is aligned to a line.
template <bool kStreams>
[[gnu::always_inline]] inline void CopyLine(std::byte* output,
                                            const std::byte* source) {
#if defined(__AVX512F__)
  const __m512i line = _mm512_loadu_si512(source);
  if constexpr (kStreams) {
    _mm512_stream_si512(reinterpret_cast<__m512i*>(output), line);
  } else {
    _mm512_storeu_si512(output, line);
  }
#elif defined(__AVX2__)
  const auto* from = reinterpret_cast<const __m256i*>(source);
  auto* to = reinterpret_cast<__m256i*>(output);
  for (int i = 0; i < 2; ++i) {
    const __m256i half = _mm256_loadu_si256(from + i);
    if constexpr (kStreams) {
      _mm256_stream_si256(to + i, half);
    } else {
      _mm256_storeu_si256(to + i, half);
    }
  }
#elif defined(__SSE2__)
  const auto* from = reinterpret_cast<const __m128i*>(source);
  auto* to = reinterpret_cast<__m128i*>(output);
  for (int i = 0; i < 4; ++i) {
    const __m128i quarter = _mm_loadu_si128(from + i);
    if constexpr (kStreams) {
      _mm_stream_si128(to + i, quarter);
    } else {
      _mm_storeu_si128(to + i, quarter);
    }
  }
#else
  std::memcpy(output, source, kLine);
#endif
}

// Makes streamed lines visible to whoever is told that they are there.
[[gnu::always_inline]] inline void FinishStreaming() {
#if defined(__SSE2__)
  _mm_sfence();
#endif
}

// Copies `bytes`; if it streams, lines of the output lie on lines of memory.
template <bool kStreams>
[[gnu::always_inline]] inline void CopyLines(std::byte* output,
                                             const std::byte* source,
                                             size_t bytes) {
  size_t at = 0;
  for (; at + kLine <= bytes; at += kLine) {
    CopyLine<kStreams>(output + at, source + at);
  }
  if (at == bytes) return;
  if (!kStreams && bytes >= kLine) {  // the last line overlaps
    CopyLine<false>(output + bytes - kLine, source + bytes - kLine);
  } else {
    std::memcpy(output + at, source + at, bytes - at);
  }
}

// Fetches the first lines of a slice, for reading (0) or writing (1).
template <int kWrites>
[[gnu::always_inline]] inline void PrefetchSlice(const std::byte* slice,
                                                 size_t bytes) {
  constexpr size_t kMost = 16 * kLine;
  const size_t wanted = bytes < kMost ? bytes : kMost;
  for (size_t line = 0; line < wanted; line += kLine) {
    __builtin_prefetch(slice + line, kWrites);
  }
}

// How many slices ahead one is fetched: the longer, the fewer.
[[gnu::always_inline]] inline int64_t PrefetchDistance(size_t slice_bytes) {
  if (slice_bytes <= 64) return 32;
  return slice_bytes <= 256 ? 16 : 8;
}

[[gnu::always_inline]] inline void Prefetch(const Upcoming& upcoming,
                                            int64_t i) {
  // To fetch from nowhere costs a walk through the page tables.
  if (upcoming.memory == nullptr) return;
  __builtin_prefetch(upcoming.memory + i * upcoming.bytes_each);
}

// Fetches what comes after the block, a little for every fourth position.
template <typename Block>
[[gnu::always_inline]] inline void PrefetchUpcoming(const Block& block,
                                                    int64_t i) {
  Prefetch(block.next.indices, i);
  Prefetch(block.next.data, i);
}

// Calls step(i) for i in [0, block.count), in order; some positions before that
// fetch(i), which fetches memory for i, unless that is near.
template <typename Block, typename FetchFn, typename StepFn>
[[gnu::always_inline]] inline void ForEachElement(const Block& block,
                                                  FetchFn fetch, StepFn step) {
  constexpr int64_t kAhead = 32;
  constexpr int64_t kStride = 4;
  const int64_t fetched = block.is_near ? -1 : block.count - kAhead - kStride;
  int64_t i = 0;
  for (; i <= fetched; i += kStride) {
    PrefetchUpcoming(block, i);
    for (int64_t j = 0; j < kStride; ++j) fetch(i + j + kAhead);
    for (int64_t j = 0; j < kStride; ++j) step(i + j);
  }
  for (; i + kStride <= block.count; i += kStride) {
    PrefetchUpcoming(block, i);
    for (int64_t j = 0; j < kStride; ++j) step(i + j);
  }
  for (; i < block.count; ++i) step(i);
}

}  // namespace
}  // namespace scatterd::cpu::SCATTERD_ISA

#endif  // SCATTERD_CORE_BACKENDS_CPU_KERNELS_MOVE_H_
