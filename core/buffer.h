// Buffers: memory that travels with its release.

#ifndef SCATTERD_CORE_BUFFER_H_
#define SCATTERD_CORE_BUFFER_H_

#include <cstddef>
#include <functional>
#include <memory>

#include "absl/status/statusor.h"

namespace scatterd {

// Every Buffer that Allocate returns starts at a multiple of this.
inline constexpr size_t kBufferAlignment = 64;

// Reference-counted bytes.  Copies share the bytes; the last copy to go
// releases them.  The reference count is thread-safe; the bytes follow the
// usual rule (many readers, or one writer).
class Buffer {
 public:
  // No bytes: data() is null, size() is 0.
  Buffer() = default;

  // Uninitialised memory from the process-wide pool, kBufferAlignment-aligned;
  // large buffers are 2 MiB-aligned and backed by huge pages where the system
  // has them.  RESOURCE_EXHAUSTED if the system has no memory.
  static absl::StatusOr<Buffer> Allocate(size_t size);

  // The same, filled with zeros.
  static absl::StatusOr<Buffer> AllocateZeroed(size_t size);

  // Borrows `size` read-only bytes at `data`.  `release`, which may be null,
  // is called once when the last reference goes, on whichever thread that is;
  // it must not throw or block.
  static Buffer Wrap(const void* data, size_t size,
                     std::function<void()> release);

  const std::byte* data() const { return data_; }
  size_t size() const { return size_; }

  // The bytes for writing.  Allowed while the owner knows that nobody else
  // reads or writes them; not for wrapped Buffers.
  std::byte* mutable_data() { return const_cast<std::byte*>(data_); }

  // True if this is the only reference to memory that Allocate returned, so
  // that the holder may write to it.
  bool unique() const { return writable_ && block_.use_count() == 1; }

 private:
  Buffer(const std::byte* data, size_t size, std::shared_ptr<void> block,
         bool writable)
      : data_(data),
        size_(size),
        block_(std::move(block)),
        writable_(writable) {}

  const std::byte* data_ = nullptr;
  size_t size_ = 0;
  std::shared_ptr<void> block_;
  bool writable_ = false;
};

}  // namespace scatterd

#endif  // SCATTERD_CORE_BUFFER_H_
