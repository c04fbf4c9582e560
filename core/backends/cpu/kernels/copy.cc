// Moves of slices and of blocks of rows: they know widths, not dtypes.

#include "core/backends/cpu/copy.h"

#include "core/backends/cpu/kernels/move.h"
#include "core/backends/cpu/kernels/tables.h"

namespace scatterd::cpu::SCATTERD_ISA {
namespace {

void FillSlice(const CopyBlock& block, int64_t i) {
  FillElements(block.output + static_cast<size_t>(i) * block.slice_bytes,
               block.slice_bytes, block.fill, block.fill_bytes);
}

template <size_t kWidth, bool kFills>
void CopyFixed(const CopyBlock& block) {
  const auto slice = [&block](int64_t i) {
    return block.source + block.rows[i] * static_cast<int64_t>(kWidth);
  };
  ForEachElement(
      block, [&](int64_t i) { __builtin_prefetch(slice(i)); },
      [&](int64_t i) {
        if (kFills && block.rows[i] < 0) return FillSlice(block, i);
        std::memcpy(block.output + static_cast<size_t>(i) * kWidth, slice(i),
                    kWidth);
      });
}

template <bool kStreams, bool kFills>
void CopyAny(const CopyBlock& block) {
  const size_t bytes = block.slice_bytes;
  const int64_t distance = PrefetchDistance(bytes);
  const auto slice = [&block, bytes](int64_t i) {
    return block.source + block.rows[i] * static_cast<int64_t>(bytes);
  };
  for (int64_t i = 0; i < block.count; ++i) {
    if (i % 4 == 0) PrefetchUpcoming(block, i);
    const int64_t ahead = i + distance;
    if (ahead < block.count && !(kFills && block.rows[ahead] < 0)) {
      PrefetchSlice<0>(slice(ahead), bytes);
    }
    if (kFills && block.rows[i] < 0) {
      FillSlice(block, i);
    } else {
      CopyLines<kStreams>(block.output + static_cast<size_t>(i) * bytes,
                          slice(i), bytes);
    }
  }
}

template <bool kFills>
void Copy(const CopyBlock& block) {
  if (block.streams && block.slice_bytes % kLine == 0 &&
      IsLineAligned(block.output)) {
    CopyAny<true, kFills>(block);
    return FinishStreaming();
  }
  switch (block.slice_bytes) {
    case 1:
      return CopyFixed<1, kFills>(block);
    case 2:
      return CopyFixed<2, kFills>(block);
    case 4:
      return CopyFixed<4, kFills>(block);
    case 8:
      return CopyFixed<8, kFills>(block);
    case 16:
      return CopyFixed<16, kFills>(block);
    case 32:
      return CopyFixed<32, kFills>(block);
    case 64:
      return CopyFixed<64, kFills>(block);
    default:
      return CopyAny<false, kFills>(block);
  }
}

template <bool kStreams>
void CopyRowsAs(const CopyRowsBlock& block) {
  constexpr int64_t kAhead = 16;
  const std::byte* source = block.source;
  std::byte* output = block.output;
  for (int64_t i = 0; i < block.num_rows; ++i) {
    if (i + kAhead < block.num_rows) {
      PrefetchSlice<0>(source + kAhead * block.source_stride, block.row_bytes);
    }
    CopyLines<kStreams>(output, source, block.row_bytes);
    source += block.source_stride;
    output += block.output_stride;
  }
}

}  // namespace

void CopySlices(const CopyBlock& block) {
  if (block.fill == nullptr) {
    Copy<false>(block);
  } else {
    Copy<true>(block);
  }
}

void CopyRows(const CopyRowsBlock& block) {
  if (block.streams && IsLineAligned(block.output) &&
      (block.num_rows == 1 || block.output_stride % kLine == 0)) {
    CopyRowsAs<true>(block);
    FinishStreaming();
  } else {
    CopyRowsAs<false>(block);
  }
}

void Stream(std::byte* output, const std::byte* source, size_t bytes) {
  const size_t odd = reinterpret_cast<uintptr_t>(output) % kLine;
  const size_t head = odd == 0 ? 0 : kLine - odd;
  if (bytes < 2 * kLine) {
    if (source == nullptr) {
      std::memset(output, 0, bytes);
    } else {
      std::memcpy(output, source, bytes);
    }
    return;
  }
  if (source == nullptr) {
    static constexpr std::byte kZeros[kLine] = {};
    std::memset(output, 0, head);
    size_t at = head;
    for (; at + kLine <= bytes; at += kLine) {
      CopyLine<true>(output + at, kZeros);
    }
    std::memset(output + at, 0, bytes - at);
  } else {
    std::memcpy(output, source, head);
    CopyLines<true>(output + head, source + head, bytes - head);
  }
  FinishStreaming();
}

}  // namespace scatterd::cpu::SCATTERD_ISA
