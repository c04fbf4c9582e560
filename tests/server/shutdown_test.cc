// How a server ends while it is used.

#include <atomic>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/server/gated_backend.h"
#include "tests/server/raw_client.h"
#include "tests/server/watchdog.h"
#include "tests/testing/loopback_server.h"
#include "tests/testing/status_matchers.h"
#include "tests/testing/tensor_literals.h"

namespace scatterd::test {
namespace {

constexpr absl::Duration kLimit = absl::Minutes(2);

ServerOptions OneThread() {
  ServerOptions options;
  options.threads = 1;
  return options;
}

TEST(Shutdown, RunningAndQueuedCallsFinishWhileNewOnesAreRefused) {
  const auto gate = std::make_shared<Gate>();
  LoopbackServer server(OneThread(), std::make_unique<GatedBackend>(gate));
  const auto channel = NewChannel(server.address());
  const OperatorCall call = QueuedCall();
  PendingCall running(*channel, MethodOf(call.op), RequestOf(call));
  PendingCall queued(*channel, MethodOf(call.op), RequestOf(call));
  ASSERT_TRUE(gate->WaitForRuns(1));
  // Both have been seen when this one is answered.
  EXPECT_THAT(CallRaw(*channel, MethodOf(OperatorId::kGather), ""),
              StatusIs(absl::StatusCode::kInvalidArgument));

  const Watchdog watchdog("draining", kLimit);
  std::thread stopper([&] { server.server().Stop(absl::Hours(1)); });
  absl::Status refused;
  do {
    const auto other = NewChannel(server.address());
    refused = CallRaw(*other, MethodOf(OperatorId::kGather), "").status();
  } while (refused.code() == absl::StatusCode::kInvalidArgument);
  EXPECT_THAT(refused, StatusIs(absl::StatusCode::kUnavailable));

  gate->Open();
  EXPECT_THAT(running.Wait(), IsOk());
  EXPECT_THAT(queued.Wait(), IsOk());
  stopper.join();
}

TEST(Shutdown, CallsThatDoNotFinishInTimeAreCancelled) {
  const auto gate = std::make_shared<Gate>();
  LoopbackServer server(OneThread(), std::make_unique<GatedBackend>(gate));
  const auto channel = NewChannel(server.address());
  const OperatorCall call = QueuedCall();
  PendingCall running(*channel, MethodOf(call.op), RequestOf(call));
  PendingCall queued(*channel, MethodOf(call.op), RequestOf(call));
  ASSERT_TRUE(gate->WaitForRuns(1));
  const Watchdog watchdog("Stop with calls that never end", kLimit);
  server.server().Stop(absl::Milliseconds(50));
  EXPECT_FALSE(running.Wait().ok());
  EXPECT_FALSE(queued.Wait().ok());
  EXPECT_EQ(gate->num_runs(), 1) << "the queued call never ran";
}

TEST(Shutdown, StoppingTwiceIsStoppingOnce) {
  LoopbackServer server;
  const Watchdog watchdog("stopping twice", kLimit);
  server.server().Stop(absl::ZeroDuration());
  server.server().Stop(absl::Hours(1));
}

TEST(Shutdown, ServerThatWasNeverUsedStops) {
  const Watchdog watchdog("starting and stopping", kLimit);
  for (int i = 0; i < 10; ++i) LoopbackServer server;
}

// Clients that send every kind of call, cancel half of them, and go on until
// told to stop.
class Storm {
 public:
  Storm(const std::string& address, int num_clients) {
    for (int i = 0; i < num_clients; ++i) {
      clients_.emplace_back([this, address, i] { Run(address, i); });
    }
  }
  ~Storm() {
    over_ = true;
    for (std::thread& client : clients_) client.join();
  }

  int num_calls() const { return num_calls_; }

 private:
  void Run(const std::string& address, int client) {
    const auto channel = NewChannel(address);
    const OperatorCall small =
        GatherCall(Full<float>({8}, 1), Indices({1}, {3}));
    const OperatorCall queued = QueuedCall();
    const OperatorCall large =
        GatherCall(Full<float>({1 << 18}, 1), Indices({1}, {3}));
    const OperatorCall* const calls[] = {&small, &queued, &large};
    for (int i = client; !over_; ++i) {
      const OperatorCall& call = *calls[i % 3];
      PendingCall pending(*channel, MethodOf(call.op), RequestOf(call),
                          absl::Seconds(5));
      if (i % 2 == 0) pending.Cancel();
      pending.Wait().IgnoreError();
      ++num_calls_;
    }
  }

  std::atomic<bool> over_{false};
  std::atomic<int> num_calls_{0};
  std::vector<std::thread> clients_;
};

TEST(Shutdown, EndsWhileManyClientsCallAndCancel) {
  const Watchdog watchdog("shutdown under cancellation", kLimit);
  for (int round = 0; round < 10; ++round) {
    ServerOptions options;
    options.threads = 2;
    options.max_queue = 4;
    LoopbackServer server(options);
    const Storm storm(server.address(), 8);
    while (storm.num_calls() < 50) std::this_thread::yield();
    server.server().Stop(absl::Milliseconds(round % 2 == 0 ? 0 : 20));
  }
}

}  // namespace
}  // namespace scatterd::test
