#include "scatterd/client.h"

#include <atomic>
#include <cstdint>
#include <memory>
#include <string>
#include <thread>
#include <utility>
#include <variant>
#include <vector>

#include "absl/synchronization/mutex.h"
#include "absl/synchronization/notification.h"
#include "absl/time/clock.h"
#include "core/errors.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/client/client_fixtures.h"
#include "tests/client/stub_server.h"
#include "tests/testing/status_matchers.h"
#include "tests/testing/tensor_literals.h"
#include "tests/testing/tensor_matchers.h"

namespace scatterd {
namespace {

using ::scatterd::test::Connect;
using ::scatterd::test::DecodeRequest;
using ::scatterd::test::EchoData;
using ::scatterd::test::EqualsTensor;
using ::scatterd::test::GatherCall;
using ::scatterd::test::Indices;
using ::scatterd::test::IsOk;
using ::scatterd::test::IsOkAndHolds;
using ::scatterd::test::ReplyWith;
using ::scatterd::test::StatusIs;
using ::scatterd::test::StubReply;
using ::scatterd::test::StubRequest;
using ::scatterd::test::StubServer;
using ::scatterd::test::TensorOf;
using ::testing::HasSubstr;

// Keeps the last request, and echoes its data.
class Recorder {
 public:
  StubReply operator()(const StubRequest& request) {
    absl::MutexLock lock(&mutex_);
    last_ = request;
    return EchoData(request);
  }
  StubRequest last() const {
    absl::MutexLock lock(&mutex_);
    return last_;
  }

 private:
  mutable absl::Mutex mutex_;
  StubRequest last_;
};

TEST(Client, RefusesWhatIsNoAddress) {
  for (const char* address :
       {"", "localhost", "localhost:", "localhost:0", "localhost:65536",
        ":50051", "a b:1", "http://localhost:1", "::1:50051", "[]:1", "[::1]",
        "unix:", "unix-abstract:"}) {
    SCOPED_TRACE(address);
    EXPECT_THAT(Client::Create(address),
                StatusIs(absl::StatusCode::kInvalidArgument,
                         HasSubstr("is no address")));
  }
}

TEST(Client, CreateDoesNotNeedAServer) {
  for (const char* address :
       {"localhost:1", "127.0.0.1:1", "[::1]:1", "unix:/nonexistent/socket",
        "unix-abstract:nobody"}) {
    SCOPED_TRACE(address);
    EXPECT_THAT(Client::Create(address), IsOk());
  }
}

TEST(Client, RefusesOptionsWithoutMeaning) {
  const auto create = [](void (*change)(ClientOptions&)) {
    ClientOptions options;
    change(options);
    return Client::Create("localhost:1", options);
  };
  EXPECT_THAT(create([](ClientOptions& o) { o.max_reply_bytes = 0; }),
              StatusIs(absl::StatusCode::kInvalidArgument,
                       HasSubstr("max_reply_bytes")));
  EXPECT_THAT(
      create([](ClientOptions& o) { o.max_reply_bytes = int64_t{1} << 31; }),
      StatusIs(absl::StatusCode::kInvalidArgument,
               HasSubstr("max_reply_bytes")));
  EXPECT_THAT(create([](ClientOptions& o) { o.num_connections = 65; }),
              StatusIs(absl::StatusCode::kInvalidArgument,
                       HasSubstr("num_connections")));
  EXPECT_THAT(create([](ClientOptions& o) { o.retry.max_attempts = 0; }),
              StatusIs(absl::StatusCode::kInvalidArgument,
                       HasSubstr("retry.max_attempts")));
}

TEST(Client, EachOperatorSendsItsOwnRequest) {
  Recorder recorder;
  StubServer server(std::ref(recorder));
  const auto client = Connect(server);
  const Tensor data = TensorOf<float>({2, 2}, {1, 2, 3, 4});
  const Tensor indices = Indices({1, 2}, {0, 1});
  const Tensor updates = TensorOf<float>({1}, {5});
  ExecutionOptions options;
  options.out_of_bounds = OutOfBounds::kClamp;

  EXPECT_THAT(client->Gather(data, indices, {1, 1, options}),
              IsOkAndHolds(EqualsTensor(data)));
  OperatorCall call = DecodeRequest(recorder.last());
  EXPECT_EQ(call.op, OperatorId::kGather);
  EXPECT_EQ(call.attributes.axis, 1);
  EXPECT_EQ(call.attributes.batch_dims, 1);
  EXPECT_EQ(call.options.out_of_bounds, OutOfBounds::kClamp);
  EXPECT_THAT(std::get<Tensor>(call.indices), EqualsTensor(indices));

  EXPECT_THAT(client->GatherElements(data, indices, {-1, options}), IsOk());
  call = DecodeRequest(recorder.last());
  EXPECT_EQ(call.op, OperatorId::kGatherElements);
  EXPECT_EQ(call.attributes.axis, -1);

  EXPECT_THAT(client->GatherND(data, indices, {1, options}), IsOk());
  call = DecodeRequest(recorder.last());
  EXPECT_EQ(call.op, OperatorId::kGatherND);
  EXPECT_EQ(call.attributes.batch_dims, 1);

  EXPECT_THAT(client->ScatterElements(data, indices, updates,
                                      {1, Reduction::kMul, true, options}),
              IsOk());
  call = DecodeRequest(recorder.last());
  EXPECT_EQ(call.op, OperatorId::kScatterElements);
  EXPECT_EQ(call.attributes.axis, 1);
  EXPECT_EQ(call.attributes.reduction, Reduction::kMul);
  EXPECT_TRUE(call.attributes.exclude_self);
  EXPECT_THAT(std::get<Tensor>(call.updates), EqualsTensor(updates));

  EXPECT_THAT(client->ScatterND(data, indices, updates,
                                {Reduction::kAdd, true, 1, options}),
              IsOk());
  call = DecodeRequest(recorder.last());
  EXPECT_EQ(call.op, OperatorId::kScatterND);
  EXPECT_EQ(call.attributes.reduction, Reduction::kAdd);
  EXPECT_EQ(call.attributes.batch_dims, 1);
}

TEST(Client, ZerosDoNotTravel) {
  StubServer server([](const StubRequest& request) -> StubReply {
    const auto data = DecodeRequest(request).data;
    return ReplyWith(*Tensor::Zeros(std::get<ZerosSpec>(data).spec));
  });
  EXPECT_THAT(Connect(server)->ScatterND(ZerosSpec{{DType::kFloat, {3}}},
                                         Indices({1, 1}, {0}),
                                         TensorOf<float>({1}, {5})),
              IsOkAndHolds(EqualsTensor(TensorOf<float>({3}, {0, 0, 0}))));
}

TEST(Client, BorrowedVectorsAreSentFromWhereTheyAre) {
  StubServer server(EchoData);
  const std::vector<int32_t> values(100'000, 7);
  const absl::StatusOr<Tensor> data = BorrowTensor<int32_t>({100'000}, values);
  ASSERT_THAT(data, IsOk());
  EXPECT_EQ(data->bytes(), reinterpret_cast<const std::byte*>(values.data()));
  EXPECT_THAT(Connect(server)->Gather(*data, Indices({1}, {0})),
              IsOkAndHolds(EqualsTensor(*data)));
  EXPECT_THAT(BorrowTensor<int32_t>({3}, values),
              StatusIs(absl::StatusCode::kInvalidArgument));
}

TEST(Client, StatsComeBack) {
  StubServer server(EchoData);
  const absl::StatusOr<OperatorResult> result = Connect(server)->Call(
      GatherCall(TensorOf<float>({1}, {1}), Indices({1}, {0})));
  ASSERT_THAT(result, IsOk());
  EXPECT_EQ(result->stats.device, "stub");
}

TEST(Client, ErrorsKeepCodeMessageAndDetails) {
  StubServer server([](const StubRequest&) -> StubReply {
    return WithReason(
        WithField(absl::OutOfRangeError("gather: C4: no"), "indices"),
        "INDEX_OUT_OF_RANGE");
  });
  const absl::StatusOr<Tensor> result =
      Connect(server)->Gather(TensorOf<float>({1}, {1}), Indices({1}, {9}));
  EXPECT_THAT(result, StatusIs(absl::StatusCode::kOutOfRange,
                               std::string("gather: C4: no")));
  EXPECT_EQ(GetPayload(result.status(), kFieldPayload), "indices");
  EXPECT_EQ(GetPayload(result.status(), kReasonPayload), "INDEX_OUT_OF_RANGE");
}

TEST(Client, MalformedRepliesAreInternal) {
  StubServer server([](const StubRequest&) -> StubReply {
    EncodedMessage message;
    message.Append(std::string("\x0a\x7f"));  // ends inside field 1
    return message;
  });
  EXPECT_THAT(
      Connect(server)->Gather(TensorOf<float>({1}, {1}), Indices({1}, {0})),
      StatusIs(absl::StatusCode::kInternal, HasSubstr("malformed reply")));
}

TEST(Client, AnEmptyReplyHasNoOutput) {
  StubServer server(
      [](const StubRequest&) -> StubReply { return EncodedMessage(); });
  EXPECT_THAT(
      Connect(server)->Gather(TensorOf<float>({1}, {1}), Indices({1}, {0})),
      StatusIs(absl::StatusCode::kInternal, HasSubstr("no output")));
}

TEST(Client, RepliesOverTheLimitAreRefused) {
  std::atomic<int> num_requests{0};
  StubServer server([&num_requests](const StubRequest& request) {
    ++num_requests;
    return EchoData(request);
  });
  ClientOptions options;
  options.max_reply_bytes = 1000;
  EXPECT_THAT(Connect(server, options)
                  ->Gather(test::Full<float>({1000}, 1.0f), Indices({1}, {0})),
              StatusIs(absl::StatusCode::kResourceExhausted));
  EXPECT_EQ(num_requests, 1);
}

TEST(Client, MetadataIsSent) {
  Recorder recorder;
  StubServer server(std::ref(recorder));
  CallOptions options;
  options.metadata = {{"x-tenant", "a b"}, {"x-token-bin", "\x01\xff"}};
  ASSERT_THAT(Connect(server)->Gather(TensorOf<float>({1}, {1}),
                                      Indices({1}, {0}), {}, options),
              IsOk());
  EXPECT_THAT(
      recorder.last().metadata,
      testing::IsSupersetOf({testing::Pair("x-tenant", "a b"),
                             testing::Pair("x-token-bin", "\x01\xff")}));
}

TEST(Client, MetadataThatGrpcCannotSendIsRefused) {
  StubServer server(EchoData);
  const auto client = Connect(server);
  const std::vector<std::pair<std::string, std::string>> kBad = {
      {"", "v"},    {"Upper", "v"},       {"grpc-x", "v"},   {":path", "v"},
      {"a b", "v"}, {"x", "line\nbreak"}, {"x", "\xc3\xa9"},
  };
  for (const auto& entry : kBad) {
    SCOPED_TRACE(entry.first);
    CallOptions options;
    options.metadata = {entry};
    EXPECT_THAT(
        client->Gather(TensorOf<float>({1}, {1}), Indices({1}, {0}), {},
                       options),
        StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("metadata")));
  }
}

TEST(Client, FuturesAndCallbacksGiveTheSameResult) {
  StubServer server(EchoData);
  const auto client = Connect(server);
  const Tensor data = TensorOf<float>({2}, {1, 2});
  auto future = client->CallFuture(GatherCall(data, Indices({1}, {0})));
  const absl::StatusOr<OperatorResult> result = future.get();
  ASSERT_THAT(result, IsOk());
  EXPECT_THAT(*result->output, EqualsTensor(data));

  EXPECT_THAT(test::CallAndWait(*client, GatherCall(data, Indices({1}, {0}))),
              IsOk());
}

TEST(Client, CallbacksAlsoReportWhatCannotBeSent) {
  StubServer server(EchoData);
  CallOptions options;
  options.metadata = {{"Upper", "v"}};
  EXPECT_THAT(
      test::CallAndWait(
          *Connect(server),
          GatherCall(TensorOf<float>({1}, {1}), Indices({1}, {0})), options),
      StatusIs(absl::StatusCode::kInvalidArgument));
}

TEST(Client, ServesManyThreadsAtOnce) {
  StubServer server(EchoData);
  ClientOptions options;
  options.num_connections = 2;
  const auto client = Connect(server, options);
  std::vector<std::thread> threads;
  for (int t = 0; t < 8; ++t) {
    threads.emplace_back([&client, t] {
      for (int i = 0; i < 25; ++i) {
        const Tensor data = Indices({2}, {t, i});
        EXPECT_THAT(client->Gather(data, Indices({1}, {0})),
                    IsOkAndHolds(EqualsTensor(data)));
        auto future = client->CallFuture(GatherCall(data, Indices({1}, {0})));
        const absl::StatusOr<OperatorResult> result = future.get();
        ASSERT_THAT(result, IsOk());
        EXPECT_THAT(*result->output, EqualsTensor(data));
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
}

TEST(Client, CallbacksMayCallAgain) {
  StubServer server(EchoData);
  const auto client = Connect(server);
  absl::Notification done;
  int calls_left = 20;
  std::function<void(absl::StatusOr<OperatorResult>)> next =
      [&](absl::StatusOr<OperatorResult> result) {
        EXPECT_THAT(result, IsOk());
        if (--calls_left == 0) return done.Notify();
        client->CallAsync(
            GatherCall(TensorOf<float>({1}, {1}), Indices({1}, {0})), {}, next);
      };
  client->CallAsync(GatherCall(TensorOf<float>({1}, {1}), Indices({1}, {0})),
                    {}, next);
  done.WaitForNotification();
  EXPECT_EQ(calls_left, 0);
}

TEST(Client, LargeAsynchronousRepliesArrive) {
  StubServer server(EchoData);
  const Tensor data = test::Iota<int32_t>({1 << 20});
  const absl::StatusOr<OperatorResult> result =
      test::CallAndWait(*Connect(server), GatherCall(data, Indices({1}, {0})));
  ASSERT_THAT(result, IsOk());
  EXPECT_THAT(*result->output, EqualsTensor(data));
}

TEST(Health, TellsWhatTheServerSays) {
  std::string request;
  std::string reply;
  StubServer server([&](const StubRequest& r) -> StubReply {
    EXPECT_EQ(r.method, "/grpc.health.v1.Health/Check");
    request = r.body;
    EncodedMessage message;
    message.Append(reply);
    return message;
  });
  const auto client = Connect(server);
  reply = "\x08\x01";
  EXPECT_THAT(client->Health("abc"), IsOkAndHolds(HealthStatus::kServing));
  EXPECT_EQ(request,
            "\x0a\x03"
            "abc");
  reply = "\x08\x02";
  EXPECT_THAT(client->Health(), IsOkAndHolds(HealthStatus::kNotServing));
  reply = "";
  EXPECT_THAT(client->Health(), IsOkAndHolds(HealthStatus::kUnknown));
  reply = "\x08\x63";  // a number that nobody defined
  EXPECT_THAT(client->Health(), IsOkAndHolds(HealthStatus::kUnknown));
  reply = "\x08";  // ends inside field 1
  EXPECT_THAT(client->Health(), StatusIs(absl::StatusCode::kInternal));
}

TEST(Health, AnUnknownServiceIsNotFound) {
  StubServer server([](const StubRequest&) -> StubReply {
    return absl::NotFoundError("unknown service");
  });
  EXPECT_THAT(Connect(server)->Health("nobody"),
              StatusIs(absl::StatusCode::kNotFound));
}

}  // namespace
}  // namespace scatterd
