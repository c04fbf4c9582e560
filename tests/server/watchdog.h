// Ends the program if something takes too long.

#ifndef SCATTERD_TESTS_SERVER_WATCHDOG_H_
#define SCATTERD_TESTS_SERVER_WATCHDOG_H_

#include <string>
#include <thread>

#include "absl/synchronization/notification.h"
#include "absl/time/time.h"

namespace scatterd::test {

// Aborts with `what` unless it is destroyed before `limit` has passed: for
// code whose failure is to hang.
class Watchdog {
 public:
  Watchdog(std::string what, absl::Duration limit);
  ~Watchdog();

 private:
  absl::Notification done_;
  std::thread thread_;
};

}  // namespace scatterd::test

#endif  // SCATTERD_TESTS_SERVER_WATCHDOG_H_
