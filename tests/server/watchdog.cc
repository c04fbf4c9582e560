#include "tests/server/watchdog.h"

#include <cstdlib>
#include <iostream>
#include <utility>

namespace scatterd::test {

Watchdog::Watchdog(std::string what, absl::Duration limit)
    : thread_([this, what = std::move(what), limit] {
        if (done_.WaitForNotificationWithTimeout(limit)) return;
        std::cerr << "watchdog: " << what << " took more than " << limit
                  << std::endl;
        std::abort();
      }) {}

Watchdog::~Watchdog() {
  done_.Notify();
  thread_.join();
}

}  // namespace scatterd::test
