// Scratch for one run: rows of index positions.

#ifndef SCATTERD_CORE_BACKENDS_CPU_SCRATCH_H_
#define SCATTERD_CORE_BACKENDS_CPU_SCRATCH_H_

#include <cstdint>
#include <utility>

#include "absl/status/status.h"
#include "core/buffer.h"
#include "core/status_macros.h"

namespace scatterd::cpu {

// An uninitialised array of int64_t that needs no allocation while it is
// small.
class RowScratch {
 public:
  RowScratch() = default;
  RowScratch(const RowScratch&) = delete;
  RowScratch& operator=(const RowScratch&) = delete;

  absl::Status Resize(int64_t size) {
    if (size <= kInline) return absl::OkStatus();
    SCATTERD_ASSIGN_OR_RETURN(
        buffer_, Buffer::Allocate(static_cast<size_t>(size) * sizeof(int64_t)));
    data_ = reinterpret_cast<int64_t*>(buffer_.mutable_data());
    return absl::OkStatus();
  }

  int64_t* data() { return data_; }
  const int64_t* data() const { return data_; }

 private:
  static constexpr int64_t kInline = 256;

  int64_t inline_[kInline];
  Buffer buffer_;
  int64_t* data_ = inline_;
};

}  // namespace scatterd::cpu

#endif  // SCATTERD_CORE_BACKENDS_CPU_SCRATCH_H_
