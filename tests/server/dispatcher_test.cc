#include "server/dispatcher.h"

#include <functional>
#include <string>
#include <utility>

#include "core/errors.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/server/wrapped_backend.h"
#include "tests/testing/status_matchers.h"
#include "tests/testing/tensor_literals.h"
#include "tests/testing/tensor_matchers.h"

namespace scatterd {
namespace {

using ::scatterd::test::EqualsTensor;
using ::scatterd::test::Full;
using ::scatterd::test::GatherCall;
using ::scatterd::test::GatherElementsCall;
using ::scatterd::test::Indices;
using ::scatterd::test::IsOk;
using ::scatterd::test::ScatterElementsCall;
using ::scatterd::test::ScatterNDCall;
using ::scatterd::test::StatusIs;
using ::scatterd::test::Strings;
using ::scatterd::test::TensorOf;
using ::testing::HasSubstr;

// The CPU backend, watched.
class WatchedBackend final : public test::WrappedBackend {
 public:
  int runs = 0;
  bool had_data = false;
  bool in_place = false;

 private:
  absl::Status BeforeRun(const PlanOperands& operands, const Tensor& output,
                         const RunContext&) override {
    ++runs;
    had_data = operands.data != nullptr;
    in_place = had_data && operands.data->bytes() == output.bytes();
    return absl::OkStatus();
  }
};

class DispatcherTest : public ::testing::Test {
 protected:
  absl::StatusOr<OperatorResult> Dispatch(OperatorCall call) {
    const Dispatcher dispatcher(backend_, pool_, {max_output_bytes_});
    ticket_ = *admission_.Acquire(0);
    return dispatcher.Dispatch(std::move(call), cancellation_, ticket_,
                               /*queue_ns=*/17);
  }

  uint64_t max_output_bytes_ = 1 << 20;
  WatchedBackend backend_;
  ThreadPool pool_{1};
  Admission admission_{1 << 20};
  Ticket ticket_;
  Cancellation cancellation_;
};

OperatorCall SmallScatter() {
  return ScatterNDCall(TensorOf<float>({4}, {1, 2, 3, 4}),
                       Indices({2, 1}, {3, 1}), TensorOf<float>({2}, {9, 8}));
}

TEST_F(DispatcherTest, AnswersAGather) {
  const auto result = Dispatch(
      GatherCall(TensorOf<float>({3}, {1, 2, 3}), Indices({2}, {2, 0})));
  ASSERT_THAT(result, IsOk());
  EXPECT_THAT(*result->output, EqualsTensor(TensorOf<float>({2}, {3, 1})));
}

TEST_F(DispatcherTest, StatisticsTellBytesDeviceAndQueueTime) {
  const auto result = Dispatch(SmallScatter());
  ASSERT_THAT(result, IsOk());
  EXPECT_EQ(result->stats.device, "cpu");
  EXPECT_EQ(result->stats.queue_ns, 17u);
  EXPECT_GT(result->stats.compute_ns, 0u);
  EXPECT_EQ(result->stats.bytes_read, 4 * 4u + 2 * 8u + 2 * 4u);
  EXPECT_EQ(result->stats.bytes_written, 4 * 4u);
}

TEST_F(DispatcherTest, OutputHasTheNameOfData) {
  OperatorCall gather =
      GatherCall(TensorOf<float>({3}, {1, 2, 3}), Indices({1}, {2}));
  std::get<Tensor>(gather.data).set_name("weights");
  OperatorCall scatter = SmallScatter();
  std::get<Tensor>(scatter.data).set_name("weights");
  EXPECT_EQ(Dispatch(std::move(gather))->output->name(), "weights");
  EXPECT_EQ(Dispatch(std::move(scatter))->output->name(), "weights");
}

// --- Whose memory the output is ---------------------------------------------

TEST_F(DispatcherTest, ScatterWorksInDataNobodyElseHolds) {
  OperatorCall call = SmallScatter();
  const std::byte* data = std::get<Tensor>(call.data).bytes();
  const auto result = Dispatch(std::move(call));
  ASSERT_THAT(result, IsOk());
  EXPECT_THAT(*result->output,
              EqualsTensor(TensorOf<float>({4}, {1, 8, 3, 9})));
  EXPECT_EQ(result->output->bytes(), data);
  EXPECT_TRUE(backend_.in_place);
  EXPECT_EQ(ticket_.bytes(), 0u) << "nothing was allocated";
}

TEST_F(DispatcherTest, ScatterLeavesDataThatSomebodyHoldsAlone) {
  OperatorCall call = SmallScatter();
  const Tensor held = std::get<Tensor>(call.data);
  const auto result = Dispatch(std::move(call));
  ASSERT_THAT(result, IsOk());
  EXPECT_THAT(*result->output,
              EqualsTensor(TensorOf<float>({4}, {1, 8, 3, 9})));
  EXPECT_THAT(held, EqualsTensor(TensorOf<float>({4}, {1, 2, 3, 4})));
  EXPECT_EQ(ticket_.bytes(), 16u) << "the output was reserved";
}

// numpy/numpy#9293: working in place would read updates already overwritten.
TEST_F(DispatcherTest, ScatterOfDataOntoItselfReadsUpdatesBeforeWriting) {
  const auto call = [](auto value) {
    const Tensor both = TensorOf<decltype(value)>(
        {3}, {value, decltype(value)(value + 1), decltype(value)(value + 2)});
    return ScatterElementsCall(both, Indices({3}, {2, 0, 1}), both);
  };
  EXPECT_THAT(*Dispatch(call(1.0f))->output,
              EqualsTensor(TensorOf<float>({3}, {2, 3, 1})));
  EXPECT_THAT(*Dispatch(call(int64_t{1}))->output,
              EqualsTensor(TensorOf<int64_t>({3}, {2, 3, 1})));
}

TEST_F(DispatcherTest, ScatterWhoseIndicesAreItsDataIsRight) {
  const Tensor both = Indices({3}, {2, 0, 1});
  const auto result =
      Dispatch(ScatterElementsCall(both, both, Indices({3}, {7, 8, 9})));
  ASSERT_THAT(result, IsOk());
  EXPECT_THAT(*result->output, EqualsTensor(Indices({3}, {8, 9, 7})));
}

TEST_F(DispatcherTest, GatherNeverWritesToItsData) {
  OperatorCall call = GatherElementsCall(TensorOf<float>({3}, {1, 2, 3}),
                                         Indices({3}, {2, 2, 0}));
  const std::byte* data = std::get<Tensor>(call.data).bytes();
  const auto result = Dispatch(std::move(call));
  ASSERT_THAT(result, IsOk());
  EXPECT_NE(result->output->bytes(), data);
  EXPECT_FALSE(backend_.in_place);
}

TEST_F(DispatcherTest, StringScatterInPlaceKeepsEveryString) {
  const auto result = Dispatch(
      ScatterNDCall(Strings({3}, {"a", "bb", "ccc"}), Indices({1, 1}, {1}),
                    Strings({1}, {std::string(1000, 'x')})));
  ASSERT_THAT(result, IsOk());
  EXPECT_THAT(*result->output,
              EqualsTensor(Strings({3}, {"a", std::string(1000, 'x'), "ccc"})));
}

// --- Zeros ------------------------------------------------------------------

TEST_F(DispatcherTest, ScatterOntoZerosMakesNoTensorOfThem) {
  OperatorCall call = SmallScatter();
  call.data = ZerosSpec{{DType::kFloat, {4}}};
  const auto result = Dispatch(std::move(call));
  ASSERT_THAT(result, IsOk());
  EXPECT_THAT(*result->output,
              EqualsTensor(TensorOf<float>({4}, {0, 8, 0, 9})));
  EXPECT_FALSE(backend_.had_data);
  EXPECT_EQ(ticket_.bytes(), 16u) << "the output and nothing else";
  EXPECT_EQ(result->output->name(), "");
}

TEST_F(DispatcherTest, ZerosElsewhereAreMadeAndReserved) {
  OperatorCall call = SmallScatter();
  call.indices = ZerosSpec{{DType::kInt64, {2, 1}}};
  call.updates = ZerosSpec{{DType::kFloat, {2}}};
  const auto result = Dispatch(std::move(call));
  ASSERT_THAT(result, IsOk());
  EXPECT_THAT(*result->output,
              EqualsTensor(TensorOf<float>({4}, {0, 2, 3, 4})));
  EXPECT_EQ(ticket_.bytes(), 2 * 8u + 2 * 4u);
}

TEST_F(DispatcherTest, GatherFromZerosGivesZeros) {
  OperatorCall call = GatherCall(Tensor(), Indices({2}, {2, 0}));
  call.data = ZerosSpec{{DType::kFloat, {3}}};
  const auto result = Dispatch(std::move(call));
  ASSERT_THAT(result, IsOk());
  EXPECT_THAT(*result->output, EqualsTensor(TensorOf<float>({2}, {0, 0})));
}

TEST_F(DispatcherTest, StringScatterOntoZerosStartsFromEmptyStrings) {
  OperatorCall call = ScatterNDCall(Tensor(), Indices({1, 1}, {1}),
                                    Strings({1}, {"x"}), Reduction::kAdd);
  call.data = ZerosSpec{{DType::kString, {3}}};
  const auto result = Dispatch(std::move(call));
  ASSERT_THAT(result, IsOk());
  EXPECT_THAT(*result->output, EqualsTensor(Strings({3}, {"", "x", ""})));
}

// --- Limits -----------------------------------------------------------------

TEST_F(DispatcherTest, OutputAboveTheLimitIsRefusedBeforeItIsAllocated) {
  max_output_bytes_ = 15;
  EXPECT_THAT(Dispatch(SmallScatter()),
              StatusIs(absl::StatusCode::kResourceExhausted,
                       HasSubstr("--max_output_bytes would be exceeded "
                                 "(16 vs 15)")));
  EXPECT_EQ(backend_.runs, 0);
  max_output_bytes_ = 16;
  EXPECT_THAT(Dispatch(SmallScatter()), IsOk());
}

TEST_F(DispatcherTest, TerabytesOfZerosAreRefusedBeforeTheyAreAllocated) {
  OperatorCall scatter = SmallScatter();
  scatter.data = ZerosSpec{{DType::kFloat, {int64_t{1} << 40}}};
  EXPECT_THAT(Dispatch(std::move(scatter)),
              StatusIs(absl::StatusCode::kResourceExhausted,
                       HasSubstr("--max_output_bytes")));
  OperatorCall gather = GatherCall(Tensor(), Indices({1}, {0}));
  gather.data = ZerosSpec{{DType::kFloat, {int64_t{1} << 40}}};
  EXPECT_THAT(Dispatch(std::move(gather)),
              StatusIs(absl::StatusCode::kResourceExhausted,
                       HasSubstr("--max_inflight_bytes")));
  EXPECT_EQ(backend_.runs, 0);
}

TEST_F(DispatcherTest, ZerosTooLargeToCountAreInvalid) {
  OperatorCall call = SmallScatter();
  call.data = ZerosSpec{{DType::kFloat, {int64_t{1} << 40, int64_t{1} << 40}}};
  const auto result = Dispatch(std::move(call));
  EXPECT_THAT(result, StatusIs(absl::StatusCode::kInvalidArgument,
                               HasSubstr("scatter_nd: C0: data")));
  EXPECT_EQ(GetPayload(result.status(), kFieldPayload), "data");
}

TEST_F(DispatcherTest, OutputThatDoesNotFitInFlightIsRefusedBeforeAllocation) {
  max_output_bytes_ = uint64_t{1} << 40;
  OperatorCall call = GatherCall(Full<float>({1, 1024}, 1), Indices({0}, {}));
  call.indices = ZerosSpec{{DType::kInt32, {1 << 10}}};
  EXPECT_THAT(Dispatch(std::move(call)),
              StatusIs(absl::StatusCode::kResourceExhausted,
                       HasSubstr("--max_inflight_bytes")));
  EXPECT_EQ(backend_.runs, 0);
}

// --- What is refused --------------------------------------------------------

struct RefusedCase {
  const char* what;
  std::function<void(OperatorCall&)> change;
  absl::StatusCode code;
  const char* message;
  const char* field;
};

const RefusedCase kRefused[] = {
    {"no data", [](OperatorCall& c) { c.data = {}; },
     absl::StatusCode::kInvalidArgument, "scatter_nd: C0: data is missing",
     "data"},
    {"no indices", [](OperatorCall& c) { c.indices = {}; },
     absl::StatusCode::kInvalidArgument, "scatter_nd: C0: indices is missing",
     "indices"},
    {"no updates", [](OperatorCall& c) { c.updates = {}; },
     absl::StatusCode::kInvalidArgument, "scatter_nd: C0: updates is missing",
     "updates"},
    {"resident data",
     [](OperatorCall& c) {
       c.data = ResidentRef{"a", 0};
     },
     absl::StatusCode::kUnimplemented, "scatter_nd: data.resident",
     "data.resident"},
    {"updates in shared memory",
     [](OperatorCall& c) { c.updates = SharedMemoryRef{}; },
     absl::StatusCode::kUnimplemented, "scatter_nd: updates.shared_memory",
     "updates.shared_memory"},
    {"resident output", [](OperatorCall& c) { c.output = ResidentTarget{}; },
     absl::StatusCode::kUnimplemented, "scatter_nd: output.resident",
     "output.resident"},
    {"output to shared memory",
     [](OperatorCall& c) { c.output = SharedMemoryRef{}; },
     absl::StatusCode::kUnimplemented, "scatter_nd: output.shared_memory",
     "output.shared_memory"},
    {"a CUDA device", [](OperatorCall& c) { c.options.device = "cuda:0"; },
     absl::StatusCode::kFailedPrecondition, "cuda:0", "options.device"},
    {"a CUDA device without number",
     [](OperatorCall& c) { c.options.device = "cuda:"; },
     absl::StatusCode::kInvalidArgument, "scatter_nd: C0: device",
     "options.device"},
    {"a device that is none", [](OperatorCall& c) { c.options.device = "CPU"; },
     absl::StatusCode::kInvalidArgument, "scatter_nd: C0: device",
     "options.device"},
    {"a fill value of rank 1",
     [](OperatorCall& c) { c.options.fill_value = TensorOf<float>({1}, {0}); },
     absl::StatusCode::kInvalidArgument, "(FLOAT[1] vs FLOAT[])",
     "options.fill_value"},
    {"a fill value of another dtype",
     [](OperatorCall& c) { c.options.fill_value = TensorOf<double>({}, {0}); },
     absl::StatusCode::kInvalidArgument, "(DOUBLE[] vs FLOAT[])",
     "options.fill_value"},
};

TEST_F(DispatcherTest, RefusalsNameCodeAndField) {
  for (const RefusedCase& refused : kRefused) {
    SCOPED_TRACE(refused.what);
    OperatorCall call = SmallScatter();
    refused.change(call);
    const auto result = Dispatch(std::move(call));
    EXPECT_THAT(result, StatusIs(refused.code, HasSubstr(refused.message)));
    EXPECT_EQ(GetPayload(result.status(), kFieldPayload), refused.field);
  }
  EXPECT_EQ(backend_.runs, 0);
}

TEST_F(DispatcherTest, PlannerErrorsKeepTheirField) {
  OperatorCall call = SmallScatter();
  call.updates = TensorOf<double>({2}, {9, 8});
  const auto result = Dispatch(std::move(call));
  EXPECT_THAT(result, StatusIs(absl::StatusCode::kInvalidArgument,
                               HasSubstr("scatter_nd: C")));
  EXPECT_EQ(GetPayload(result.status(), kFieldPayload), "updates");
}

TEST_F(DispatcherTest, FillValueIsWhatSkippedIndicesGather) {
  OperatorCall call =
      GatherCall(TensorOf<float>({3}, {1, 2, 3}), Indices({2}, {2, 5}));
  call.options.out_of_bounds = OutOfBounds::kSkip;
  call.options.fill_value = TensorOf<float>({}, {-1});
  const auto result = Dispatch(std::move(call));
  ASSERT_THAT(result, IsOk());
  EXPECT_THAT(*result->output, EqualsTensor(TensorOf<float>({2}, {3, -1})));
}

TEST_F(DispatcherTest, CpuAndTheServersChoiceAreTheSameDevice) {
  OperatorCall call = SmallScatter();
  call.options.device = "cpu";
  EXPECT_THAT(Dispatch(std::move(call)), IsOk());
}

TEST_F(DispatcherTest, CancelledCallDoesNotRun) {
  cancellation_.Cancel();
  EXPECT_THAT(Dispatch(SmallScatter()), StatusIs(absl::StatusCode::kCancelled));
  EXPECT_EQ(backend_.runs, 0);
}

}  // namespace
}  // namespace scatterd
