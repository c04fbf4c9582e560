// Public bug reports about large messages: each kind of fault as a small case.
// The comment names the report.

#include "client/scatterd/client.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/integration/server_process.h"
#include "tests/integration/server_under_test.h"
#include "tests/testing/status_matchers.h"
#include "tests/testing/tensor_literals.h"
#include "tests/testing/tensor_matchers.h"

namespace scatterd::test {
namespace {

using ::testing::HasSubstr;

constexpr absl::StatusCode kExhausted = absl::StatusCode::kResourceExhausted;

// triton-inference-server/server#4972, #5840
TEST(LargeMessages, RequestsAndRepliesAboveFourMebibytesWork) {
  const Tensor data = Iota<float>({3, 640, 640});
  ExpectOutput(GatherCall(data, Indices({3}, {0, 1, 2})), data);
  ExpectOutput(ScatterNDCall(data, Indices({1, 3}, {2, 639, 639}),
                             TensorOf<float>({1}, {0}), Reduction::kAdd),
               data);
}

// A server with small limits, and a client that does not try again.
class LimitedServer : public ::testing::Test {
 protected:
  void SetUp() override {
    ClientOptions options;
    options.retry.max_attempts = 1;
    auto client = Client::Create(server_.address(), options);
    ASSERT_THAT(client, IsOk());
    client_ = *std::move(client);
  }

  // Whatever the test has sent, the server goes on serving, then drains.
  void TearDown() override {
    ASSERT_NE(client_, nullptr);
    const auto result =
        client_->Call(GatherCall(Iota<float>({3}), Indices({1}, {2})));
    ASSERT_THAT(result, IsOk());
    EXPECT_THAT(*result->output, EqualsTensor(TensorOf<float>({1}, {2})));
    client_.reset();
    EXPECT_EQ(server_.Stop(), 0);
  }

  ServerProcess server_{{"--max_message_bytes", "4MiB", "--max_output_bytes",
                         "8MiB", "--max_inflight_bytes", "64MiB"}};
  std::unique_ptr<Client> client_;
};

// triton-inference-server/server#4972
TEST_F(LimitedServer, NamesTheLimitThatARequestExceeds) {
  EXPECT_THAT(client_->Call(
                  GatherCall(Full<float>({3, 640, 640}, 0), Indices({1}, {0}))),
              StatusIs(kExhausted, HasSubstr("--max_message_bytes")));
}

// triton-inference-server/server#5840.  The connection may be reset while the
// string is still on its way, so there may be no message but the code.
TEST_F(LimitedServer, SurvivesAnOverlongString) {
  EXPECT_THAT(
      client_->Call(GatherCall(Strings({1}, {std::string(32 << 20, 'x')}),
                               Indices({1}, {0}))),
      StatusIs(kExhausted));
}

TEST_F(LimitedServer, RefusesASmallRequestForALargeResult) {
  OperatorCall call = GatherCall(Tensor(), Full<int32_t>({1000}, 0));
  call.data = ZerosSpec{{DType::kDouble, {1, 2000}}};
  EXPECT_THAT(client_->Call(call),
              StatusIs(kExhausted, HasSubstr("max_output_bytes")));
}

TEST_F(LimitedServer, CountsAStringForEachOfItsCopies) {
  EXPECT_THAT(
      client_->Call(GatherCall(Strings({1}, {std::string(1 << 20, 'x')}),
                               Full<int32_t>({10'000}, 0))),
      StatusIs(kExhausted, HasSubstr("max_output_bytes")));
  EXPECT_THAT(client_->Call(ScatterNDCall(
                  Strings({1000}, std::vector<std::string>(1000)),
                  Full<int32_t>({1000, 1}, 0),
                  Strings({1000}, std::vector<std::string>(
                                      1000, std::string(3000, 'y'))),
                  Reduction::kAdd)),
              IsOk());
}

TEST_F(LimitedServer, RefusesZerosThatDoNotFitInFlight) {
  OperatorCall call = GatherCall(Tensor(), Indices({1}, {0}));
  call.data = ZerosSpec{{DType::kDouble, {100'000'000, 1}}};
  EXPECT_THAT(client_->Call(call),
              StatusIs(kExhausted, HasSubstr("max_inflight_bytes")));
}

}  // namespace
}  // namespace scatterd::test
