// Gradients on the CPU backend, with several thread counts, against the oracle
// (tests/testing/reference_gradient.h) bit for bit, and against differences of
// the forward operators, which nobody had to derive.

#include <memory>

#include "absl/strings/str_cat.h"
#include "core/backends/cpu/cpu_backend.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "server/dispatcher.h"
#include "tests/backends/conformance.h"
#include "tests/backends/gradient_sweep.h"
#include "tests/testing/reference_ops.h"
#include "tests/testing/status_matchers.h"
#include "tests/testing/tensor_literals.h"

namespace scatterd::test {
namespace {

class GradientConformance : public ::testing::TestWithParam<int> {
 protected:
  absl::StatusOr<GradientResult> Run(const GradientCall& call) {
    absl::StatusOr<Ticket> ticket = admission_.Acquire(1);
    if (!ticket.ok()) return ticket.status();
    return dispatcher_.DispatchGradient(call, Cancellation(), *ticket, 0);
  }

  // Checks random gradients of each dtype; stops at the third that is wrong.
  void Sweep(OperatorId op, Reduction reduction) {
    int num_wrong = 0;
    for (const DType dtype : DifferentiableDTypes()) {
      RandomTensors random(20000 * static_cast<uint64_t>(op) +
                           200 * static_cast<uint64_t>(reduction) +
                           static_cast<uint64_t>(dtype));
      std::vector<ShapeCase> shapes = SweepShapes(op, random);
      shapes.push_back(LargeShape(op, 2500, random));
      shapes.push_back(LargeShape(op, 9000, random));
      for (const ShapeCase& shape : shapes) {
        const GradientCase gradient =
            RandomGradient(op, shape, dtype, reduction, random);
        const std::string difference =
            GradientDifference(gradient, Run(gradient.call));
        EXPECT_EQ(difference, "") << Describe(gradient);
        if (!difference.empty() && ++num_wrong == 3) return;
      }
    }
  }

  void SweepReductions(OperatorId op) {
    for (const Reduction reduction : AllReductions()) Sweep(op, reduction);
  }

 private:
  std::unique_ptr<Backend> backend_ = MakeCpuBackend();
  ThreadPool pool_{GetParam(), Pinning::kOff};
  Admission admission_{uint64_t{1} << 33};
  Dispatcher dispatcher_{*backend_, pool_, {}};
};

TEST_P(GradientConformance, GatherEqualsTheOracle) {
  Sweep(OperatorId::kGather, Reduction::kNone);
}
TEST_P(GradientConformance, GatherElementsEqualsTheOracle) {
  Sweep(OperatorId::kGatherElements, Reduction::kNone);
}
TEST_P(GradientConformance, GatherNDEqualsTheOracle) {
  Sweep(OperatorId::kGatherND, Reduction::kNone);
}
TEST_P(GradientConformance, ScatterElementsEqualsTheOracle) {
  SweepReductions(OperatorId::kScatterElements);
}
TEST_P(GradientConformance, ScatterNDEqualsTheOracle) {
  SweepReductions(OperatorId::kScatterND);
}

// --- Differences ------------------------------------------------------------

double At(const Tensor& tensor, int64_t i) {
  return tensor.values<double>()[i];
}

// The sum of grad_output * output, with one element of an operand moved.
double Loss(const GradientCall& call, bool moves_data, int64_t element,
            double step) {
  OperatorCall forward = call.forward;
  Operand& operand = moves_data ? forward.data : forward.updates;
  const Tensor& original = std::get<Tensor>(operand);
  std::vector<double> values(original.values<double>().begin(),
                             original.values<double>().end());
  values[element] += step;
  operand = TensorOf<double>(original.shape(), values);
  const Tensor output = ValueOrDie(ReferenceCall(forward));
  const Tensor& grad = std::get<Tensor>(call.grad_output);
  double loss = 0;
  for (int64_t i = 0; i < output.num_elements(); ++i) {
    loss += At(grad, i) * At(output, i);
  }
  return loss;
}

void CompareWithDifferences(const GradientCall& call, bool moves_data,
                            const Tensor& gradient) {
  constexpr double kStep = 1e-4;
  for (int64_t i = 0; i < gradient.num_elements(); ++i) {
    const double slope =
        (Loss(call, moves_data, i, kStep) - Loss(call, moves_data, i, -kStep)) /
        (2 * kStep);
    EXPECT_NEAR(At(gradient, i), slope, 1e-5 * (1 + std::abs(slope)))
        << (moves_data ? "data " : "updates ") << i << " of "
        << Describe(call.forward);
  }
}

// Distinct values from 0.5 on, far apart enough that no step makes a tie.
Tensor Distinct(const Shape& shape, RandomTensors& random) {
  std::vector<double> values(shape.num_elements());
  for (size_t i = 0; i < values.size(); ++i) {
    values[i] = 0.5 + 0.01 * static_cast<double>(i);
  }
  for (size_t i = values.size(); i > 1; --i) {
    std::swap(values[i - 1], values[random.Below(static_cast<int64_t>(i))]);
  }
  for (double& value : values) value *= random.OneIn(2) ? -1 : 1;
  return TensorOf<double>(shape, values);
}

TEST_P(GradientConformance, ScatterGradientsAreTheSlopesOfTheForward) {
  RandomTensors random(7);
  for (const Reduction reduction : AllReductions()) {
    for (const bool exclude_self : {false, true}) {
      GradientCall call;
      call.forward = ScatterNDCall(Distinct({4, 2}, random),
                                   Indices({6, 1}, {1, 3, 1, 0, 1, 3}),
                                   Distinct({6, 2}, random), reduction);
      call.forward.attributes.exclude_self = exclude_self;
      call.grad_output = Distinct({4, 2}, random);
      const auto result = Run(call);
      ASSERT_THAT(result, IsOk());
      CompareWithDifferences(call, true, result->grad_data);
      CompareWithDifferences(call, false, *result->grad_updates);
    }
  }
}

TEST_P(GradientConformance, GatherGradientsAreTheSlopesOfTheForward) {
  RandomTensors random(8);
  const Tensor data = Distinct({3, 4}, random);
  const OperatorCall calls[] = {
      GatherCall(data, Indices({3}, {2, 0, 2}), 1),
      GatherElementsCall(data, Indices({2, 4}, {0, 2, 2, 1, 0, 0, 2, 1})),
      GatherNDCall(data, Indices({3, 2}, {0, 1, 2, 3, 0, 1}))};
  for (const OperatorCall& forward : calls) {
    GradientCall call;
    call.forward = forward;
    call.grad_output =
        Distinct(ValueOrDie(ReferenceCall(forward)).shape(), random);
    const auto result = Run(call);
    ASSERT_THAT(result, IsOk());
    EXPECT_FALSE(result->grad_updates.has_value());
    CompareWithDifferences(call, true, result->grad_data);
  }
}

INSTANTIATE_TEST_SUITE_P(Threads, GradientConformance,
                         ::testing::Values(1, 2, 3, 8), [](const auto& test) {
                           return absl::StrCat("Threads", test.param);
                         });

}  // namespace
}  // namespace scatterd::test
