#include <utility>

#include "core/errors.h"
#include "core/graph.h"
#include "core/graph_plan.h"
#include "core/status_macros.h"
#include "proto/graph_codec.h"
#include "server/dispatcher.h"
#include "server/tensor_ops_methods.h"

namespace scatterd {
namespace {

class RunMethod final : public MethodCall {
 public:
  explicit RunMethod(const CallResources& resources) : resources_(resources) {}

  absl::Status Decode(MessagePieces message, ReserveBytes reserve) override {
    SCATTERD_ASSIGN_OR_RETURN(call_, DecodeGraphCall(message, reserve));
    return reserve(call_.graph.nodes.size() * kPlannedNodeBytes);
  }

  absl::Status Prepare() override {
    SCATTERD_ASSIGN_OR_RETURN(
        prepared_, resources_.dispatcher.PrepareGraph(std::move(call_)));
    return absl::OkStatus();
  }

  uint64_t work_bytes() const override { return prepared_.work_bytes(); }

  absl::StatusOr<EncodedMessage> Execute(const Cancellation& cancellation,
                                         Ticket& ticket,
                                         uint64_t queue_ns) override {
    SCATTERD_ASSIGN_OR_RETURN(
        const GraphResult result,
        resources_.dispatcher.ExecuteGraph(std::move(prepared_), cancellation,
                                           ticket, queue_ns));
    SCATTERD_RETURN_IF_ERROR(CheckStrings(result, ticket));
    return EncodeGraphResult(result);
  }

 private:
  // Strings that share bytes here are repeated on the wire.
  absl::Status CheckStrings(const GraphResult& result, Ticket& ticket) const {
    uint64_t bytes = 0;
    for (const Tensor& output : result.outputs) {
      if (output.dtype() != DType::kString) continue;
      bytes += EncodedTensorSize(output);
      if (bytes > resources_.max_output_bytes) {
        return LimitError("--max_output_bytes", bytes,
                          resources_.max_output_bytes);
      }
    }
    return ticket.Grow(bytes);
  }

  const CallResources& resources_;
  GraphCall call_;
  PlannedGraph prepared_;
};

}  // namespace

std::unique_ptr<MethodCall> MakeRunMethodCall(const CallResources& resources) {
  return std::make_unique<RunMethod>(resources);
}

}  // namespace scatterd
