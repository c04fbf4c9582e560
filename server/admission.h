// Admission: how many bytes the calls in flight may hold.
//
// Every call takes a Ticket for the bytes of its message before the message is
// decoded, grows it before each further allocation (operands, output), and
// gives it back when its reply has been sent.  Whoever does not fit is refused
// at once: waiting here would hold the very bytes that are short.

#ifndef SCATTERD_SERVER_ADMISSION_H_
#define SCATTERD_SERVER_ADMISSION_H_

#include <cstdint>

#include "absl/base/thread_annotations.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/synchronization/mutex.h"
#include "absl/time/time.h"

namespace scatterd {

class Admission;

// A call's share of the bytes in flight.  Move-only; gives everything back
// when it goes.  Not thread-safe: one call, one thread at a time.  The
// Admission must outlive it.
class Ticket {
 public:
  // Holds nothing; Grow is not allowed.
  Ticket() = default;
  Ticket(Ticket&& other) noexcept;
  Ticket& operator=(Ticket&& other) noexcept;
  ~Ticket() { Release(); }

  // Adds `bytes`.  RESOURCE_EXHAUSTED naming --max_inflight_bytes; the ticket
  // is then unchanged.
  absl::Status Grow(uint64_t bytes);

  // Gives back `bytes` <= bytes(): what they stood for is freed.
  void Shrink(uint64_t bytes);

  // Gives everything back; the ticket then holds nothing.
  void Release();

  uint64_t bytes() const { return bytes_; }

 private:
  friend class Admission;
  Ticket(Admission* admission, uint64_t bytes)
      : admission_(admission), bytes_(bytes) {}

  Admission* admission_ = nullptr;
  uint64_t bytes_ = 0;
};

// Thread-safe.
class Admission {
 public:
  explicit Admission(uint64_t max_inflight_bytes)
      : max_inflight_bytes_(max_inflight_bytes) {}

  Admission(const Admission&) = delete;
  Admission& operator=(const Admission&) = delete;

  // A ticket for `bytes`.  RESOURCE_EXHAUSTED naming --max_inflight_bytes,
  // with a time to try again where waiting can help; UNAVAILABLE while
  // draining.
  absl::StatusOr<Ticket> Acquire(uint64_t bytes);

  // From now on Acquire answers UNAVAILABLE; tickets that are out may grow.
  void StartDraining();

  // Waits until no ticket is out.  False if that took longer than `timeout`.
  bool WaitUntilIdle(absl::Duration timeout);

  uint64_t inflight_bytes() const;
  int64_t num_tickets() const;

 private:
  friend class Ticket;

  absl::Status Refusal(uint64_t bytes, uint64_t held) const
      ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  absl::Status Grow(uint64_t held, uint64_t bytes);
  void Shrink(uint64_t bytes);
  void Release(uint64_t bytes);
  bool idle() const ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_) {
    return num_tickets_ == 0;
  }

  const uint64_t max_inflight_bytes_;
  mutable absl::Mutex mutex_;
  bool draining_ ABSL_GUARDED_BY(mutex_) = false;
  uint64_t inflight_bytes_ ABSL_GUARDED_BY(mutex_) = 0;
  int64_t num_tickets_ ABSL_GUARDED_BY(mutex_) = 0;
};

}  // namespace scatterd

#endif  // SCATTERD_SERVER_ADMISSION_H_
