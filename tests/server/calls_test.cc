// TensorOps through a socket: results, errors, hostile bytes.

#include <memory>
#include <new>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "core/errors.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/server/raw_client.h"
#include "tests/server/wrapped_backend.h"
#include "tests/testing/loopback_server.h"
#include "tests/testing/status_matchers.h"
#include "tests/testing/tensor_literals.h"
#include "tests/testing/tensor_matchers.h"

namespace scatterd::test {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::MatchesRegex;
using ::testing::Not;

class CallsTest : public ::testing::Test {
 protected:
  LoopbackServer server_;
  std::shared_ptr<grpc::Channel> channel_ = NewChannel(server_.address());
};

TEST_F(CallsTest, EveryOperatorAnswers) {
  const Tensor data = TensorOf<float>({2, 2}, {1, 2, 3, 4});
  const Tensor row = TensorOf<float>({1, 2}, {8, 9});
  EXPECT_THAT(Output(*channel_, GatherCall(data, Indices({1}, {1}))),
              IsOkAndHolds(EqualsTensor(TensorOf<float>({1, 2}, {3, 4}))));
  EXPECT_THAT(
      Output(*channel_, GatherElementsCall(data, Indices({1, 2}, {1, 0}))),
      IsOkAndHolds(EqualsTensor(TensorOf<float>({1, 2}, {3, 2}))));
  EXPECT_THAT(Output(*channel_, GatherNDCall(data, Indices({1, 2}, {1, 0}))),
              IsOkAndHolds(EqualsTensor(TensorOf<float>({1}, {3}))));
  EXPECT_THAT(
      Output(*channel_,
             ScatterElementsCall(data, Indices({1, 2}, {1, 0}), row)),
      IsOkAndHolds(EqualsTensor(TensorOf<float>({2, 2}, {1, 9, 8, 4}))));
  EXPECT_THAT(
      Output(*channel_, ScatterNDCall(data, Indices({1, 1}, {1}), row)),
      IsOkAndHolds(EqualsTensor(TensorOf<float>({2, 2}, {1, 2, 8, 9}))));
}

TEST_F(CallsTest, ReplyHasNameAndStatistics) {
  Tensor data = TensorOf<float>({2}, {1, 2});
  data.set_name("weights");
  const auto result = Execute(*channel_, GatherCall(data, Indices({1}, {1})));
  ASSERT_THAT(result, IsOk());
  EXPECT_EQ(result->output->name(), "weights");
  EXPECT_EQ(result->stats.device, "cpu");
  EXPECT_GT(result->stats.compute_ns, 0u);
  EXPECT_EQ(result->stats.bytes_written, 4u);
}

TEST_F(CallsTest, ZerosNeverTravel) {
  EXPECT_LT(RequestOf(QueuedCall()).Length(), 200u);
  const absl::StatusOr<Tensor> output = Output(*channel_, QueuedCall());
  ASSERT_THAT(output, IsOk());
  std::vector<uint8_t> expected(512 << 10, 0);
  expected[2] = 7;
  EXPECT_THAT(*output, EqualsTensor(TensorOf<uint8_t>({512 << 10}, expected)));
}

// triton-inference-server/server#4972, #5840.
TEST_F(CallsTest, MessagesAboveFourMegabytesWorkBothWays) {
  const Tensor data = Iota<float>({6, 640, 640});
  const absl::StatusOr<Tensor> output =
      Output(*channel_, GatherCall(data, Indices({6}, {5, 4, 3, 2, 1, 0})));
  ASSERT_THAT(output, IsOk());
  EXPECT_EQ(output->shape(), data.shape());
  EXPECT_EQ(output->values<float>()[0], 5 * 640 * 640.0f);
  EXPECT_EQ(output->values<float>()[6 * 640 * 640 - 1], 640 * 640 - 1.0f);
}

TEST_F(CallsTest, EmptyTensorsComeBack) {
  EXPECT_THAT(Output(*channel_, GatherCall(TensorOf<float>({2, 0}, {}),
                                           Indices({3}, {0, 1, 0}))),
              IsOkAndHolds(EqualsTensor(TensorOf<float>({3, 0}, {}))));
}

TEST_F(CallsTest, ManyCallsOnOneConnectionAllAnswer) {
  const OperatorCall call =
      GatherCall(TensorOf<float>({2}, {1, 2}), Indices({1}, {1}));
  std::vector<std::unique_ptr<PendingCall>> pending;
  for (int i = 0; i < 500; ++i) {
    pending.push_back(std::make_unique<PendingCall>(
        *channel_, MethodOf(call.op), RequestOf(call)));
  }
  for (const auto& p : pending) EXPECT_THAT(p->Wait(), IsOk());
}

// --- Errors -----------------------------------------------------------------

TEST_F(CallsTest, BrokenConstraintIsInvalidArgumentWithTheField) {
  const auto reply =
      Execute(*channel_,
              ScatterNDCall(TensorOf<float>({4}, {1, 2, 3, 4}),
                            Indices({1, 1}, {0}), TensorOf<double>({1}, {1})));
  EXPECT_THAT(reply, StatusIs(absl::StatusCode::kInvalidArgument,
                              MatchesRegex("scatter_nd: C[0-9]+: .*")));
  EXPECT_EQ(GetPayload(reply.status(), kFieldPayload), "updates");
}

TEST_F(CallsTest, IndexOutsideItsAxisIsOutOfRange) {
  EXPECT_THAT(Output(*channel_, GatherCall(TensorOf<float>({2}, {1, 2}),
                                           Indices({1}, {2}))),
              StatusIs(absl::StatusCode::kOutOfRange, HasSubstr("gather: C")));
}

TEST_F(CallsTest, MissingOperandIsInvalidArgumentWithTheField) {
  const auto reply = CallRaw(*channel_, MethodOf(OperatorId::kGather), "");
  EXPECT_THAT(reply, StatusIs(absl::StatusCode::kInvalidArgument,
                              HasSubstr("gather: C0: data is missing")));
  EXPECT_EQ(GetPayload(reply.status(), kFieldPayload), "data");
}

TEST_F(CallsTest, ResidentOperandIsUnimplementedWithTheField) {
  OperatorCall call = GatherCall(Tensor(), Indices({1}, {0}));
  call.data = ResidentRef{"weights", 0};
  const auto reply = Execute(*channel_, call);
  EXPECT_THAT(reply, StatusIs(absl::StatusCode::kUnimplemented));
  EXPECT_EQ(GetPayload(reply.status(), kFieldPayload), "data.resident");
}

TEST_F(CallsTest, GradientWithoutAForwardRequestIsInvalidArgument) {
  const auto reply = CallRaw(*channel_, "/scatterd.v1.TensorOps/Gradient", "");
  EXPECT_THAT(reply, StatusIs(absl::StatusCode::kInvalidArgument,
                              HasSubstr("gradient: C0: ")));
  EXPECT_EQ(GetPayload(reply.status(), kFieldPayload), "forward");
}

TEST_F(CallsTest, RunWithoutAGraphIsInvalidArgument) {
  const auto reply = CallRaw(*channel_, "/scatterd.v1.TensorOps/Run", "");
  EXPECT_THAT(reply, StatusIs(absl::StatusCode::kInvalidArgument,
                              HasSubstr("run: C9: nothing is fetched")));
  EXPECT_EQ(GetPayload(reply.status(), kFieldPayload), "fetches");
}

TEST_F(CallsTest, MethodsThatAreNotServedAreUnimplemented) {
  for (const char* method : {"/scatterd.v1.TensorStore/Put",
                             "/scatterd.v1.TensorOps/Nothing", "/nothing"}) {
    EXPECT_THAT(CallRaw(*channel_, method, ""),
                StatusIs(absl::StatusCode::kUnimplemented))
        << method;
  }
}

TEST_F(CallsTest, MalformedBytesAreInvalidArgument) {
  const std::string truncated = "\x0a\x7f";  // data, 127 bytes: none there
  const std::string group = "\x0b";          // an unfinished group
  const std::string varint(11, '\xff');      // longer than any number
  for (const std::string& bytes : {truncated, group, varint}) {
    for (const OperatorId op :
         {OperatorId::kGather, OperatorId::kGatherElements,
          OperatorId::kGatherND, OperatorId::kScatterElements,
          OperatorId::kScatterND}) {
      EXPECT_THAT(CallRaw(*channel_, MethodOf(op), bytes),
                  StatusIs(absl::StatusCode::kInvalidArgument));
    }
  }
}

TEST_F(CallsTest, MalformedTensorIsInvalidArgumentWithItsField) {
  // GatherRequest{data{tensor{dims: 2, data_type: FLOAT, raw_data: 3 bytes}}}
  const std::string tensor(
      "\x08\x02\x10\x01\x4a\x03"
      "abc",
      9);
  const std::string operand = std::string("\x0a\x09", 2) + tensor;
  const std::string request = std::string("\x0a\x0b", 2) + operand;
  const auto reply = CallRaw(*channel_, MethodOf(OperatorId::kGather), request);
  EXPECT_THAT(reply, StatusIs(absl::StatusCode::kInvalidArgument,
                              Not(HasSubstr("abc"))));
  EXPECT_THAT(GetPayload(reply.status(), kFieldPayload), HasSubstr("data"));
}

// A raw handler that believes in its ByteBuffer ends the process here.
TEST_F(CallsTest, HalfCloseWithoutMessageIsAnErrorAndTheServerLives) {
  for (int i = 0; i < 100; ++i) {
    StreamCall call(*channel_, MethodOf(OperatorId::kScatterND));
    call.WritesDone();
    EXPECT_FALSE(call.Finish().ok());
  }
  EXPECT_THAT(Output(*channel_, QueuedCall()), IsOk());
}

// --- Our own faults ---------------------------------------------------------

class FaultyBackend final : public WrappedBackend {
 public:
  using Fault = absl::Status (*)();
  explicit FaultyBackend(Fault fault) : fault_(fault) {}

 private:
  absl::Status BeforeRun(const PlanOperands&, const Tensor&,
                         const RunContext&) override {
    return fault_();
  }

  const Fault fault_;
};

struct Failure {
  absl::Status status;
  std::string log;
};

Failure CallWithFault(FaultyBackend::Fault fault, const OperatorCall& call) {
  LoopbackServer server({}, std::make_unique<FaultyBackend>(fault));
  ::testing::internal::CaptureStderr();
  const absl::Status status =
      Execute(*NewChannel(server.address()), call).status();
  return {status, ::testing::internal::GetCapturedStderr()};
}

OperatorCall InlineCall() {
  return GatherCall(TensorOf<float>({1}, {1}), Indices({1}, {0}));
}

TEST(OurFaults, AreInternalWithAReferenceThatTheLogExplains) {
  for (const OperatorCall& call : {InlineCall(), QueuedCall()}) {
    for (const FaultyBackend::Fault fault :
         {FaultyBackend::Fault(
              [] { return absl::InternalError("secret detail"); }),
          FaultyBackend::Fault([]() -> absl::Status {
            throw std::runtime_error("secret detail");
          })}) {
      const Failure failure = CallWithFault(fault, call);
      const std::string message(failure.status.message());
      EXPECT_EQ(failure.status.code(), absl::StatusCode::kInternal);
      ASSERT_THAT(
          message,
          MatchesRegex(".*: internal error \\(reference [0-9a-f-]+\\)"));
      EXPECT_THAT(message, Not(HasSubstr("secret")));
      const size_t begin = message.find("reference ") + 10;
      EXPECT_THAT(
          failure.log,
          AllOf(HasSubstr(message.substr(begin, message.size() - begin - 1)),
                HasSubstr("secret detail"), HasSubstr("level=error")));
    }
  }
}

TEST(OurFaults, ExceptionOfUnknownTypeIsInternal) {
  EXPECT_EQ(CallWithFault([]() -> absl::Status { throw 1; }, InlineCall())
                .status.code(),
            absl::StatusCode::kInternal);
}

TEST(OurFaults, NoMemoryIsResourceExhausted) {
  for (const OperatorCall& call : {InlineCall(), QueuedCall()}) {
    EXPECT_THAT(
        CallWithFault([]() -> absl::Status { throw std::bad_alloc(); }, call)
            .status,
        StatusIs(absl::StatusCode::kResourceExhausted,
                 HasSubstr("out of memory")));
  }
}

}  // namespace
}  // namespace scatterd::test
