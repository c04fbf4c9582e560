// The conformance suite over the CPU backend, with several thread counts.

#include <cstring>
#include <memory>

#include "absl/strings/str_cat.h"
#include "core/backends/cpu/cpu_backend.h"
#include "core/backends/cpu/instruction_set.h"
#include "server/dispatcher.h"
#include "tests/backends/conformance.h"
#include "tests/testing/status_matchers.h"
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

// Sanitizers make the suite ten times slower: of all runners one that is
// serial and one in place with threads reach all the code.
#if defined(__SANITIZE_ADDRESS__) || defined(SCATTERD_TSAN)
constexpr bool kSanitized = true;
#else
constexpr bool kSanitized = false;
#endif

// The instruction sets that the other runners do not use, as far as this
// machine has them.
std::vector<Runner> InstructionSetRunners() {
  std::vector<Runner> runners;
  if (kSanitized) return runners;
  for (const InstructionSet set :
       {InstructionSet::kBaseline, InstructionSet::kAvx2}) {
    if (!SelectInstructionSet(set).ok()) continue;
    runners.push_back(
        {absl::StrCat("Isa", InstructionSetInUse()),
         [set, run = CpuRunner(2).run](const OperatorCall& call) {
           EXPECT_THAT(SelectInstructionSet(set), IsOk());
           absl::StatusOr<OperatorResult> result = run(call);
           EXPECT_THAT(SelectInstructionSet(InstructionSet::kAuto), IsOk());
           return result;
         }});
  }
  EXPECT_THAT(SelectInstructionSet(InstructionSet::kAuto), IsOk());
  return runners;
}

std::vector<Runner> Runners() {
  if (kSanitized) return {CpuRunner(1), InPlaceRunner(3)};
  return {CpuRunner(1), CpuRunner(2),     CpuRunner(3),
          CpuRunner(8), InPlaceRunner(1), InPlaceRunner(3)};
}

INSTANTIATE_TEST_SUITE_P(Cpu, Conformance, ::testing::ValuesIn(Runners()),
                         RunnerName);
INSTANTIATE_TEST_SUITE_P(Isa, Conformance,
                         ::testing::ValuesIn(InstructionSetRunners()),
                         RunnerName);

}  // namespace
}  // namespace scatterd::test
