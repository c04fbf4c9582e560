// Limits on messages, results, bytes in flight.

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "core/errors.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/server/gated_backend.h"
#include "tests/server/raw_client.h"
#include "tests/testing/loopback_server.h"
#include "tests/testing/status_matchers.h"
#include "tests/testing/tensor_literals.h"
#include "tests/testing/tensor_matchers.h"

namespace scatterd::test {
namespace {

using ::testing::HasSubstr;

constexpr int64_t kMiB = 1 << 20;

// A gather of one byte; the message is a little longer than `size`.
OperatorCall CallWithMessageOf(int64_t size) {
  return GatherCall(Full<uint8_t>({size}, 1), Indices({1}, {0}));
}

TEST(MessageLimit, LargerMessageIsRefusedAndTheServerLives) {
  ServerOptions options;
  options.max_message_bytes = 2 * kMiB;
  const LoopbackServer server(options);
  const auto channel = NewChannel(server.address());
  EXPECT_THAT(Output(*channel, CallWithMessageOf(2 * kMiB)),
              StatusIs(absl::StatusCode::kResourceExhausted,
                       HasSubstr("--max_message_bytes would be "
                                 "exceeded")));
  EXPECT_THAT(Output(*channel, CallWithMessageOf(2 * kMiB - 100)), IsOk());
}

TEST(MessageLimit, LargestMessagesArriveManyAtATime) {
  ServerOptions options;
  options.max_message_bytes = 16 * kMiB;
  options.max_inflight_bytes = 32 * kMiB;
  const LoopbackServer server(options);
  const auto channel = NewChannel(server.address());
  const OperatorCall call = CallWithMessageOf(16 * kMiB - 100);
  for (int i = 0; i < 8; ++i) EXPECT_THAT(Output(*channel, call), IsOk());
}

TEST(OutputLimit, LargerResultIsRefusedNamingTheLimit) {
  ServerOptions options;
  options.max_output_bytes = 100;
  const LoopbackServer server(options);
  const auto channel = NewChannel(server.address());
  const Tensor data = Full<float>({1, 5}, 1);
  const auto refused =
      Output(*channel, GatherCall(data, Indices({6}, {0, 0, 0, 0, 0, 0})));
  EXPECT_THAT(refused, StatusIs(absl::StatusCode::kResourceExhausted,
                                HasSubstr("--max_output_bytes would be "
                                          "exceeded (120 vs 100)")));
  EXPECT_NE(GetPayload(refused.status(), kReasonPayload), "");
  EXPECT_EQ(GetPayload(refused.status(), kRetryAfterPayload), "");
  EXPECT_THAT(Output(*channel, GatherCall(data, Indices({5}, {0, 0, 0, 0, 0}))),
              IsOk());
}

// One string gathered many times is stored once here and sent many times.
TEST(OutputLimit, CountsStringsAsTheyAreSent) {
  ServerOptions options;
  options.max_output_bytes = 10 * kMiB;
  const LoopbackServer server(options);
  const auto channel = NewChannel(server.address());
  const Tensor data = Strings({1}, {std::string(kMiB, 'x')});
  const std::vector<int64_t> twenty(20, 0);
  EXPECT_THAT(Output(*channel, GatherCall(data, Indices({20}, twenty))),
              StatusIs(absl::StatusCode::kResourceExhausted,
                       HasSubstr("--max_output_bytes")));
  const std::vector<int64_t> nine(9, 0);
  EXPECT_THAT(Output(*channel, GatherCall(data, Indices({9}, nine))), IsOk());
}

TEST(InflightLimit, RefusesWhatDoesNotFitWithATimeToTryAgain) {
  ServerOptions options;
  options.max_inflight_bytes = kMiB;
  options.max_message_bytes = kMiB;
  options.threads = 1;
  const auto gate = std::make_shared<Gate>();
  const LoopbackServer server(options, std::make_unique<GatedBackend>(gate));
  const auto channel = NewChannel(server.address());
  const OperatorCall call = QueuedCall();  // 512 KiB of output

  PendingCall running(*channel, MethodOf(call.op), RequestOf(call));
  ASSERT_TRUE(gate->WaitForRuns(1));
  const auto refused = Output(*channel, CallWithMessageOf(600 << 10));
  EXPECT_THAT(refused, StatusIs(absl::StatusCode::kResourceExhausted,
                                HasSubstr("--max_inflight_bytes")));
  EXPECT_NE(GetPayload(refused.status(), kRetryAfterPayload), "");

  gate->Open();
  EXPECT_THAT(running.Wait(), IsOk());
  // The ticket goes when the reply is sent, which the client may see first.
  absl::Status later;
  for (int i = 0; i < 1000; ++i) {
    later = Output(*channel, CallWithMessageOf(400 << 10)).status();
    if (later.ok()) break;
  }
  EXPECT_THAT(later, IsOk());
}

TEST(InflightLimit, IsGivenBackByEveryKindOfEnd) {
  ServerOptions options;
  options.max_inflight_bytes = 2 * kMiB;
  const LoopbackServer server(options);
  const auto channel = NewChannel(server.address());
  OperatorCall out_of_range = CallWithMessageOf(kMiB / 2);
  out_of_range.indices = Indices({1}, {kMiB});
  OperatorCall invalid = CallWithMessageOf(kMiB / 2);
  invalid.attributes.axis = 7;
  for (int i = 0; i < 50; ++i) {
    EXPECT_THAT(Output(*channel, out_of_range),
                StatusIs(absl::StatusCode::kOutOfRange));
    EXPECT_THAT(Output(*channel, invalid),
                StatusIs(absl::StatusCode::kInvalidArgument));
    EXPECT_THAT(CallRaw(*channel, MethodOf(OperatorId::kGather),
                        "\x0a" + std::string(kMiB / 2, '\x7f')),
                StatusIs(absl::StatusCode::kInvalidArgument));
    EXPECT_THAT(Output(*channel, CallWithMessageOf(kMiB / 2)), IsOk());
  }
}

}  // namespace
}  // namespace scatterd::test
