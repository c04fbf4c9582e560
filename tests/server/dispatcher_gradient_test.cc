// Gradients through the dispatcher: what it makes, limits and names.

#include <string>
#include <utility>

#include "core/backends/cpu/cpu_backend.h"
#include "core/errors.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "server/dispatcher.h"
#include "tests/testing/status_matchers.h"
#include "tests/testing/tensor_literals.h"
#include "tests/testing/tensor_matchers.h"

namespace scatterd {
namespace {

using ::scatterd::test::EqualsTensor;
using ::scatterd::test::Full;
using ::scatterd::test::Indices;
using ::scatterd::test::IsOk;
using ::scatterd::test::ScatterNDCall;
using ::scatterd::test::StatusIs;
using ::scatterd::test::TensorOf;
using ::testing::HasSubstr;

class DispatchGradient : public ::testing::Test {
 protected:
  absl::StatusOr<GradientResult> Dispatch(GradientCall call) {
    const Dispatcher dispatcher(*backend_, pool_, {max_output_bytes_});
    ticket_ = *admission_.Acquire(0);
    return dispatcher.DispatchGradient(std::move(call), cancellation_, ticket_,
                                       /*queue_ns=*/17);
  }

  uint64_t max_output_bytes_ = 1 << 20;
  std::unique_ptr<Backend> backend_ = MakeCpuBackend();
  ThreadPool pool_{1};
  Admission admission_{1 << 20};
  Ticket ticket_;
  Cancellation cancellation_;
};

GradientCall SmallGradient(Reduction reduction = Reduction::kMul) {
  GradientCall call;
  call.forward =
      ScatterNDCall(TensorOf<float>({4}, {1, 2, 3, 4}), Indices({2, 1}, {3, 1}),
                    TensorOf<float>({2}, {9, 8}), reduction);
  call.grad_output = TensorOf<float>({4}, {1, 10, 100, 1000});
  return call;
}

TEST_F(DispatchGradient, AnswersBoth) {
  const auto result = Dispatch(SmallGradient());
  ASSERT_THAT(result, IsOk());
  EXPECT_THAT(result->grad_data,
              EqualsTensor(TensorOf<float>({4}, {1, 80, 100, 9000})));
  EXPECT_THAT(*result->grad_updates,
              EqualsTensor(TensorOf<float>({2}, {4000, 20})));
}

TEST_F(DispatchGradient, StatisticsCountWhatIsReadAndWritten) {
  const auto product = Dispatch(SmallGradient());
  EXPECT_EQ(product->stats.device, "cpu");
  EXPECT_EQ(product->stats.queue_ns, 17u);
  EXPECT_GT(product->stats.compute_ns, 0u);
  EXPECT_EQ(product->stats.bytes_read, 16u + 16u + 16u + 8u);
  EXPECT_EQ(product->stats.bytes_written, 16u + 8u);
  const auto sum = Dispatch(SmallGradient(Reduction::kAdd));
  EXPECT_EQ(sum->stats.bytes_read, 16u + 16u) << "indices and grad_output";
}

TEST_F(DispatchGradient, GradientsHaveTheNamesOfTheirOperands) {
  GradientCall call = SmallGradient();
  std::get<Tensor>(call.forward.data).set_name("weights");
  std::get<Tensor>(call.forward.updates).set_name("steps");
  const auto result = Dispatch(std::move(call));
  EXPECT_EQ(result->grad_data.name(), "weights");
  EXPECT_EQ(result->grad_updates->name(), "steps");
}

TEST_F(DispatchGradient, ZerosThatDoNotMatterAreNotMade) {
  GradientCall call = SmallGradient(Reduction::kAdd);
  call.forward.data = ZerosSpec{{DType::kFloat, {4}}};
  call.forward.updates = ZerosSpec{{DType::kFloat, {2}}};
  const auto result = Dispatch(std::move(call));
  ASSERT_THAT(result, IsOk());
  EXPECT_THAT(*result->grad_updates,
              EqualsTensor(TensorOf<float>({2}, {1000, 10})));
  EXPECT_EQ(ticket_.bytes(), 16u + 8u) << "the two results";
}

TEST_F(DispatchGradient, ZerosThatMatterAreMade) {
  GradientCall call = SmallGradient();
  call.forward.data = ZerosSpec{{DType::kFloat, {4}}};
  call.grad_output = ZerosSpec{{DType::kFloat, {4}}};
  const auto result = Dispatch(std::move(call));
  ASSERT_THAT(result, IsOk());
  EXPECT_THAT(result->grad_data, EqualsTensor(Full<float>({4}, 0)));
  EXPECT_EQ(ticket_.bytes(), 16u + 8u + 16u + 16u);
}

TEST_F(DispatchGradient, BothGradientsTogetherCountAgainstTheOutputLimit) {
  max_output_bytes_ = 24;
  EXPECT_THAT(Dispatch(SmallGradient()), IsOk());
  max_output_bytes_ = 23;
  EXPECT_THAT(Dispatch(SmallGradient()),
              StatusIs(absl::StatusCode::kResourceExhausted,
                       HasSubstr("--max_output_bytes would be exceeded (24 vs "
                                 "23)")));
}

TEST_F(DispatchGradient, ABroadcastIsHeldToTheBytesInFlight) {
  GradientCall call;
  call.forward = ScatterNDCall(Full<float>({4}, 0), Indices({1 << 20, 0}, {}),
                               TensorOf<float>({}, {1}), Reduction::kAdd);
  call.forward.options.dialect = Dialect::kNumpy;
  call.grad_output = Full<float>({4}, 1);
  EXPECT_THAT(Dispatch(std::move(call)),
              StatusIs(absl::StatusCode::kResourceExhausted,
                       HasSubstr("--max_inflight_bytes")));
}

TEST_F(DispatchGradient, EmptyTuplesOverNothingCostNothing) {
  GradientCall call;
  call.forward.op = OperatorId::kScatterND;
  call.forward.data = ZerosSpec{{DType::kFloat, {0}}};
  call.forward.indices = ZerosSpec{{DType::kInt64, {int64_t{1} << 59, 0}}};
  call.forward.updates = ZerosSpec{{DType::kFloat, {int64_t{1} << 59, 0}}};
  call.grad_output = ZerosSpec{{DType::kFloat, {0}}};
  for (const Reduction reduction :
       {Reduction::kNone, Reduction::kAdd, Reduction::kMul}) {
    call.forward.attributes.reduction = reduction;
    const auto result = Dispatch(call);
    ASSERT_THAT(result, IsOk()) << ReductionName(reduction);
    EXPECT_EQ(result->grad_updates->num_elements(), 0);
  }
}

TEST_F(DispatchGradient, NamesFieldsBelowTheForwardRequest) {
  GradientCall call = SmallGradient();
  call.forward.indices = TensorOf<float>({2, 1}, {3, 1});
  EXPECT_EQ(GetPayload(Dispatch(call).status(), kFieldPayload),
            "scatter_nd.indices");
  call.forward.indices = Indices({2, 1}, {3, 9});
  EXPECT_EQ(GetPayload(Dispatch(call).status(), kFieldPayload),
            "scatter_nd.indices");
  call = SmallGradient();
  call.grad_output = ResidentRef{"g"};
  const auto resident = Dispatch(call);
  EXPECT_THAT(resident, StatusIs(absl::StatusCode::kUnimplemented));
  EXPECT_EQ(GetPayload(resident.status(), kFieldPayload),
            "grad_output.resident");
}

TEST_F(DispatchGradient, TheForwardsOutputTargetIsNotUsed) {
  GradientCall call = SmallGradient();
  call.forward.output = ResidentTarget{"somewhere"};
  EXPECT_THAT(Dispatch(std::move(call)), IsOk());
}

TEST_F(DispatchGradient, StopsWhenItIsCancelled) {
  cancellation_.Cancel();
  EXPECT_THAT(Dispatch(SmallGradient()),
              StatusIs(absl::StatusCode::kCancelled));
}

}  // namespace
}  // namespace scatterd
