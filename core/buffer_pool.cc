#include "core/buffer_pool.h"

#include <sys/mman.h>

#include <bit>
#include <cstdint>
#include <cstdlib>

#include "core/buffer.h"

namespace scatterd {
namespace {

constexpr size_t kHugePage = size_t{2} << 20;

// No process has more memory than it has addresses; allocators may treat such
// a request as a mistake of the program's.
constexpr size_t kAddressSpace = size_t{1} << 47;

#if defined(__SANITIZE_ADDRESS__)
// A recycled block would hide reads past its end from AddressSanitizer.
constexpr bool kPoolLargeBlocks = false;
#else
constexpr bool kPoolLargeBlocks = true;
#endif

bool IsPooled(size_t size) {
  return kPoolLargeBlocks && size >= BufferPool::kPooledSize;
}

// Four classes for each power of two, so that at most a fifth is wasted and
// requests of nearly equal size share blocks.
size_t ClassSize(size_t size) {
  const size_t step = std::bit_floor(size) / 4;
  return (size + step - 1) / step * step;
}

std::byte* Map(size_t size) {
  const size_t reserved = size + kHugePage;
  void* mapped = mmap(nullptr, reserved, PROT_READ | PROT_WRITE,
                      MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (mapped == MAP_FAILED) return nullptr;
  // Keep the aligned middle only.
  const auto begin = reinterpret_cast<uintptr_t>(mapped);
  const uintptr_t aligned = (begin + kHugePage - 1) / kHugePage * kHugePage;
  if (aligned != begin) munmap(mapped, aligned - begin);
  const uintptr_t tail = aligned + size;
  if (tail != begin + reserved) {
    munmap(reinterpret_cast<void*>(tail), begin + reserved - tail);
  }
  auto* data = reinterpret_cast<std::byte*>(aligned);
  madvise(data, size, MADV_HUGEPAGE);  // advice: failure changes only speed
  return data;
}

}  // namespace

std::shared_ptr<BufferPool> BufferPool::Default() {
  static const std::shared_ptr<BufferPool> pool =
      std::make_shared<BufferPool>();
  return pool;
}

BufferPool::~BufferPool() { Trim(); }

std::byte* BufferPool::Allocate(size_t size) {
  if (size > kAddressSpace) return nullptr;
  if (!IsPooled(size)) {
    const size_t rounded =
        (size + kBufferAlignment - 1) / kBufferAlignment * kBufferAlignment;
    return static_cast<std::byte*>(
        std::aligned_alloc(kBufferAlignment, rounded));
  }
  const size_t class_size = ClassSize(size);
  {
    absl::MutexLock lock(&mutex_);
    const auto it = free_.find(class_size);
    if (it != free_.end() && !it->second.empty()) {
      std::byte* data = it->second.back();
      it->second.pop_back();
      cached_bytes_ -= class_size;
      return data;
    }
  }
  return Map(class_size);
}

void BufferPool::Release(void* data, size_t size) {
  if (!IsPooled(size)) {
    std::free(data);
    return;
  }
  const size_t class_size = ClassSize(size);
  {
    absl::MutexLock lock(&mutex_);
    if (cached_bytes_ + class_size <= max_cached_bytes_) {
      free_[class_size].push_back(static_cast<std::byte*>(data));
      cached_bytes_ += class_size;
      return;
    }
  }
  munmap(data, class_size);
}

size_t BufferPool::cached_bytes() const {
  absl::MutexLock lock(&mutex_);
  return cached_bytes_;
}

void BufferPool::Trim() {
  absl::MutexLock lock(&mutex_);
  for (auto& [class_size, blocks] : free_) {
    for (std::byte* data : blocks) munmap(data, class_size);
  }
  free_.clear();
  cached_bytes_ = 0;
}

}  // namespace scatterd
