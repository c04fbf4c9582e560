// Retries, deadlines, cancellation, and when a call's memory is free again.

#include <atomic>
#include <chrono>
#include <cstdint>
#include <memory>
#include <string>
#include <thread>
#include <utility>
#include <variant>
#include <vector>

#include "absl/synchronization/blocking_counter.h"
#include "absl/synchronization/notification.h"
#include "absl/time/clock.h"
#include "core/errors.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "scatterd/client.h"
#include "tests/client/client_fixtures.h"
#include "tests/client/stub_server.h"
#include "tests/testing/status_matchers.h"
#include "tests/testing/tensor_literals.h"
#include "tests/testing/tensor_matchers.h"

namespace scatterd {
namespace {

using ::scatterd::test::CallAs;
using ::scatterd::test::Connect;
using ::scatterd::test::DecodeRequest;
using ::scatterd::test::EchoData;
using ::scatterd::test::EqualsTensor;
using ::scatterd::test::Form;
using ::scatterd::test::GatherCall;
using ::scatterd::test::Indices;
using ::scatterd::test::IsOk;
using ::scatterd::test::StatusIs;
using ::scatterd::test::StubReply;
using ::scatterd::test::StubRequest;
using ::scatterd::test::StubServer;
using ::scatterd::test::TensorOf;

constexpr size_t kLargeBytes = size_t{32} << 20;

OperatorCall SmallCall() {
  return GatherCall(TensorOf<float>({1}, {1}), Indices({1}, {0}));
}

// Memory that tells whether anything still refers to it.
class WatchedMemory {
 public:
  explicit WatchedMemory(size_t size) : bytes_(size, 'x') {}

  // A call whose data is this memory.
  OperatorCall Call() {
    released_ = std::make_shared<std::atomic<bool>>(false);
    const Buffer buffer =
        Buffer::Wrap(bytes_.data(), bytes_.size(),
                     [released = released_] { *released = true; });
    const TensorSpec spec{DType::kUInt8, {static_cast<int64_t>(bytes_.size())}};
    return GatherCall(*Tensor::FromBuffer(spec, buffer), Indices({1}, {0}));
  }

  bool released() const { return *released_; }

 private:
  std::string bytes_;
  std::shared_ptr<std::atomic<bool>> released_;
};

// Answers like EchoData, but fails the first requests.
class Failing {
 public:
  Failing(int num_failures, absl::Status status)
      : num_failures_(num_failures), status_(std::move(status)) {}

  StubReply operator()(const StubRequest& request) {
    if (++num_requests_ <= num_failures_) return status_;
    return EchoData(request);
  }

  int num_requests() const { return num_requests_; }

 private:
  const int num_failures_;
  const absl::Status status_;
  std::atomic<int> num_requests_{0};
};

ClientOptions FastRetries(int max_attempts = 4) {
  ClientOptions options;
  options.retry.max_attempts = max_attempts;
  options.retry.initial_backoff = absl::Milliseconds(1);
  return options;
}

ClientOptions HourlyRetries() {
  ClientOptions options;
  options.retry.initial_backoff = absl::Hours(1);
  options.retry.max_backoff = absl::Hours(1);
  return options;
}

class CallForms : public testing::TestWithParam<Form> {
 protected:
  absl::StatusOr<OperatorResult> Call(Client& client, const OperatorCall& call,
                                      const CallOptions& options = {}) {
    return CallAs(GetParam(), client, call, options);
  }
};

INSTANTIATE_TEST_SUITE_P(Client, CallForms,
                         testing::Values(Form::kSync, Form::kAsync),
                         [](const auto& form) {
                           return test::FormName(form.param);
                         });

TEST_P(CallForms, LargeRequestsAreSentAgainAfterUnavailable) {
  Failing handler(2, absl::UnavailableError("draining"));
  StubServer server(std::ref(handler));
  const auto client = Connect(server, FastRetries());
  const Tensor data = test::Iota<int32_t>({kLargeBytes / sizeof(int32_t)});
  const absl::StatusOr<OperatorResult> result =
      Call(*client, GatherCall(data, Indices({1}, {0})));
  ASSERT_THAT(result, IsOk());
  EXPECT_THAT(*result->output, EqualsTensor(data));
  EXPECT_EQ(handler.num_requests(), 3);
}

TEST_P(CallForms, TheLastErrorIsReportedAfterAllAttempts) {
  Failing handler(100, absl::UnavailableError("draining"));
  StubServer server(std::ref(handler));
  EXPECT_THAT(
      Call(*Connect(server, FastRetries(3)), SmallCall()),
      StatusIs(absl::StatusCode::kUnavailable, std::string("draining")));
  EXPECT_EQ(handler.num_requests(), 3);
}

TEST_P(CallForms, RefusedRequestsAreNotRepeated) {
  Failing handler(100, absl::OutOfRangeError("gather: C4: no"));
  StubServer server(std::ref(handler));
  EXPECT_THAT(Call(*Connect(server, FastRetries()), SmallCall()),
              StatusIs(absl::StatusCode::kOutOfRange));
  EXPECT_EQ(handler.num_requests(), 1);
}

TEST_P(CallForms, ALimitIsRetriedWhenTheServerSaysWhen) {
  Failing handler(1, LimitError("max_queue", 2, 1, /*retry_after_ms=*/50));
  StubServer server(std::ref(handler));
  const auto begin = std::chrono::steady_clock::now();
  EXPECT_THAT(Call(*Connect(server, FastRetries()), SmallCall()), IsOk());
  EXPECT_GE(std::chrono::steady_clock::now() - begin,
            std::chrono::milliseconds(50));
  EXPECT_EQ(handler.num_requests(), 2);
}

TEST_P(CallForms, ALimitIsFinalOtherwise) {
  Failing handler(1, LimitError("max_message_bytes", 2, 1));
  StubServer server(std::ref(handler));
  EXPECT_THAT(Call(*Connect(server, FastRetries()), SmallCall()),
              StatusIs(absl::StatusCode::kResourceExhausted));
  EXPECT_EQ(handler.num_requests(), 1);
}

TEST_P(CallForms, UpdatesOfResidentTensorsAreRepeatedOnlyWithAKey) {
  Failing handler(1, absl::UnavailableError("draining"));
  StubServer server(std::ref(handler));
  const auto client = Connect(server, FastRetries());
  OperatorCall call = SmallCall();
  call.output = ResidentTarget{.name = "t"};
  EXPECT_THAT(Call(*client, call), StatusIs(absl::StatusCode::kUnavailable));
  EXPECT_EQ(handler.num_requests(), 1);

  Failing handler_with_key(1, absl::UnavailableError("draining"));
  StubServer other_server(std::ref(handler_with_key));
  call.options.idempotency_key = "k";
  EXPECT_THAT(Call(*Connect(other_server, FastRetries()), call), IsOk());
  EXPECT_EQ(handler_with_key.num_requests(), 2);
}

TEST_P(CallForms, NoRetryIsAwaitedPastTheDeadline) {
  Failing handler(100, absl::UnavailableError("draining"));
  StubServer server(std::ref(handler));
  CallOptions options;
  options.timeout = absl::Minutes(10);
  EXPECT_THAT(Call(*Connect(server, HourlyRetries()), SmallCall(), options),
              StatusIs(absl::StatusCode::kUnavailable));
  EXPECT_EQ(handler.num_requests(), 1);
}

std::optional<StubReply> NeverAnswer(const StubRequest&) {
  return std::nullopt;
}

TEST_P(CallForms, TheTimeoutEndsACallWithoutAnAnswer) {
  StubServer server(NeverAnswer);
  CallOptions options;
  options.timeout = absl::Milliseconds(30);
  EXPECT_THAT(Call(*Connect(server), SmallCall(), options),
              StatusIs(absl::StatusCode::kDeadlineExceeded));
}

TEST_P(CallForms, TheEarlierOfTimeoutAndDeadlineCounts) {
  StubServer server(NeverAnswer);
  CallOptions options;
  options.timeout = absl::Hours(1);
  options.deadline = absl::Now() - absl::Seconds(1);
  EXPECT_THAT(Call(*Connect(server), SmallCall(), options),
              StatusIs(absl::StatusCode::kDeadlineExceeded));
}

TEST_P(CallForms, AnInfinitelyOldDeadlineHasPassed) {
  StubServer server(NeverAnswer);
  CallOptions options;
  options.deadline = absl::InfinitePast();
  EXPECT_THAT(Call(*Connect(server), SmallCall(), options),
              StatusIs(absl::StatusCode::kDeadlineExceeded));
}

TEST_P(CallForms, TheClientsTimeoutIsTheDefault) {
  StubServer server(NeverAnswer);
  ClientOptions options;
  options.default_timeout = absl::Milliseconds(30);
  EXPECT_THAT(Call(*Connect(server, options), SmallCall()),
              StatusIs(absl::StatusCode::kDeadlineExceeded));
}

// Cancels once the server has a request; `handler` is what it does then.
void TestCancellation(Form form, const ClientOptions& client_options,
                      std::optional<StubReply> reply) {
  absl::Notification arrived;
  StubServer server([&](const StubRequest&) {
    if (!arrived.HasBeenNotified()) arrived.Notify();
    return reply;
  });
  const auto client = Connect(server, client_options);
  CallOptions options;
  options.canceller = std::make_shared<Canceller>();
  std::thread canceller([&] {
    arrived.WaitForNotification();
    options.canceller->Cancel();
  });
  EXPECT_THAT(CallAs(form, *client, SmallCall(), options),
              StatusIs(absl::StatusCode::kCancelled));
  canceller.join();
}

TEST_P(CallForms, CancelEndsACallThatIsUnderWay) {
  TestCancellation(GetParam(), {}, std::nullopt);
}

TEST_P(CallForms, CancelEndsAWaitForARetry) {
  TestCancellation(GetParam(), HourlyRetries(),
                   absl::UnavailableError("draining"));
}

TEST_P(CallForms, ACancelledCancellerEndsLaterCallsToo) {
  StubServer server(NeverAnswer);
  const auto client = Connect(server);
  CallOptions options;
  options.canceller = std::make_shared<Canceller>();
  options.canceller->Cancel();
  options.canceller->Cancel();
  EXPECT_TRUE(options.canceller->cancelled());
  EXPECT_THAT(Call(*client, SmallCall(), options),
              StatusIs(absl::StatusCode::kCancelled));
}

TEST_P(CallForms, OneCancellerEndsManyCalls) {
  constexpr int kCalls = 10;
  absl::BlockingCounter arrived(kCalls);
  StubServer server([&](const StubRequest&) -> std::optional<StubReply> {
    arrived.DecrementCount();
    return std::nullopt;
  });
  const auto client = Connect(server);
  CallOptions options;
  options.canceller = std::make_shared<Canceller>();
  std::vector<std::thread> threads;
  for (int i = 0; i < kCalls; ++i) {
    threads.emplace_back([&] {
      EXPECT_THAT(Call(*client, SmallCall(), options),
                  StatusIs(absl::StatusCode::kCancelled));
    });
  }
  arrived.Wait();
  options.canceller->Cancel();
  for (std::thread& thread : threads) thread.join();
}

// The call made with this memory, which must be free when it is over.
absl::Status CallWithWatchedMemory(Form form, Client& client,
                                   const CallOptions& options) {
  WatchedMemory memory(kLargeBytes);
  absl::Status status;
  if (form == Form::kSync) {
    status = client.Call(memory.Call(), options).status();
    EXPECT_TRUE(memory.released());
    return status;
  }
  absl::Notification done;
  client.CallAsync(memory.Call(), options,
                   [&](absl::StatusOr<OperatorResult> result) {
                     EXPECT_TRUE(memory.released());
                     status = result.status();
                     done.Notify();
                   });
  done.WaitForNotification();
  return status;
}

TEST_P(CallForms, MemoryIsFreeAfterAnAnswer) {
  StubServer server([](const StubRequest&) -> StubReply {
    return test::ReplyWith(TensorOf<float>({1}, {1}));
  });
  EXPECT_THAT(CallWithWatchedMemory(GetParam(), *Connect(server), {}), IsOk());
}

TEST_P(CallForms, MemoryIsFreeAfterADeadline) {
  StubServer server(NeverAnswer);
  const auto client = Connect(server);
  // From before the first byte is sent to after the last.
  for (const int milliseconds : {0, 1, 3, 10, 30, 100}) {
    SCOPED_TRACE(milliseconds);
    CallOptions options;
    options.timeout = absl::Milliseconds(milliseconds);
    EXPECT_THAT(CallWithWatchedMemory(GetParam(), *client, options),
                StatusIs(absl::StatusCode::kDeadlineExceeded));
  }
}

TEST_P(CallForms, MemoryIsFreeAfterACancellation) {
  absl::Notification arrived;
  StubServer server([&](const StubRequest&) -> std::optional<StubReply> {
    arrived.Notify();
    return std::nullopt;
  });
  CallOptions options;
  options.canceller = std::make_shared<Canceller>();
  std::thread canceller([&] {
    arrived.WaitForNotification();
    options.canceller->Cancel();
  });
  EXPECT_THAT(CallWithWatchedMemory(GetParam(), *Connect(server), options),
              StatusIs(absl::StatusCode::kCancelled));
  canceller.join();
}

TEST_P(CallForms, MemoryIsFreeWhenThereIsNoServer) {
  const auto client =
      test::ConnectTo("unix:/nonexistent/socket", FastRetries(2));
  EXPECT_THAT(CallWithWatchedMemory(GetParam(), *client, {}),
              StatusIs(absl::StatusCode::kUnavailable));
}

TEST_P(CallForms, WaitForReadyWaitsForTheDeadlineOnly) {
  const auto client =
      test::ConnectTo("unix:/nonexistent/socket", FastRetries());
  CallOptions options;
  options.wait_for_ready = true;
  options.timeout = absl::Milliseconds(50);
  EXPECT_THAT(Call(*client, SmallCall(), options),
              StatusIs(absl::StatusCode::kDeadlineExceeded));
}

TEST(Client, ItsEndCancelsAsynchronousCalls) {
  constexpr int kCalls = 20;
  StubServer server(NeverAnswer);
  std::atomic<int> num_cancelled{0};
  {
    const auto client = Connect(server);
    for (int i = 0; i < kCalls; ++i) {
      client->CallAsync(SmallCall(), {},
                        [&](absl::StatusOr<OperatorResult> result) {
                          if (absl::IsCancelled(result.status())) {
                            ++num_cancelled;
                          }
                        });
    }
  }
  EXPECT_EQ(num_cancelled, kCalls);
}

TEST(Client, ItsEndDoesNotWaitForRetries) {
  absl::Notification arrived;
  StubServer server([&](const StubRequest&) -> StubReply {
    arrived.Notify();
    return absl::UnavailableError("draining");
  });
  absl::StatusOr<OperatorResult> result = absl::UnknownError("no callback");
  {
    const auto client = Connect(server, HourlyRetries());
    client->CallAsync(SmallCall(), {}, [&](absl::StatusOr<OperatorResult> r) {
      result = std::move(r);
    });
    arrived.WaitForNotification();
  }
  EXPECT_THAT(result, StatusIs(absl::StatusCode::kCancelled));
}

TEST(Client, ItsEndWaitsForCallsThatCallbacksMake) {
  StubServer server(NeverAnswer);
  std::atomic<int> num_callbacks{0};
  {
    const auto client = Connect(server);
    CallOptions refused;
    refused.metadata = {{"Upper", "v"}};
    client->CallAsync(
        SmallCall(), refused, [&](absl::StatusOr<OperatorResult> result) {
          EXPECT_THAT(result, StatusIs(absl::StatusCode::kInvalidArgument));
          ++num_callbacks;
          client->CallAsync(
              SmallCall(), {},
              [&](absl::StatusOr<OperatorResult>) { ++num_callbacks; });
        });
  }
  EXPECT_EQ(num_callbacks, 2);
}

TEST(Client, AbandonedFuturesDoNoHarm) {
  StubServer server(EchoData);
  const auto client = Connect(server);
  for (int i = 0; i < 10; ++i) client->CallFuture(SmallCall());
}

}  // namespace
}  // namespace scatterd
