// Gradients through the real server.

#include <cmath>
#include <string>

#include "core/errors.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/backends/conformance.h"
#include "tests/backends/gradient_sweep.h"
#include "tests/integration/dialect_testing.h"
#include "tests/integration/server_under_test.h"
#include "tests/testing/status_matchers.h"
#include "tests/testing/tensor_literals.h"
#include "tests/testing/tensor_matchers.h"

namespace scatterd::test {
namespace {

using ::testing::HasSubstr;

GradientCall GradientOf(OperatorCall forward, Tensor grad_output) {
  GradientCall call;
  call.forward = std::move(forward);
  call.grad_output = std::move(grad_output);
  return call;
}

void ExpectGradients(const GradientCall& call, const Tensor& grad_data,
                     const Tensor& grad_updates) {
  const auto result = CallServerGradient(call);
  ASSERT_THAT(result, IsOk());
  EXPECT_THAT(result->grad_data, EqualsTensor(grad_data));
  ASSERT_TRUE(result->grad_updates.has_value());
  EXPECT_THAT(*result->grad_updates, EqualsTensor(grad_updates));
}

void ExpectRefusedGradient(const GradientCall& call, const std::string& what,
                           const std::string& field) {
  const auto result = CallServerGradient(call);
  ASSERT_THAT(result, StatusIs(kInvalid, HasSubstr(what)));
  EXPECT_EQ(GetPayload(result.status(), kFieldPayload), field);
}

TEST(Gradients, EqualTheOracleForEveryOperatorAndReduction) {
  RandomTensors random(11);
  int num_wrong = 0;
  for (const OperatorId op :
       {OperatorId::kGather, OperatorId::kGatherElements, OperatorId::kGatherND,
        OperatorId::kScatterElements, OperatorId::kScatterND}) {
    for (const Reduction reduction : AllReductions()) {
      if (!IsScatter(op) && reduction != Reduction::kNone) continue;
      for (const DType dtype : DifferentiableDTypes()) {
        const std::vector<ShapeCase> shapes = SweepShapes(op, random);
        for (int i = 0; i < 6; ++i) {
          const ShapeCase shape =
              i == 0
                  ? LargeShape(op, 6000, random)
                  : shapes[random.Below(static_cast<int64_t>(shapes.size()))];
          const GradientCase gradient =
              RandomGradient(op, shape, dtype, reduction, random);
          const std::string difference =
              GradientDifference(gradient, CallServerGradient(gradient.call));
          EXPECT_EQ(difference, "") << Describe(gradient);
          if (!difference.empty() && ++num_wrong == 3) return;
        }
      }
    }
  }
}

// pytorch/pytorch#168358
TEST(Gradients, MaximumWithoutSelfSharesAmongTheUpdatesOnly) {
  for (const float data : {99.f, 10.f}) {
    GradientCall call = GradientOf(
        ScatterElementsCall(Floats({data, 2}), Indices({3}, {0, 0, 1}),
                            Floats({10, 10, 30}), 0, Reduction::kMax),
        Floats({1, 1}));
    call.forward.attributes.exclude_self = true;
    ExpectGradients(call, Floats({0, 0}), Floats({.5, .5, 1}));
  }
}

// PyTorch, scatter_reduce "prod".
TEST(Gradients, ProductIsExactWithZeros) {
  ExpectGradients(
      GradientOf(ScatterElementsCall(Floats({2, 3, 4}), Indices({3}, {0, 0, 1}),
                                     Floats({0, 7, 11}), 0, Reduction::kMul),
                 Floats({1, 1, 1})),
      Floats({0, 11, 1}), Floats({14, 0, 3}));
}

TEST(Gradients, ScaleMultipliesBothAndZeroIsExact) {
  GradientCall call =
      GradientOf(ScatterNDCall(Floats({1, 2}), Indices({1, 1}, {0}),
                               Floats({3}), Reduction::kAdd),
                 Floats({2, 4}));
  call.scale = 0.5;
  ExpectGradients(call, Floats({1, 2}), Floats({1}));
  call.grad_output = Floats({NAN, INFINITY});
  call.scale = 0;
  ExpectGradients(call, Floats({0, 0}), Floats({0}));
}

TEST(Gradients, AGatherHasOneGradient) {
  const auto result = CallServerGradient(
      GradientOf(GatherCall(Floats({1, 2, 3}), Indices({3}, {2, 0, 2})),
                 Floats({1, 10, 100})));
  ASSERT_THAT(result, IsOk());
  EXPECT_THAT(result->grad_data, EqualsTensor(Floats({10, 0, 101})));
  EXPECT_FALSE(result->grad_updates.has_value());
  EXPECT_EQ(result->stats.device, "cpu");
}

// --- Updates of another shape -----------------------------------------------

TEST(Gradients, BroadcastUpdatesReceiveTheSumOverTheRepeats) {
  GradientCall call =
      GradientOf(ScatterNDCall(Full<float>({3, 2}, 0), Indices({2, 1}, {2, 0}),
                               Floats({1, 2}), Reduction::kAdd),
                 TensorOf<float>({3, 2}, {1, 2, 4, 8, 16, 32}));
  call.options.dialect = Dialect::kNumpy;
  ExpectGradients(call, std::get<Tensor>(call.grad_output), Floats({17, 34}));
  call.forward.updates = TensorOf<float>({}, {1});
  ExpectGradients(call, std::get<Tensor>(call.grad_output),
                  TensorOf<float>({}, {51}));
  call.forward.attributes.reduction = Reduction::kMul;
  call.forward.data = Full<float>({3, 2}, 10);
  call.forward.updates = TensorOf<float>({2, 1}, {3, 5});
  ExpectGradients(call, TensorOf<float>({3, 2}, {5, 10, 4, 8, 48, 96}),
                  TensorOf<float>({2, 1}, {480, 30}));
}

TEST(Gradients, OutsideTheCornerThatWasReadThereIsNone) {
  GradientCall call = GradientOf(
      ScatterElementsCall(Full<float>({2, 3}, 0), Indices({1, 2}, {1, 0}),
                          Full<float>({2, 3}, 7), 0, Reduction::kAdd),
      TensorOf<float>({2, 3}, {1, 2, 3, 4, 5, 6}));
  call.options.dialect = Dialect::kPytorch;
  ExpectGradients(call, std::get<Tensor>(call.grad_output),
                  TensorOf<float>({2, 3}, {4, 2, 0, 0, 0, 0}));
}

TEST(Gradients, BroadcastDataReceivesTheSumOverItsReads) {
  GradientCall call =
      GradientOf(GatherElementsCall(TensorOf<float>({1, 3}, {1, 2, 3}),
                                    Indices({2, 2}, {0, 2, 1, 2}), 1),
                 TensorOf<float>({2, 2}, {1, 2, 4, 8}));
  call.options.dialect = Dialect::kNumpy;
  const auto result = CallServerGradient(call);
  ASSERT_THAT(result, IsOk());
  EXPECT_THAT(result->grad_data,
              EqualsTensor(TensorOf<float>({1, 3}, {1, 4, 10})));
}

// --- Options ----------------------------------------------------------------

TEST(Gradients, OwnOptionsWinFieldByField) {
  GradientCall call =
      GradientOf(GatherCall(Floats({1, 2, 3}), Indices({3}, {-1, 7, 0})),
                 Floats({1, 10, 100}));
  call.forward.options.out_of_bounds = OutOfBounds::kError;
  call.forward.options.negative_indices = NegativeIndices::kOutOfBounds;
  EXPECT_THAT(CallServerGradient(call), StatusIs(kOutOfRange));
  call.options.out_of_bounds = OutOfBounds::kSkip;
  EXPECT_THAT(CallServerGradient(call)->grad_data,
              EqualsTensor(Floats({100, 0, 0})));
  call.options.negative_indices = NegativeIndices::kFromEnd;
  EXPECT_THAT(CallServerGradient(call)->grad_data,
              EqualsTensor(Floats({100, 0, 1})));
  call.options.out_of_bounds = OutOfBounds::kClamp;
  EXPECT_THAT(CallServerGradient(call)->grad_data,
              EqualsTensor(Floats({100, 0, 11})));
}

// --- Refusals ---------------------------------------------------------------

TEST(Gradients, OnlyFloatingPointDataHasOne) {
  ExpectRefusedGradient(
      GradientOf(GatherCall(Indices({2}, {1, 2}), Indices({1}, {0})),
                 Indices({1}, {1})),
      "gather: C0: only floating-point and complex data has a gradient",
      "gather.data");
  ExpectRefusedGradient(
      GradientOf(ScatterNDCall(Strings({1}, {"a"}), Indices({1, 1}, {0}),
                               Strings({1}, {"b"})),
                 Strings({1}, {"c"})),
      "scatter_nd: C0: only floating-point", "scatter_nd.data");
}

TEST(Gradients, GradOutputMustBeLikeTheOutput) {
  const OperatorCall forward =
      GatherCall(Floats({1, 2}), Indices({1, 2}, {0, 1}));
  ExpectRefusedGradient(GradientOf(forward, Floats({1, 2})),
                        "grad_output is not like the output (FLOAT[2] vs "
                        "FLOAT[1,2])",
                        "grad_output");
  ExpectRefusedGradient(GradientOf(forward, TensorOf<double>({1, 2}, {1, 2})),
                        "(DOUBLE[1,2] vs FLOAT[1,2])", "grad_output");
}

TEST(Gradients, MissingOperandsAreNamed) {
  GradientCall call = GradientOf(
      ScatterNDCall(Floats({1, 2}), Indices({1, 1}, {0}), Floats({3})),
      Floats({1, 1}));
  call.grad_output = Operand();
  ExpectRefusedGradient(call, "scatter_nd: C0: grad_output is missing",
                        "grad_output");
  call.grad_output = Floats({1, 1});
  call.forward.updates = Operand();
  ExpectRefusedGradient(call, "scatter_nd: C0: updates is missing",
                        "scatter_nd.updates");
}

TEST(Gradients, TheForwardsConstraintsHold) {
  GradientCall call = GradientOf(
      ScatterNDCall(Floats({1, 2}), Indices({2, 1}, {0, 0}), Floats({3, 4})),
      Floats({1, 1}));
  call.forward.options.duplicates = Duplicates::kReject;
  ExpectRefusedGradient(call, "scatter_nd: C11", "scatter_nd.indices");
  call.forward.updates = Floats({3});
  ExpectRefusedGradient(call, "scatter_nd: C8", "scatter_nd.updates");
  const GradientCall out_of_range = GradientOf(
      GatherCall(Floats({1, 2}), Indices({2}, {0, 5})), Floats({1, 1}));
  EXPECT_THAT(CallServerGradient(out_of_range),
              StatusIs(kOutOfRange, HasSubstr("gather: C7: indices[1]")));
}

TEST(Gradients, MaximumOfComplexNumbersHasNone) {
  GradientCall call =
      GradientOf(ScatterElementsCall(
                     TensorOf<Complex64>({1}, {{1, 1}}), Indices({1}, {0}),
                     TensorOf<Complex64>({1}, {{2, 2}}), 0, Reduction::kMax),
                 TensorOf<Complex64>({1}, {{1, 0}}));
  call.options.dialect = Dialect::kNumpy;
  ExpectRefusedGradient(call, "of complex numbers has no gradient",
                        "scatter_elements.reduction");
}

TEST(Gradients, AnEmptyMessageIsRefused) {
  v1::GradientResponse response;
  grpc::ClientContext context;
  const grpc::Status status = ServerStub().Gradient(&context, {}, &response);
  EXPECT_EQ(status.error_code(), grpc::StatusCode::INVALID_ARGUMENT);
  EXPECT_THAT(status.error_message(),
              HasSubstr("gradient: C0: the forward request is missing"));
}

}  // namespace
}  // namespace scatterd::test
