// The conformance suite over the CPU backend, with several thread counts.

#include <cstring>
#include <memory>

#include "absl/strings/str_cat.h"
#include "core/backends/cpu/cpu_backend.h"
#include "server/dispatcher.h"
#include "tests/backends/conformance.h"
#include "tests/testing/tensor_literals.h"

namespace scatterd::test {
namespace {

// A dispatcher and all it needs.
struct Engine {
  explicit Engine(int num_threads)
      : pool(num_threads, Pinning::kOff), dispatcher(*backend, pool, {}) {}

  absl::StatusOr<OperatorResult> Run(OperatorCall call) {
    absl::StatusOr<Ticket> ticket = admission.Acquire(1);
    if (!ticket.ok()) return ticket.status();
    return dispatcher.Dispatch(std::move(call), Cancellation(), *ticket, 0);
  }

  std::unique_ptr<Backend> backend = MakeCpuBackend();
  ThreadPool pool;
  Admission admission{uint64_t{1} << 33};
  Dispatcher dispatcher;
};

// Data that nobody else refers to, so that a scatter may work in place.
OperatorCall WithOwnData(OperatorCall call) {
  auto* data = std::get_if<Tensor>(&call.data);
  if (data == nullptr) return call;
  Tensor copy = ValueOrDie(
      Tensor::CopyFrom(data->spec(), data->bytes(), data->byte_size()));
  copy.ShareBlobs(*data);
  *data = std::move(copy);
  return call;
}

Runner CpuRunner(int num_threads) {
  return {absl::StrCat("Threads", num_threads),
          [engine = std::make_shared<Engine>(num_threads)](
              const OperatorCall& call) { return engine->Run(call); }};
}

Runner InPlaceRunner(int num_threads) {
  return {
      absl::StrCat("InPlaceThreads", num_threads),
      [engine = std::make_shared<Engine>(num_threads)](
          const OperatorCall& call) { return engine->Run(WithOwnData(call)); }};
}

// Sanitizers make the suite several times slower: fewer runners, with threads.
std::vector<Runner> Runners() {
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
  return {CpuRunner(2), InPlaceRunner(3)};
#else
  return {CpuRunner(1), CpuRunner(2),     CpuRunner(3),
          CpuRunner(8), InPlaceRunner(1), InPlaceRunner(3)};
#endif
}

INSTANTIATE_TEST_SUITE_P(Cpu, Conformance, ::testing::ValuesIn(Runners()),
                         RunnerName);

}  // namespace
}  // namespace scatterd::test
