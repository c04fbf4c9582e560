#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "core/errors.h"
#include "core/graph_plan.h"
#include "core/status_macros.h"
#include "server/dispatcher.h"
#include "server/graph_run.h"
#include "server/operands.h"
#include "server/stopwatch.h"

namespace scatterd {
namespace {

absl::Status CheckFeeds(const GraphCall& call) {
  for (const auto& [name, operand] : call.feeds) {
    SCATTERD_RETURN_IF_ERROR(
        internal::ResolveOperand(
            "run", absl::StrCat("feeds[", QuotedName(name), "]"), operand)
            .status());
  }
  return absl::OkStatus();
}

// The specs were planned with, so every size is known to fit.
uint64_t BytesOf(const GraphPlan& plan, size_t tensor) {
  return *CheckedByteSize(plan.tensors[tensor].spec);
}

uint64_t OperandBytes(const GraphPlan& plan, const GraphStep& step) {
  uint64_t bytes = step.indices ? BytesOf(plan, *step.indices) : 0;
  const bool from_zeros =
      PlanOf(step).is_scatter &&
      std::holds_alternative<ZerosSpec>(plan.tensors[step.data].source);
  if (!from_zeros) bytes += BytesOf(plan, step.data);
  if (PlanOf(step).is_scatter) bytes += BytesOf(plan, step.updates);
  return bytes;
}

}  // namespace

absl::StatusOr<GraphResult> Dispatcher::DispatchGraph(
    GraphCall call, const Cancellation& cancellation, Ticket& ticket,
    uint64_t queue_ns) const {
  SCATTERD_ASSIGN_OR_RETURN(PlannedGraph prepared,
                            PrepareGraph(std::move(call)));
  return ExecuteGraph(std::move(prepared), cancellation, ticket, queue_ns);
}

absl::StatusOr<PlannedGraph> Dispatcher::PrepareGraph(GraphCall call) const {
  SCATTERD_RETURN_IF_ERROR(
      internal::CheckDevice("run", call.options, backend_.device()));
  SCATTERD_RETURN_IF_ERROR(CheckFeeds(call));
  PlannedGraph prepared;
  SCATTERD_ASSIGN_OR_RETURN(prepared.plan, PlanGraph(call));
  const GraphPlan& plan = prepared.plan;
  for (const GraphStep& step : plan.steps) {
    const uint64_t bytes = BytesOf(plan, step.output);
    if (bytes > limits_.max_output_bytes) {
      return AtNode(step.label, LimitError("--max_output_bytes", bytes,
                                           limits_.max_output_bytes));
    }
    prepared.output_bytes += bytes;
    prepared.operand_bytes += OperandBytes(plan, step);
  }
  uint64_t fetched_bytes = 0;
  for (const size_t fetch : plan.fetches) {
    fetched_bytes += BytesOf(plan, fetch);
    if (fetched_bytes > limits_.max_output_bytes) {
      return LimitError("--max_output_bytes", fetched_bytes,
                        limits_.max_output_bytes);
    }
  }
  prepared.options = std::move(call.options);
  prepared.fetches = std::move(call.fetches);
  return prepared;
}

absl::StatusOr<GraphResult> Dispatcher::ExecuteGraph(
    PlannedGraph prepared, const Cancellation& cancellation, Ticket& ticket,
    uint64_t queue_ns) const {
  const Stopwatch stopwatch;
  SCATTERD_RETURN_IF_ERROR(cancellation.Check());
  const RunContext context{pool_, cancellation};
  internal::GraphRun run(std::move(prepared.plan), prepared.options,
                         limits_.max_output_bytes, backend_, context, ticket);
  GraphResult result;
  SCATTERD_ASSIGN_OR_RETURN(result.outputs, run.Run());
  for (size_t i = 0; i < result.outputs.size(); ++i) {
    result.outputs[i].set_name(std::move(prepared.fetches[i]));
  }
  result.stats.queue_ns = queue_ns;
  result.stats.compute_ns = stopwatch.elapsed_ns();
  result.stats.device = std::string(backend_.device());
  result.stats.bytes_read = prepared.operand_bytes;
  result.stats.bytes_written = prepared.output_bytes;
  return result;
}

}  // namespace scatterd
