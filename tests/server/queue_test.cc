// Deadlines, cancellation and the bounded queue.

#include <memory>

#include "core/errors.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "proto/codec.h"
#include "tests/server/gated_backend.h"
#include "tests/server/raw_client.h"
#include "tests/testing/loopback_server.h"
#include "tests/testing/status_matchers.h"
#include "tests/testing/tensor_literals.h"

namespace scatterd::test {
namespace {

using ::testing::HasSubstr;

// A server with one thread, behind a gate.
class QueueTest : public ::testing::Test {
 protected:
  static ServerOptions Options() {
    ServerOptions options;
    options.threads = 1;
    options.max_queue = 2;
    return options;
  }

  std::unique_ptr<PendingCall> Start(absl::Duration timeout = kPatience) {
    const OperatorCall call = QueuedCall();
    return std::make_unique<PendingCall>(*channel_, MethodOf(call.op),
                                         RequestOf(call), timeout);
  }

  // A call that the server answers only after it has seen all calls that were
  // started on this connection before.
  void WaitUntilSeen() {
    EXPECT_THAT(CallRaw(*channel_, MethodOf(OperatorId::kGather), ""),
                StatusIs(absl::StatusCode::kInvalidArgument));
  }

  std::shared_ptr<Gate> gate_ = std::make_shared<Gate>();
  LoopbackServer server_{Options(), std::make_unique<GatedBackend>(gate_)};
  std::shared_ptr<grpc::Channel> channel_ = NewChannel(server_.address());
};

TEST_F(QueueTest, CallThatIsCancelledWhileQueuedNeverRuns) {
  const auto running = Start();
  ASSERT_TRUE(gate_->WaitForRuns(1));
  const auto queued = Start();
  WaitUntilSeen();
  queued->Cancel();
  EXPECT_THAT(queued->Wait(), StatusIs(absl::StatusCode::kCancelled));
  WaitUntilSeen();
  gate_->Open();
  EXPECT_THAT(running->Wait(), IsOk());
  const auto last = Start();
  EXPECT_THAT(last->Wait(), IsOk());
  EXPECT_EQ(gate_->num_runs(), 2) << "the first and the last";
}

TEST_F(QueueTest, CallWhoseDeadlinePassesWhileQueuedNeverRuns) {
  const auto running = Start();
  ASSERT_TRUE(gate_->WaitForRuns(1));
  const auto queued = Start(absl::Milliseconds(50));
  EXPECT_THAT(queued->Wait(), StatusIs(absl::StatusCode::kDeadlineExceeded));
  WaitUntilSeen();
  gate_->Open();
  EXPECT_THAT(running->Wait(), IsOk());
  const auto last = Start();
  EXPECT_THAT(last->Wait(), IsOk());
  EXPECT_EQ(gate_->num_runs(), 2) << "the first and the last";
}

TEST_F(QueueTest, RunningCallStopsWhenItIsCancelled) {
  const auto running = Start();
  ASSERT_TRUE(gate_->WaitForRuns(1));
  running->Cancel();
  EXPECT_THAT(running->Wait(), StatusIs(absl::StatusCode::kCancelled));
  // The only thread is free again though the gate was never opened.
  const auto next = Start();
  EXPECT_TRUE(gate_->WaitForRuns(2));
  gate_->Open();
  EXPECT_THAT(next->Wait(), IsOk());
}

TEST_F(QueueTest, FullQueueIsResourceExhaustedWithATimeToTryAgain) {
  const auto running = Start();
  ASSERT_TRUE(gate_->WaitForRuns(1));
  const auto first = Start();
  const auto second = Start();
  WaitUntilSeen();
  const absl::Status refused = Start()->Wait().status();
  EXPECT_THAT(refused, StatusIs(absl::StatusCode::kResourceExhausted,
                                HasSubstr("max_queue")));
  EXPECT_NE(GetPayload(refused, kRetryAfterPayload), "");
  gate_->Open();
  EXPECT_THAT(running->Wait(), IsOk());
  EXPECT_THAT(first->Wait(), IsOk());
  EXPECT_THAT(second->Wait(), IsOk());
}

TEST_F(QueueTest, SmallCallsAreNotQueuedBehindLargeOnes) {
  const auto running = Start();
  ASSERT_TRUE(gate_->WaitForRuns(1));
  WaitUntilSeen();
  gate_->Open();
  EXPECT_THAT(running->Wait(), IsOk());
}

TEST_F(QueueTest, QueueTimeIsReported) {
  const auto running = Start();
  ASSERT_TRUE(gate_->WaitForRuns(1));
  const OperatorCall call = QueuedCall();
  PendingCall queued(*channel_, MethodOf(call.op), RequestOf(call));
  WaitUntilSeen();
  const absl::Time seen = absl::Now();
  const auto held = Start(absl::Milliseconds(20));
  EXPECT_THAT(held->Wait(), StatusIs(absl::StatusCode::kDeadlineExceeded));
  const absl::Duration waited = absl::Now() - seen;
  gate_->Open();
  const absl::StatusOr<std::string> reply = queued.Wait();
  ASSERT_THAT(reply, IsOk());
  const absl::string_view pieces[] = {*reply};
  const auto result = DecodeResult(pieces, ReserveAnything);
  ASSERT_THAT(result, IsOk());
  EXPECT_GE(absl::Nanoseconds(result->stats.queue_ns), waited);
  EXPECT_THAT(running->Wait(), IsOk());
}

}  // namespace
}  // namespace scatterd::test
