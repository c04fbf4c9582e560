#include "core/backends/cpu/copy_kernels.h"

#include <cstring>

namespace scatterd::cpu {
namespace {

// How many rows ahead the source is fetched.
constexpr int64_t kPrefetchDistance = 16;

void FillSlice(const CopyBlock& block, int64_t i) {
  FillElements(block.output + static_cast<size_t>(i) * block.slice_bytes,
               block.slice_bytes, block.fill, block.fill_bytes);
}

template <size_t kWidth>
void CopyFixed(const CopyBlock& block) {
  for (int64_t i = 0; i < block.count; ++i) {
    const int64_t row = block.rows[i];
    if (row < 0) {
      FillSlice(block, i);
      continue;
    }
    std::memcpy(block.output + static_cast<size_t>(i) * kWidth,
                block.source + static_cast<size_t>(row) * kWidth, kWidth);
  }
}

void Prefetch(const CopyBlock& block, int64_t i) {
  const int64_t ahead = i + kPrefetchDistance;
  if (ahead >= block.count || block.rows[ahead] < 0) return;
  const std::byte* slice =
      block.source + static_cast<size_t>(block.rows[ahead]) * block.slice_bytes;
  const size_t bytes = block.slice_bytes < 1024 ? block.slice_bytes : 1024;
  for (size_t line = 0; line < bytes; line += 64) {
    __builtin_prefetch(slice + line);
  }
}

void CopyAny(const CopyBlock& block) {
  for (int64_t i = 0; i < block.count; ++i) {
    Prefetch(block, i);
    const int64_t row = block.rows[i];
    if (row < 0) {
      FillSlice(block, i);
      continue;
    }
    std::memcpy(block.output + static_cast<size_t>(i) * block.slice_bytes,
                block.source + static_cast<size_t>(row) * block.slice_bytes,
                block.slice_bytes);
  }
}

}  // namespace

void CopySlices(const CopyBlock& block) {
  switch (block.slice_bytes) {
    case 1:
      return CopyFixed<1>(block);
    case 2:
      return CopyFixed<2>(block);
    case 4:
      return CopyFixed<4>(block);
    case 8:
      return CopyFixed<8>(block);
    case 16:
      return CopyFixed<16>(block);
    case 32:
      return CopyFixed<32>(block);
    case 64:
      return CopyFixed<64>(block);
    default:
      return CopyAny(block);
  }
}

void FillElements(std::byte* output, size_t bytes, const std::byte* element,
                  size_t element_bytes) {
  for (size_t at = 0; at < bytes; at += element_bytes) {
    std::memcpy(output + at, element, element_bytes);
  }
}

void CopyBytes(ThreadPool& pool, RunState& state, const std::byte* source,
               std::byte* output, size_t bytes) {
  const auto count = static_cast<int64_t>(bytes);
  ForEachRange(pool, state, count, GrainFor(pool, count, 1), count,
               [&](int64_t begin, int64_t end) {
                 const auto size = static_cast<size_t>(end - begin);
                 if (source == nullptr) {
                   std::memset(output + begin, 0, size);
                 } else {
                   std::memcpy(output + begin, source + begin, size);
                 }
               });
}

}  // namespace scatterd::cpu
