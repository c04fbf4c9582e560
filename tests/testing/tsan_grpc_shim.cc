// Shows ThreadSanitizer the synchronisation inside libraries that were not
// compiled for it: gRPC's and Abseil's packages lock with absl::Mutex, a futex
// that TSan cannot see, so it would report every hand-over between gRPC's
// threads and ours as a race.
//
// These functions are also defined in those shared libraries.  A program's own
// definition comes first, for calls from the libraries too, so each one here
// calls the library's and says what it orders.  Mutexes are told apart; gRPC's
// completion queues are one object, which hides some races between calls and
// invents none.  Linked into the tests of a TSan build only.

#include <dlfcn.h>
#include <grpc/grpc.h>
#include <sanitizer/tsan_interface.h>

#include <cstdio>
#include <cstdlib>

#include "absl/synchronization/blocking_counter.h"
#include "absl/synchronization/mutex.h"
#include "absl/synchronization/notification.h"
#include "absl/time/time.h"

extern "C" void AnnotateIgnoreReadsBegin(const char* file, int line);
extern "C" void AnnotateIgnoreReadsEnd(const char* file, int line);

#define SCATTERD_UNSEEN __attribute__((no_sanitize("thread"), noinline))

namespace {

char grpc_queues;

// The library's definition of the function that calls this.  The caller must
// be an exported symbol: that it is proves that the shim is in effect.
SCATTERD_UNSEEN void* LibraryFunction() {
  Dl_info caller;
  void* function = nullptr;
  if (dladdr(__builtin_return_address(0), &caller) != 0 &&
      caller.dli_sname != nullptr) {
    function = dlsym(RTLD_NEXT, caller.dli_sname);
  }
  if (function == nullptr) {
    std::fputs("tsan_grpc_shim does not fit these libraries\n", stderr);
    std::abort();
  }
  return function;
}

// Abseil evaluates conditions of waiting threads wherever the mutex is
// released, after the release that TSan was told of; such reads are ordered by
// the mutex but look unordered.
class IgnoreReads {
 public:
  SCATTERD_UNSEEN IgnoreReads() { AnnotateIgnoreReadsBegin(__FILE__, 0); }
  SCATTERD_UNSEEN ~IgnoreReads() { AnnotateIgnoreReadsEnd(__FILE__, 0); }
};

}  // namespace

// SCATTERD_LIBRARY(result, object, parameter types...): `real`, the library's
// definition of the enclosing function.
#define SCATTERD_LIBRARY(result, ...)   \
  using Real = result (*)(__VA_ARGS__); \
  static const Real real = reinterpret_cast<Real>(LibraryFunction())

namespace absl {
ABSL_NAMESPACE_BEGIN

SCATTERD_UNSEEN void Mutex::Lock() {
  SCATTERD_LIBRARY(void, Mutex*);
  real(this);
  __tsan_acquire(this);
}

SCATTERD_UNSEEN void Mutex::Unlock() {
  SCATTERD_LIBRARY(void, Mutex*);
  __tsan_release(this);
  IgnoreReads ignore;
  real(this);
}

SCATTERD_UNSEEN bool Mutex::TryLock() {
  SCATTERD_LIBRARY(bool, Mutex*);
  const bool locked = real(this);
  if (locked) __tsan_acquire(this);
  return locked;
}

SCATTERD_UNSEEN void Mutex::ReaderLock() {
  SCATTERD_LIBRARY(void, Mutex*);
  real(this);
  __tsan_acquire(this);
}

SCATTERD_UNSEEN void Mutex::ReaderUnlock() {
  SCATTERD_LIBRARY(void, Mutex*);
  __tsan_release(this);
  IgnoreReads ignore;
  real(this);
}

SCATTERD_UNSEEN void Mutex::LockWhen(const Condition& condition) {
  SCATTERD_LIBRARY(void, Mutex*, const Condition&);
  {
    IgnoreReads ignore;
    real(this, condition);
  }
  __tsan_acquire(this);
}

SCATTERD_UNSEEN void Mutex::Await(const Condition& condition) {
  SCATTERD_LIBRARY(void, Mutex*, const Condition&);
  __tsan_release(this);
  {
    IgnoreReads ignore;
    real(this, condition);
  }
  __tsan_acquire(this);
}

SCATTERD_UNSEEN bool Mutex::AwaitWithTimeout(const Condition& condition,
                                             Duration timeout) {
  SCATTERD_LIBRARY(bool, Mutex*, const Condition&, Duration);
  __tsan_release(this);
  bool met;
  {
    IgnoreReads ignore;
    met = real(this, condition, timeout);
  }
  __tsan_acquire(this);
  return met;
}

SCATTERD_UNSEEN bool Mutex::AwaitWithDeadline(const Condition& condition,
                                              Time deadline) {
  SCATTERD_LIBRARY(bool, Mutex*, const Condition&, Time);
  __tsan_release(this);
  bool met;
  {
    IgnoreReads ignore;
    met = real(this, condition, deadline);
  }
  __tsan_acquire(this);
  return met;
}

SCATTERD_UNSEEN void CondVar::Wait(Mutex* mutex) {
  SCATTERD_LIBRARY(void, CondVar*, Mutex*);
  __tsan_release(mutex);
  real(this, mutex);
  __tsan_acquire(mutex);
}

SCATTERD_UNSEEN bool CondVar::WaitWithTimeout(Mutex* mutex, Duration timeout) {
  SCATTERD_LIBRARY(bool, CondVar*, Mutex*, Duration);
  __tsan_release(mutex);
  const bool timed_out = real(this, mutex, timeout);
  __tsan_acquire(mutex);
  return timed_out;
}

SCATTERD_UNSEEN bool CondVar::WaitWithDeadline(Mutex* mutex, Time deadline) {
  SCATTERD_LIBRARY(bool, CondVar*, Mutex*, Time);
  __tsan_release(mutex);
  const bool timed_out = real(this, mutex, deadline);
  __tsan_acquire(mutex);
  return timed_out;
}

SCATTERD_UNSEEN void Notification::Notify() {
  SCATTERD_LIBRARY(void, Notification*);
  __tsan_release(this);
  real(this);
}

SCATTERD_UNSEEN void Notification::WaitForNotification() const {
  SCATTERD_LIBRARY(void, const Notification*);
  real(this);
  __tsan_acquire(const_cast<Notification*>(this));
}

SCATTERD_UNSEEN bool Notification::WaitForNotificationWithTimeout(
    Duration timeout) const {
  SCATTERD_LIBRARY(bool, const Notification*, Duration);
  const bool notified = real(this, timeout);
  if (notified) __tsan_acquire(const_cast<Notification*>(this));
  return notified;
}

SCATTERD_UNSEEN bool BlockingCounter::DecrementCount() {
  SCATTERD_LIBRARY(bool, BlockingCounter*);
  __tsan_release(this);
  return real(this);
}

SCATTERD_UNSEEN void BlockingCounter::Wait() {
  SCATTERD_LIBRARY(void, BlockingCounter*);
  real(this);
  __tsan_acquire(this);
}

ABSL_NAMESPACE_END
}  // namespace absl

extern "C" {

SCATTERD_UNSEEN grpc_event grpc_completion_queue_next(
    grpc_completion_queue* queue, gpr_timespec deadline, void* reserved) {
  SCATTERD_LIBRARY(grpc_event, grpc_completion_queue*, gpr_timespec, void*);
  __tsan_release(&grpc_queues);
  const grpc_event event = real(queue, deadline, reserved);
  __tsan_acquire(&grpc_queues);
  return event;
}

SCATTERD_UNSEEN grpc_event
grpc_completion_queue_pluck(grpc_completion_queue* queue, void* tag,
                            gpr_timespec deadline, void* reserved) {
  SCATTERD_LIBRARY(grpc_event, grpc_completion_queue*, void*, gpr_timespec,
                   void*);
  __tsan_release(&grpc_queues);
  const grpc_event event = real(queue, tag, deadline, reserved);
  __tsan_acquire(&grpc_queues);
  return event;
}

SCATTERD_UNSEEN grpc_call_error grpc_call_start_batch(grpc_call* call,
                                                      const grpc_op* ops,
                                                      size_t num_ops, void* tag,
                                                      void* reserved) {
  SCATTERD_LIBRARY(grpc_call_error, grpc_call*, const grpc_op*, size_t, void*,
                   void*);
  __tsan_release(&grpc_queues);
  const grpc_call_error error = real(call, ops, num_ops, tag, reserved);
  __tsan_acquire(&grpc_queues);
  return error;
}

}  // extern "C"
