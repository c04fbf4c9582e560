#ifndef SCATTERD_CLIENT_CANCEL_REGISTRATION_H_
#define SCATTERD_CLIENT_CANCEL_REGISTRATION_H_

#include <cstdint>
#include <functional>
#include <memory>

#include "scatterd/client.h"

namespace scatterd {

// One call's entry in its Canceller.  Thread-compatible.
class CancelRegistration {
 public:
  CancelRegistration() = default;

  // `on_cancel` runs at most once: at Canceller::Cancel, or here if that has
  // been called already.  It must not block or touch the Canceller.
  // `canceller` may be null.
  CancelRegistration(std::shared_ptr<Canceller> canceller,
                     std::function<void()> on_cancel);

  ~CancelRegistration() { Reset(); }

  CancelRegistration(CancelRegistration&& other) noexcept;
  CancelRegistration& operator=(CancelRegistration&& other) noexcept;

  // `on_cancel` is not running and will not run any more.
  void Reset();

 private:
  std::shared_ptr<Canceller> canceller_;
  uint64_t id_ = 0;
};

}  // namespace scatterd

#endif  // SCATTERD_CLIENT_CANCEL_REGISTRATION_H_
