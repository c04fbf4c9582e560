// Public bug reports about shape rules, aliasing and layout: each kind of
// fault as a small case.  The comment names the report.

#include "core/backends/cpu/cpu_backend.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "server/dispatcher.h"
#include "tests/integration/server_under_test.h"
#include "tests/testing/random_tensors.h"
#include "tests/testing/reference_ops.h"
#include "tests/testing/status_matchers.h"
#include "tests/testing/tensor_literals.h"
#include "tests/testing/tensor_matchers.h"

namespace scatterd::test {
namespace {

constexpr absl::StatusCode kInvalid = absl::StatusCode::kInvalidArgument;

// microsoft/onnxruntime#4853, #7593, NVIDIA/TensorRT#3650
TEST(ShapeRules, IndicesMayBeLongerThanDataOnTheAxis) {
  ExpectOutput(ScatterElementsCall(TensorOf<float>({1, 2}, {1, 2}),
                                   Indices({1, 4}, {0, 0, 0, 1}),
                                   Full<float>({1, 4}, 1), 1, Reduction::kAdd),
               TensorOf<float>({1, 2}, {4, 3}));
  ExpectOutput(GatherElementsCall(TensorOf<float>({1, 2}, {1, 2}),
                                  Indices({1, 4}, {0, 0, 0, 1}), 1),
               TensorOf<float>({1, 4}, {1, 1, 1, 2}));
}

// onnx/onnx#8444, opencv/opencv#29826
TEST(ShapeRules, IndicesMayBeShorterThanDataOffTheAxisButNotLonger) {
  const Tensor data = TensorOf<float>({2, 3}, {10, 11, 12, 20, 21, 22});
  ExpectOutput(GatherElementsCall(data, Indices({1, 2}, {2, 0}), 1),
               TensorOf<float>({1, 2}, {12, 10}));
  ExpectRefused(GatherElementsCall(data, Full<int64_t>({3, 2}, 0), 1), kInvalid,
                "3 vs at most 2");
}

// tenstorrent/tt-metal#56875
TEST(ShapeRules, HighRanksKeepTheirCoordinatesWhenIndicesAreSmaller) {
  std::vector<float> expected(12, 0);
  expected[0] = 1;
  expected[2] = 2;
  ExpectOutput(ScatterElementsCall(Full<float>({2, 3, 1, 1, 2}, 0),
                                   Full<int64_t>({1, 2, 1, 1, 1}, 0),
                                   TensorOf<float>({1, 2, 1, 1, 1}, {1, 2}), 4),
               TensorOf<float>({2, 3, 1, 1, 2}, expected));
}

// tenstorrent/tt-metal#56875: other services stop at rank 4, tuples of 7.
TEST(ShapeRules, RankAndTupleLengthHaveNoSmallLimit) {
  const Shape shape = {2, 1, 2, 1, 2, 1, 2, 1, 2};
  const Tensor data = Iota<float>(shape);
  ExpectOutput(
      GatherNDCall(data, Indices({2, 9}, {1, 0, 1, 0, 1, 0, 1, 0, 1,  //
                                          0, 0, 1, 0, 0, 0, 0, 0, 1})),
      TensorOf<float>({2}, {31, 9}));
  ExpectOutput(
      ScatterElementsCall(
          Full<float>(shape, 0), Full<int64_t>({1, 1, 1, 1, 1, 1, 2, 1, 1}, 1),
          TensorOf<float>({1, 1, 1, 1, 1, 1, 2, 1, 1}, {5, 6}), 8),
      [&] {
        std::vector<float> expected(32, 0);
        expected[1] = 5;
        expected[3] = 6;
        return TensorOf<float>(shape, expected);
      }());
}

// Runs a call with the operands that it has, not with copies of them.
absl::StatusOr<OperatorResult> Dispatch(OperatorCall call) {
  const std::unique_ptr<Backend> backend = MakeCpuBackend();
  ThreadPool pool(2, Pinning::kOff);
  const Dispatcher dispatcher(*backend, pool, {});
  Admission admission(1 << 20);
  absl::StatusOr<Ticket> ticket = admission.Acquire(1);
  if (!ticket.ok()) return ticket.status();
  return dispatcher.Dispatch(std::move(call), Cancellation(), *ticket, 0);
}

// numpy/numpy#9293
TEST(Aliasing, OneTensorAsDataUpdatesAndIndicesIsReadAsItWas) {
  const Tensor data = TensorOf<int64_t>({3}, {1, 2, 3});
  const auto result =
      Dispatch(ScatterElementsCall(data, Indices({3}, {2, 0, 1}), data));
  ASSERT_THAT(result, IsOk());
  EXPECT_THAT(*result->output, EqualsTensor(Indices({3}, {2, 3, 1})));
  EXPECT_THAT(data, EqualsTensor(Indices({3}, {1, 2, 3})));

  const Tensor all = Indices({3}, {2, 0, 1});
  const auto scattered = Dispatch(ScatterElementsCall(all, all, all));
  ASSERT_THAT(scattered, IsOk());
  EXPECT_THAT(*scattered->output, EqualsTensor(Indices({3}, {0, 1, 2})));
  EXPECT_THAT(all, EqualsTensor(Indices({3}, {2, 0, 1})));

  const auto gathered = Dispatch(GatherCall(all, all));
  ASSERT_THAT(gathered, IsOk());
  EXPECT_THAT(*gathered->output, EqualsTensor(Indices({3}, {1, 2, 0})));
}

// The same with data that the call alone holds, so that it works in place.
TEST(Aliasing, UpdatesThatBorrowFromDataAreReadAsTheyWere) {
  OperatorCall call =
      ScatterElementsCall(Indices({3}, {1, 2, 3}), Indices({3}, {2, 0, 1}),
                          Indices({3}, {1, 2, 3}));
  const auto result = Dispatch(std::move(call));
  ASSERT_THAT(result, IsOk());
  EXPECT_THAT(*result->output, EqualsTensor(Indices({3}, {2, 3, 1})));
}

// Exchanges the first two of three axes.
template <typename T>
Tensor Transpose(const Tensor& tensor) {
  const Shape& shape = tensor.shape();
  std::vector<T> values(tensor.num_elements());
  size_t from = 0;
  for (int64_t i = 0; i < shape[0]; ++i) {
    for (int64_t j = 0; j < shape[1]; ++j) {
      for (int64_t k = 0; k < shape[2]; ++k) {
        values[(j * shape[0] + i) * shape[2] + k] = tensor.values<T>()[from++];
      }
    }
  }
  return TensorOf<T>({shape[1], shape[0], shape[2]}, values);
}

// flagos-ai/FlagGems#6448, pytorch/pytorch#22513, #175191
TEST(Layout, AnAxisInTheMiddleIsTheFirstAxisOfTheTransposedProblem) {
  RandomTensors random(7);
  const Tensor data =
      random.Make({DType::kFloat, {3, 4, 5}}, RandomTensors::Values::kOrdinary);
  const Tensor indices = random.MakeIndices(DType::kInt64, {2, 9, 4}, -4, 4);
  const Tensor updates =
      random.Make({DType::kFloat, {2, 9, 4}}, RandomTensors::Values::kOrdinary);
  for (const Reduction reduction : {Reduction::kNone, Reduction::kAdd}) {
    const auto first = CallServer(
        ScatterElementsCall(Transpose<float>(data), Transpose<int64_t>(indices),
                            Transpose<float>(updates), 0, reduction));
    ASSERT_THAT(first, IsOk());
    const Tensor expected = Transpose<float>(*first->output);
    for (const int64_t axis : {1, -2}) {
      ExpectOutput(ScatterElementsCall(data, indices, updates, axis, reduction),
                   expected);
    }
  }
}

}  // namespace
}  // namespace scatterd::test
