// Elapsed time, for statistics and logs.

#ifndef SCATTERD_SERVER_STOPWATCH_H_
#define SCATTERD_SERVER_STOPWATCH_H_

#include <chrono>
#include <cstdint>

namespace scatterd {

// Runs from its construction, on a clock that never jumps.
class Stopwatch {
 public:
  uint64_t elapsed_ns() const {
    return static_cast<uint64_t>(
        std::chrono::duration_cast<std::chrono::nanoseconds>(
            std::chrono::steady_clock::now() - start_)
            .count());
  }

 private:
  std::chrono::steady_clock::time_point start_ =
      std::chrono::steady_clock::now();
};

}  // namespace scatterd

#endif  // SCATTERD_SERVER_STOPWATCH_H_
