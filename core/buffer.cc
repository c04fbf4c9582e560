#include "core/buffer.h"

#include <cstring>
#include <utility>

#include "core/buffer_pool.h"

namespace scatterd {

absl::StatusOr<Buffer> Buffer::Allocate(size_t size) {
  if (size == 0) return Buffer();
  const std::shared_ptr<BufferPool> pool = BufferPool::Default();
  std::byte* data = pool->Allocate(size);
  if (data == nullptr) {
    return absl::ResourceExhaustedError("out of memory");
  }
  // The deleter holds the pool: buffers may outlive every other user of it.
  std::shared_ptr<void> block(
      data, [pool, size](void* p) { pool->Release(p, size); });
  return Buffer(data, size, std::move(block), /*writable=*/true);
}

absl::StatusOr<Buffer> Buffer::AllocateZeroed(size_t size) {
  absl::StatusOr<Buffer> buffer = Allocate(size);
  if (buffer.ok() && size != 0) {
    std::memset(buffer->mutable_data(), 0, size);
  }
  return buffer;
}

Buffer Buffer::Wrap(const void* data, size_t size,
                    std::function<void()> release) {
  std::shared_ptr<void> block(const_cast<void*>(data),
                              [release = std::move(release)](void*) {
                                if (release) release();
                              });
  return Buffer(static_cast<const std::byte*>(data), size, std::move(block),
                /*writable=*/false);
}

}  // namespace scatterd
