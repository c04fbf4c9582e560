// Dialects through the real server: shapes, empty tuples, indices of rank 1 and
// batch_dims, each cell of core/dialects.inc by what a caller sees of it.

#include "gtest/gtest.h"
#include "tests/integration/dialect_testing.h"
#include "tests/testing/tensor_literals.h"

namespace scatterd::test {
namespace {

// --- Tuples of no components, indices of rank 1 -----------------------------

TEST(Dialects, EmptyTuplesOfAGatherCopyDataOrAreRefused) {
  const OperatorCall call = GatherNDCall(Floats({1, 2}), Indices({3, 0}, {}));
  const Tensor copies = TensorOf<float>({3, 2}, {1, 2, 1, 2, 1, 2});
  for (const Dialect dialect :
       {Dialect::kTensorflow, Dialect::kTensorflowGpu, Dialect::kPytorch,
        Dialect::kJax, Dialect::kNumpy}) {
    ExpectIn(dialect, call, copies);
  }
  for (const Dialect dialect : {Dialect::kOnnx, Dialect::kMindspore}) {
    ExpectRefusedIn(dialect, call, kInvalid, "gather_nd: C6");
  }
}

TEST(Dialects, EmptyTuplesOfAScatterMeetAllOfDataOrAreRefused) {
  const OperatorCall call = ScatterNDCall(
      Floats({1, 2}), Indices({2, 0}, {}),
      TensorOf<float>({2, 2}, {10, 20, 100, 200}), Reduction::kAdd);
  for (const Dialect dialect :
       {Dialect::kOnnx, Dialect::kJax, Dialect::kNumpy}) {
    ExpectIn(dialect, call, Floats({111, 222}));
  }
  for (const Dialect dialect : {Dialect::kTensorflow, Dialect::kTensorflowGpu,
                                Dialect::kMindspore, Dialect::kPytorch}) {
    ExpectRefusedIn(dialect, call, kInvalid, "scatter_nd: C6");
  }
}

// microsoft/onnxruntime#9411
TEST(Dialects, IndicesOfRankOneAreOneTupleOrRefused) {
  const Tensor data = Floats({1, 2, 3});
  const OperatorCall tuple =
      ScatterNDCall(data, Indices({1}, {1}), TensorOf<float>({}, {5}));
  const OperatorCall list =
      ScatterNDCall(data, Indices({2}, {1, 0}), Floats({5, 6}));
  for (const Dialect dialect :
       {Dialect::kOnnx, Dialect::kPytorch, Dialect::kJax, Dialect::kNumpy}) {
    ExpectIn(dialect, tuple, Floats({1, 5, 3}));
    ExpectRefusedIn(dialect, list, kInvalid, "scatter_nd: C6");
  }
  for (const Dialect dialect :
       {Dialect::kTensorflow, Dialect::kTensorflowGpu, Dialect::kMindspore}) {
    ExpectRefusedIn(dialect, tuple, kInvalid, "scatter_nd: C3");
    ExpectRefusedIn(dialect, list, kInvalid, "scatter_nd: C3");
  }
  // A gather takes them for one tuple everywhere.
  for (const Dialect dialect : kAllDialects) {
    ExpectIn(dialect, GatherNDCall(data, Indices({1}, {1})),
             TensorOf<float>({}, {2}));
  }
}

// --- Shapes -----------------------------------------------------------------

TEST(Dialects, PytorchReadsTheLeadingCornerOfLongerUpdates) {
  const OperatorCall call =
      ScatterElementsCall(Full<float>({2, 3}, 0), Indices({1, 2}, {1, 0}),
                          TensorOf<float>({2, 3}, {1, 2, 3, 4, 5, 6}));
  ExpectIn(Dialect::kPytorch, call,
           TensorOf<float>({2, 3}, {0, 2, 0, 1, 0, 0}));
  for (const Dialect dialect :
       {Dialect::kOnnx, Dialect::kTensorflow, Dialect::kTensorflowGpu,
        Dialect::kMindspore, Dialect::kNumpy, Dialect::kJax}) {
    ExpectRefusedIn(dialect, call, kInvalid, "scatter_elements: C");
  }
  // pytorch/pytorch#5405: but not of shorter ones.
  ExpectRefusedIn(
      Dialect::kPytorch,
      ScatterElementsCall(Full<int64_t>({5}, 0), Indices({4}, {2, 0, 3, 3}),
                          Full<int64_t>({1}, 1), 0, Reduction::kAdd),
      kInvalid, "scatter_elements: C7");
}

TEST(Dialects, UpdatesOfTuplesBroadcast) {
  const OperatorCall scalar =
      ScatterNDCall(Full<float>({3, 2}, 0), Indices({2, 1}, {2, 0}),
                    TensorOf<float>({}, {7}));
  const OperatorCall row =
      ScatterNDCall(Full<float>({3, 2}, 0), Indices({2, 1}, {2, 0}),
                    Floats({1, 2}), Reduction::kAdd);
  for (const Dialect dialect :
       {Dialect::kPytorch, Dialect::kJax, Dialect::kNumpy}) {
    ExpectIn(dialect, scalar, TensorOf<float>({3, 2}, {7, 7, 0, 0, 7, 7}));
    ExpectIn(dialect, row, TensorOf<float>({3, 2}, {1, 2, 0, 0, 1, 2}));
  }
  for (const Dialect dialect : {Dialect::kOnnx, Dialect::kTensorflow,
                                Dialect::kTensorflowGpu, Dialect::kMindspore}) {
    ExpectRefusedIn(dialect, scalar, kInvalid, "scatter_nd: C8");
    ExpectRefusedIn(dialect, row, kInvalid, "scatter_nd: C8");
  }
}

// numpy: put_along_axis(zeros((2, 3)), [[0, 2], [1, 1]], [[5], [6]], 1)
TEST(Dialects, UpdatesOfElementsBroadcast) {
  const OperatorCall call =
      ScatterElementsCall(Full<float>({2, 3}, 0), Indices({2, 2}, {0, 2, 1, 1}),
                          TensorOf<float>({2, 1}, {5, 6}), 1);
  const Tensor expected = TensorOf<float>({2, 3}, {5, 0, 5, 0, 6, 0});
  ExpectIn(Dialect::kNumpy, call, expected);
  ExpectIn(Dialect::kJax, call, expected);
  ExpectRefusedIn(Dialect::kPytorch, call, kInvalid, "scatter_elements: C7");
}

// numpy: take_along_axis.
TEST(Dialects, DataAndIndicesOfElementsBroadcast) {
  for (const Dialect dialect : {Dialect::kNumpy, Dialect::kJax}) {
    ExpectIn(dialect,
             GatherElementsCall(TensorOf<float>({1, 3}, {1, 2, 3}),
                                Indices({2, 2}, {0, 2, 1, 1}), 1),
             TensorOf<float>({2, 2}, {1, 3, 2, 2}));
    ExpectIn(
        dialect,
        GatherElementsCall(Iota<float>({2, 3}), Indices({1, 2}, {2, 0}), 1),
        TensorOf<float>({2, 2}, {2, 0, 5, 3}));
    ExpectRefusedIn(
        dialect,
        GatherElementsCall(Iota<float>({3, 3}), Indices({2, 1}, {2, 0}), 1),
        kInvalid, "gather_elements: C5");
  }
  // Elsewhere shorter indices take a corner, and longer ones are refused.
  ExpectIn(Dialect::kPytorch,
           GatherElementsCall(Iota<float>({3, 3}), Indices({2, 1}, {2, 0}), 1),
           TensorOf<float>({2, 1}, {2, 3}));
  ExpectRefusedIn(Dialect::kPytorch,
                  GatherElementsCall(TensorOf<float>({1, 3}, {1, 2, 3}),
                                     Indices({2, 2}, {0, 2, 1, 1}), 1),
                  kInvalid, "gather_elements: C5");
}

TEST(Dialects, BroadcastUpdatesThatCannotBeCountedAreRefused) {
  const int64_t many = int64_t{1} << 59;
  ExpectRefusedIn(Dialect::kNumpy,
                  ScatterNDCall(Full<float>({8}, 0), Indices({many, 0}, {}),
                                TensorOf<float>({}, {1})),
                  kInvalid, "scatter_nd: C8");
}

// --- batch_dims of TensorFlow's gather --------------------------------------

// tensorflow/tensorflow#42522
TEST(Dialects, NegativeBatchDimsCountFromTheRankOfIndices) {
  const OperatorCall call =
      GatherCall(Iota<float>({2, 3}), Indices({2, 1, 2}, {0, 1, 1, 0}), 1, -3);
  const Tensor expected =
      TensorOf<float>({2, 2, 1, 2}, {0, 1, 1, 0, 3, 4, 4, 3});
  ExpectIn(Dialect::kTensorflow, call, expected);
  ExpectIn(Dialect::kTensorflowGpu, call, expected);
  for (const Dialect dialect :
       {Dialect::kOnnx, Dialect::kMindspore, Dialect::kPytorch, Dialect::kJax,
        Dialect::kNumpy}) {
    ExpectRefusedIn(dialect, call, kInvalid, "gather: C4");
  }
  OperatorCall too_low = call;
  too_low.attributes.batch_dims = -4;
  ExpectRefusedIn(Dialect::kTensorflow, too_low, kInvalid, "gather: C");
}

TEST(Dialects, AnAxisThatIsNotGivenIsTheFirstAfterTheBatch) {
  // tensorflow/tensorflow#32158: as many batch dims as indices has axes.
  const OperatorCall call =
      GatherCall(Iota<float>({2, 3}), Indices({2}, {2, 0}), 0, 1);
  ExpectIn(Dialect::kTensorflow, call, Floats({2, 3}));
  ExpectRefusedIn(Dialect::kOnnx, call, kInvalid, "gather: C4");
  OperatorCall negative = call;
  negative.attributes.batch_dims = -1;
  negative.indices = Indices({2, 1}, {2, 0});
  ExpectIn(Dialect::kTensorflow, negative, TensorOf<float>({2, 1}, {2, 3}));
}

}  // namespace
}  // namespace scatterd::test
