// Dialects through the real server: each cell of core/dialects.inc by what a
// caller sees of it.  Expected values are those of the frameworks.  Shapes are
// in dialects_shapes_test.cc.

#include <cmath>
#include <limits>
#include <map>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/integration/dialect_testing.h"
#include "tests/integration/server_under_test.h"
#include "tests/testing/status_matchers.h"
#include "tests/testing/tensor_literals.h"
#include "tests/testing/tensor_matchers.h"

namespace scatterd::test {
namespace {

// --- Indices ----------------------------------------------------------------

// What an operator does with one index: it takes the last element, it fails,
// it skips, or it takes the nearest element.
enum class Does { kLast, kFails, kSkips, kNearest };

struct IndexRules {
  Does negative;  // -1
  Does beyond;    // 3, where there are 3 elements
};

using Rules = std::map<Dialect, IndexRules>;

constexpr IndexRules kFromEndOrFail = {Does::kLast, Does::kFails};
constexpr IndexRules kFail = {Does::kFails, Does::kFails};
constexpr IndexRules kSkip = {Does::kSkips, Does::kSkips};
constexpr IndexRules kFromEndOrSkip = {Does::kLast, Does::kSkips};

const std::map<OperatorId, Rules> kRules = {
    {OperatorId::kGather,
     {{Dialect::kOnnx, kFromEndOrFail},
      {Dialect::kTensorflow, kFail},
      {Dialect::kTensorflowGpu, kSkip},
      {Dialect::kMindspore, kFromEndOrFail},
      {Dialect::kPytorch, kFail},
      {Dialect::kJax, kFromEndOrSkip},
      {Dialect::kNumpy, kFromEndOrFail}}},
    {OperatorId::kGatherElements,
     {{Dialect::kOnnx, kFromEndOrFail},
      {Dialect::kTensorflow, kFail},
      {Dialect::kTensorflowGpu, kSkip},
      {Dialect::kMindspore, kFromEndOrFail},
      {Dialect::kPytorch, kFail},
      {Dialect::kJax, kFromEndOrSkip},
      {Dialect::kNumpy, kFromEndOrFail}}},
    {OperatorId::kGatherND,
     {{Dialect::kOnnx, kFromEndOrFail},
      {Dialect::kTensorflow, kFail},
      {Dialect::kTensorflowGpu, kSkip},
      {Dialect::kMindspore, kFail},
      {Dialect::kPytorch, kFromEndOrFail},
      {Dialect::kJax, {Does::kLast, Does::kNearest}},
      {Dialect::kNumpy, kFromEndOrFail}}},
    {OperatorId::kScatterElements,
     {{Dialect::kOnnx, kFromEndOrFail},
      {Dialect::kTensorflow, kFail},
      {Dialect::kTensorflowGpu, kSkip},
      {Dialect::kMindspore, kFromEndOrSkip},
      {Dialect::kPytorch, kFail},
      {Dialect::kJax, kFromEndOrSkip},
      {Dialect::kNumpy, kFromEndOrFail}}},
    {OperatorId::kScatterND,
     {{Dialect::kOnnx, kFromEndOrFail},
      {Dialect::kTensorflow, kFail},
      {Dialect::kTensorflowGpu, kSkip},
      {Dialect::kMindspore, kFail},
      {Dialect::kPytorch, kFromEndOrFail},
      {Dialect::kJax, kFromEndOrSkip},
      {Dialect::kNumpy, kFromEndOrFail}}},
};

// One index into [10, 20, 30]; a scatter writes 5.  INT32 data, so that JAX's
// fill value is a number.
OperatorCall OneIndex(OperatorId op, int64_t index) {
  const Tensor data = TensorOf<int32_t>({3}, {10, 20, 30});
  const Tensor update = TensorOf<int32_t>({1}, {5});
  switch (op) {
    case OperatorId::kGather:
      return GatherCall(data, Indices({1}, {index}));
    case OperatorId::kGatherElements:
      return GatherElementsCall(data, Indices({1}, {index}));
    case OperatorId::kGatherND:
      return GatherNDCall(data, Indices({1, 1}, {index}));
    case OperatorId::kScatterElements:
      return ScatterElementsCall(data, Indices({1}, {index}), update);
    case OperatorId::kScatterND:
      return ScatterNDCall(data, Indices({1, 1}, {index}), update);
  }
  return {};
}

Tensor Expected(OperatorId op, Dialect dialect, Does does) {
  if (IsScatter(op)) {
    return TensorOf<int32_t>({3}, {10, 20, does == Does::kSkips ? 30 : 5});
  }
  const int32_t fill =
      dialect == Dialect::kJax ? std::numeric_limits<int32_t>::min() : 0;
  return TensorOf<int32_t>({1}, {does == Does::kSkips ? fill : 30});
}

void ExpectDoes(OperatorId op, Dialect dialect, int64_t index, Does does) {
  SCOPED_TRACE(OperatorName(op));
  const OperatorCall call = OneIndex(op, index);
  if (does == Does::kFails) {
    ExpectRefusedIn(dialect, call, kOutOfRange, "of size 3");
  } else {
    ExpectIn(dialect, call, Expected(op, dialect, does));
  }
}

TEST(Dialects, NegativeIndicesMeanWhatTheFrameworkMeans) {
  for (const auto& [op, rules] : kRules) {
    for (const auto& [dialect, rule] : rules) {
      ExpectDoes(op, dialect, -1, rule.negative);
    }
  }
}

TEST(Dialects, IndicesBeyondTheAxisDoWhatTheFrameworkDoes) {
  for (const auto& [op, rules] : kRules) {
    for (const auto& [dialect, rule] : rules) {
      ExpectDoes(op, dialect, 3, rule.beyond);
    }
  }
}

TEST(Dialects, NegativeIndicesCountOnce) {
  for (const auto& [op, rules] : kRules) {
    for (const auto& [dialect, rule] : rules) {
      if (rule.beyond == Does::kNearest) continue;  // the first one, then
      ExpectDoes(op, dialect, -4, rule.beyond);
    }
  }
  ExpectIn(Dialect::kJax, OneIndex(OperatorId::kGatherND, -4),
           TensorOf<int32_t>({1}, {10}));
}

TEST(Dialects, AnOptionThatIsSetWins) {
  OperatorCall call = OneIndex(OperatorId::kGather, -1);
  call.options.negative_indices = NegativeIndices::kFromEnd;
  ExpectIn(Dialect::kTensorflow, call, TensorOf<int32_t>({1}, {30}));
  ExpectIn(Dialect::kPytorch, call, TensorOf<int32_t>({1}, {30}));
  call.options.negative_indices = NegativeIndices::kOutOfBounds;
  ExpectRefusedIn(Dialect::kNumpy, call, kOutOfRange, "gather: C7");

  call = OneIndex(OperatorId::kScatterND, 3);
  call.options.out_of_bounds = OutOfBounds::kError;
  ExpectRefusedIn(Dialect::kTensorflowGpu, call, kOutOfRange,
                  "scatter_nd: C10");
  call.options.out_of_bounds = OutOfBounds::kClamp;
  ExpectIn(Dialect::kTensorflow, call, TensorOf<int32_t>({3}, {10, 20, 5}));

  call = OneIndex(OperatorId::kGather, 3);
  call.options.fill_value = TensorOf<int32_t>({}, {-7});
  ExpectIn(Dialect::kJax, call, TensorOf<int32_t>({1}, {-7}));
  call.options.out_of_bounds = OutOfBounds::kWrap;
  ExpectIn(Dialect::kJax, call, TensorOf<int32_t>({1}, {10}));
}

TEST(Dialects, AnOptionThatIsSetWinsOverDuplicatesAndNan) {
  OperatorCall call =
      ScatterElementsCall(Floats({1}), Indices({2}, {0, 0}), Floats({2, 3}));
  for (const Dialect dialect : kAllDialects) {
    call.options.duplicates.reset();
    ExpectIn(dialect, call, Floats({3}));
    call.options.duplicates = Duplicates::kFirstWins;
    ExpectIn(dialect, call, Floats({2}));
  }
  call.options = {};
  call.attributes.reduction = Reduction::kMax;
  call.updates = Floats({NAN, 3});
  for (const Dialect dialect : kAllDialects) {
    call.options.nan.reset();
    ExpectIn(dialect, call, Floats({NAN}));
    call.options.nan = NanPolicy::kIgnore;
    ExpectIn(dialect, call, Floats({3}));
  }
}

// torch.scatter_reduce sums halves in FLOAT, index_put does not (PyTorch 2.15).
TEST(Dialects, HalvesAreSummedAsTheFrameworkSumsThem) {
  const Tensor data = Halves<Float16>({1}, {2048});
  const Tensor ones = Halves<Float16>({2}, {1, 1});
  OperatorCall elements =
      ScatterElementsCall(data, Indices({2}, {0, 0}), ones, 0, Reduction::kAdd);
  const OperatorCall tuples =
      ScatterNDCall(data, Indices({2, 1}, {0, 0}), ones, Reduction::kAdd);
  const Tensor rounded = Halves<Float16>({1}, {2048});
  const Tensor exact = Halves<Float16>({1}, {2050});
  for (const Dialect dialect : kAllDialects) {
    elements.options.accumulation.reset();
    ExpectIn(dialect, elements, dialect == Dialect::kPytorch ? exact : rounded);
    elements.options.accumulation = Accumulation::kNative;
    ExpectIn(dialect, elements, rounded);
    elements.options.accumulation = Accumulation::kWide;
    ExpectIn(dialect, elements, exact);
    ExpectIn(dialect, tuples, rounded);
  }
}

// --- Fill values ------------------------------------------------------------

template <typename T>
void ExpectJaxFill(const Tensor& data, T fill) {
  ExpectIn(Dialect::kJax, GatherCall(data, Indices({1}, {99})),
           TensorOf<T>({1}, {fill}));
}

TEST(Dialects, JaxFillsWithNanOrTheLimitOfTheType) {
  ExpectJaxFill<float>(Full<float>({2}, 1), NAN);
  ExpectJaxFill<double>(Full<double>({2}, 1), NAN);
  ExpectJaxFill<int8_t>(Full<int8_t>({2}, 1), -128);
  ExpectJaxFill<int16_t>(Full<int16_t>({2}, 1), -32768);
  ExpectJaxFill<int64_t>(Full<int64_t>({2}, 1), INT64_MIN);
  ExpectJaxFill<uint8_t>(Full<uint8_t>({2}, 1), 255);
  ExpectJaxFill<uint16_t>(Full<uint16_t>({2}, 1), 65535);
  ExpectJaxFill<uint32_t>(Full<uint32_t>({2}, 1), UINT32_MAX);
  ExpectJaxFill<uint64_t>(Full<uint64_t>({2}, 1), UINT64_MAX);
  ExpectJaxFill<Complex64>(Full<Complex64>({2}, {1, 1}), {NAN, 0});
  ExpectJaxFill<Complex128>(Full<Complex128>({2}, {1, 1}), {NAN, 0});
  const OperatorCall bools =
      GatherCall(Bools({2}, {false, false}), Indices({1}, {99}));
  ExpectIn(Dialect::kJax, bools, Bools({1}, {true}));
  ExpectIn(Dialect::kJax,
           GatherCall(Halves<Float16>({1}, {1}), Indices({1}, {99})),
           Halves<Float16>({1}, {NAN}));
  ExpectIn(Dialect::kJax,
           GatherCall(Halves<BFloat16>({1}, {1}), Indices({1}, {99})),
           Halves<BFloat16>({1}, {NAN}));
  ExpectIn(Dialect::kJax,
           GatherCall(Bytes(DType::kFloat8E4M3FN, {1}, {0}), Indices({1}, {9})),
           Bytes(DType::kFloat8E4M3FN, {1}, {0x7f}));
}

TEST(Dialects, TensorflowOnAGpuFillsWithZero) {
  ExpectIn(Dialect::kTensorflowGpu, GatherCall(Floats({1}), Indices({1}, {9})),
           Floats({0}));
  ExpectIn(Dialect::kTensorflowGpu,
           GatherCall(Strings({1}, {"a"}), Indices({1}, {9})),
           Strings({1}, {""}));
}

// --- Complex numbers --------------------------------------------------------

// tensorflow/tensorflow PR#33021, #40577
TEST(Dialects, ComplexNumbersAreOrderedWhereTheFrameworkOrdersThem) {
  const auto call = [](Reduction reduction, Complex64 update) {
    return ScatterElementsCall(
        TensorOf<Complex64>({1}, {{1, 1}}), Indices({1}, {0}),
        TensorOf<Complex64>({1}, {update}), 0, reduction);
  };
  const auto is = [](Complex64 value) {
    return TensorOf<Complex64>({1}, {value});
  };
  for (const Dialect dialect : kAllDialects) {
    ExpectIn(dialect, call(Reduction::kSub, {2, 3}), is({-1, -2}));
    ExpectIn(dialect, call(Reduction::kAdd, {2, 3}), is({3, 4}));
    ExpectIn(dialect, call(Reduction::kMul, {2, 3}), is({-1, 5}));
    if (dialect == Dialect::kJax || dialect == Dialect::kNumpy) {
      ExpectIn(dialect, call(Reduction::kMax, {2, -3}), is({2, -3}));
      ExpectIn(dialect, call(Reduction::kMax, {1, 5}), is({1, 5}));
      ExpectIn(dialect, call(Reduction::kMin, {2, -3}), is({1, 1}));
      ExpectIn(dialect, call(Reduction::kMin, {1, -5}), is({1, -5}));
    } else {
      ExpectRefusedIn(dialect, call(Reduction::kMax, {2, 3}), kInvalid,
                      "scatter_elements: C8");
      ExpectRefusedIn(dialect, call(Reduction::kMin, {2, 3}), kInvalid,
                      "scatter_elements: C8");
    }
  }
}

// --- Gradients --------------------------------------------------------------

TEST(Dialects, DuplicatesReceiveGradientAsTheFrameworkGivesIt) {
  for (const Dialect dialect : kAllDialects) {
    GradientCall call;
    call.forward = ScatterElementsCall(Floats({1, 2}), Indices({2}, {0, 0}),
                                       Floats({3, 4}));
    call.forward.options.dialect = dialect;
    call.grad_output = Floats({10, 20});
    const auto result = CallServerGradient(call);
    ASSERT_THAT(result, IsOk());
    const bool winner = dialect == Dialect::kOnnx || dialect == Dialect::kJax ||
                        dialect == Dialect::kNumpy;
    EXPECT_THAT(result->grad_data, EqualsTensor(Floats({0, 20})));
    EXPECT_THAT(*result->grad_updates,
                EqualsTensor(winner ? Floats({0, 10}) : Floats({10, 10})));
  }
}

TEST(Dialects, TheGradientRequestsDialectWinsOverTheForwardRequests) {
  GradientCall call;
  call.forward =
      ScatterElementsCall(Floats({1, 2}), Indices({2}, {0, 0}), Floats({3, 4}));
  call.forward.options.dialect = Dialect::kOnnx;
  call.options.dialect = Dialect::kPytorch;
  call.grad_output = Floats({10, 20});
  EXPECT_THAT(*CallServerGradient(call)->grad_updates,
              EqualsTensor(Floats({10, 10})));
}

// --- Public reports ---------------------------------------------------------

// tensorflow/tensorflow#12608, #56567
TEST(Dialects, TensorflowRaisesOnTheCpuAndSkipsOnTheGpu) {
  const OperatorCall gather =
      GatherNDCall(Full<float>({5, 5, 5}, 1), Indices({1, 3}, {6, 6, 6}));
  ExpectRefusedIn(Dialect::kTensorflow, gather, kOutOfRange, "gather_nd: C8");
  ExpectIn(Dialect::kTensorflowGpu, gather, Floats({0}));
  OperatorCall scatter = ScatterNDCall(Floats({}), Indices({3, 1}, {-1, 1, 2}),
                                       Floats({10, 11, 12}), Reduction::kAdd);
  scatter.data = ZerosSpec{{DType::kFloat, {5}}};
  ExpectRefusedIn(Dialect::kTensorflow, scatter, kOutOfRange,
                  "scatter_nd: C10");
  ExpectIn(Dialect::kTensorflowGpu, scatter, Floats({0, 11, 12, 0, 0}));
}

// mindspore-ai/mindspore#271
TEST(Dialects, MindsporeDropsAnIndexAndAppliesThoseBehindIt) {
  const OperatorCall call = ScatterElementsCall(
      Full<int64_t>({3, 5}, 2), Indices({2, 3}, {0, -10000, 2, 0, 1, 4}),
      Indices({2, 3}, {0, 10, 20, 50, 60, 70}), 1);
  ExpectIn(Dialect::kMindspore, call,
           Indices({3, 5}, {0, 2, 20, 2, 2, 50, 60, 2, 2, 70, 2, 2, 2, 2, 2}));
  ExpectRefusedIn(Dialect::kOnnx, call, kOutOfRange, "indices[0,1]");
}

// jax-ml/jax#21708, aws-neuron/aws-neuron-sdk#1335
TEST(Dialects, SentinelsAreDropped) {
  OperatorCall call = ScatterElementsCall(
      Full<int64_t>({4}, -1), Indices({8}, {-1, -1, 0, 1, 2, 3, -1, -1}),
      Iota<int64_t>({8}));
  call.options.negative_indices = NegativeIndices::kOutOfBounds;
  ExpectIn(Dialect::kJax, call, Indices({4}, {2, 3, 4, 5}));
  const Tensor far = TensorOf<int32_t>({2}, {1, 2147483647});
  ExpectIn(Dialect::kJax,
           ScatterElementsCall(Full<float>({3}, 0), far, Floats({7, 8})),
           Floats({0, 7, 0}));
  OperatorCall gather = GatherCall(Floats({1, 2, 3}), far);
  gather.options.fill_value = TensorOf<float>({}, {-1});
  ExpectIn(Dialect::kJax, gather, Floats({2, -1}));
}

}  // namespace
}  // namespace scatterd::test
