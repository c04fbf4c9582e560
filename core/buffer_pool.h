// The pool behind Buffer::Allocate.
//
// A fresh large block costs far more than most kernels: each first touch of a
// page is a fault (docs/performance.md).  So blocks of kPooledSize bytes and
// more are mapped once, 2 MiB-aligned, advised to use huge pages, and kept for
// the next request up to a cap; smaller blocks come from the allocator.

#ifndef SCATTERD_CORE_BUFFER_POOL_H_
#define SCATTERD_CORE_BUFFER_POOL_H_

#include <cstddef>
#include <map>
#include <memory>
#include <vector>

#include "absl/base/thread_annotations.h"
#include "absl/synchronization/mutex.h"

namespace scatterd {

// Thread-safe.
class BufferPool {
 public:
  static constexpr size_t kPooledSize = size_t{1} << 20;
  static constexpr size_t kDefaultMaxCachedBytes = size_t{512} << 20;

  // The process-wide pool.  Users that may outlive main() share ownership.
  static std::shared_ptr<BufferPool> Default();

  explicit BufferPool(size_t max_cached_bytes = kDefaultMaxCachedBytes)
      : max_cached_bytes_(max_cached_bytes) {}
  ~BufferPool();

  BufferPool(const BufferPool&) = delete;
  BufferPool& operator=(const BufferPool&) = delete;

  // At least `size` > 0 bytes, aligned to kBufferAlignment; null if the system
  // has none.
  std::byte* Allocate(size_t size);

  // Takes back what Allocate(size) returned.  Blocks beyond the cap go back to
  // the system at once.
  void Release(void* data, size_t size);

  // Bytes kept for reuse now.
  size_t cached_bytes() const;

  // Returns every kept block to the system.
  void Trim();

 private:
  const size_t max_cached_bytes_;
  mutable absl::Mutex mutex_;
  size_t cached_bytes_ ABSL_GUARDED_BY(mutex_) = 0;
  // Free blocks by their size.
  std::map<size_t, std::vector<std::byte*>> free_ ABSL_GUARDED_BY(mutex_);
};

}  // namespace scatterd

#endif  // SCATTERD_CORE_BUFFER_POOL_H_
