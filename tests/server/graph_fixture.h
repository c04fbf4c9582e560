// What the tests of graphs in the dispatcher share.

#ifndef SCATTERD_TESTS_SERVER_GRAPH_FIXTURE_H_
#define SCATTERD_TESTS_SERVER_GRAPH_FIXTURE_H_

#include <algorithm>
#include <cstdint>
#include <functional>
#include <utility>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "server/dispatcher.h"
#include "tests/server/wrapped_backend.h"
#include "tests/testing/graph_literals.h"
#include "tests/testing/tensor_literals.h"

namespace scatterd::test {

// The CPU backend; what is in flight when a kernel starts.
class CountingBackend final : public WrappedBackend {
 public:
  explicit CountingBackend(const Admission& admission)
      : admission_(admission) {}

  int runs = 0;
  int in_place = 0;
  uint64_t most_bytes = 0;
  std::function<absl::Status()> before_run;

 private:
  absl::Status BeforeRun(const PlanOperands& operands, const Tensor& output,
                         const RunContext&) override {
    ++runs;
    in_place +=
        operands.data != nullptr && operands.data->bytes() == output.bytes();
    most_bytes = std::max(most_bytes, admission_.inflight_bytes());
    return before_run ? before_run() : absl::OkStatus();
  }

  const Admission& admission_;
};

inline uint64_t BytesOf(const GraphCall& call) {
  uint64_t bytes = 0;
  for (const auto& [name, operand] : call.feeds) {
    const auto* tensor = std::get_if<Tensor>(&operand);
    if (tensor != nullptr) bytes += tensor->byte_size();
  }
  for (const Tensor& tensor : call.graph.initializers) {
    bytes += tensor.byte_size();
  }
  return bytes;
}

class DispatcherGraphTest : public ::testing::Test {
 protected:
  // With a ticket for the call's tensors, as a decoder leaves it.
  absl::StatusOr<GraphResult> Dispatch(GraphCall call) {
    const Dispatcher dispatcher(backend_, pool_, {max_output_bytes_});
    ticket_ = *admission_.Acquire(BytesOf(call));
    return dispatcher.DispatchGraph(std::move(call), cancellation_, ticket_,
                                    /*queue_ns=*/17);
  }

  // The only fetched tensor.
  absl::StatusOr<Tensor> Output(GraphCall call) {
    absl::StatusOr<GraphResult> result = Dispatch(std::move(call));
    if (!result.ok()) return result.status();
    EXPECT_THAT(result->outputs, ::testing::SizeIs(1));
    return result->outputs[0];
  }

  uint64_t max_output_bytes_ = 1 << 20;
  Admission admission_{1 << 20};
  CountingBackend backend_{admission_};
  ThreadPool pool_{2};
  Ticket ticket_;
  Cancellation cancellation_;
};

// x -> scatter1 -> y -> z; j is a constant of the graph.
inline GraphCall SmallGraph() {
  GraphCall call = CallOf({Node("ScatterND", {"x", "i", "u"}, "y"),
                           Node("Gather", {"y", "j"}, "z")},
                          {{"x", TensorOf<float>({4}, {1, 2, 3, 4})},
                           {"i", Indices({2, 1}, {3, 1})},
                           {"u", TensorOf<float>({2}, {9, 8})}},
                          {"z", "y"});
  call.graph.nodes[0].name = "scatter1";
  call.graph.initializers = {Named("j", Indices({3}, {3, 0, 1}))};
  return call;
}

}  // namespace scatterd::test

#endif  // SCATTERD_TESTS_SERVER_GRAPH_FIXTURE_H_
