#include "server/tensor_ops_methods.h"

#include <utility>

#include "core/call.h"
#include "core/errors.h"
#include "core/status_macros.h"
#include "server/dispatcher.h"

namespace scatterd {
namespace {

class OperatorMethod final : public MethodCall {
 public:
  OperatorMethod(OperatorId op, const CallResources& resources)
      : op_(op), resources_(resources) {}

  absl::Status Decode(MessagePieces message, ReserveBytes reserve) override {
    SCATTERD_ASSIGN_OR_RETURN(call_, DecodeCall(op_, message, reserve));
    return absl::OkStatus();
  }

  absl::Status Prepare() override {
    SCATTERD_ASSIGN_OR_RETURN(prepared_,
                              resources_.dispatcher.Prepare(std::move(call_)));
    return absl::OkStatus();
  }

  uint64_t work_bytes() const override { return prepared_.work_bytes(); }

  absl::StatusOr<EncodedMessage> Execute(const Cancellation& cancellation,
                                         Ticket& ticket,
                                         uint64_t queue_ns) override {
    SCATTERD_ASSIGN_OR_RETURN(
        const OperatorResult result,
        resources_.dispatcher.Execute(std::move(prepared_), cancellation,
                                      ticket, queue_ns));
    SCATTERD_RETURN_IF_ERROR(CheckStrings(result, ticket));
    return EncodeResult(result);
  }

 private:
  // Strings that share bytes here are repeated on the wire.
  absl::Status CheckStrings(const OperatorResult& result,
                            Ticket& ticket) const {
    if (!result.output || result.output->dtype() != DType::kString) {
      return absl::OkStatus();
    }
    const uint64_t bytes = EncodedTensorSize(*result.output);
    if (bytes > resources_.max_output_bytes) {
      return LimitError("--max_output_bytes", bytes,
                        resources_.max_output_bytes);
    }
    return ticket.Grow(bytes);
  }

  const OperatorId op_;
  const CallResources& resources_;
  OperatorCall call_;
  PlannedCall prepared_;
};

class GradientMethod final : public MethodCall {
 public:
  explicit GradientMethod(const CallResources& resources)
      : resources_(resources) {}

  absl::Status Decode(MessagePieces message, ReserveBytes reserve) override {
    SCATTERD_ASSIGN_OR_RETURN(call_, DecodeGradientCall(message, reserve));
    return absl::OkStatus();
  }

  absl::Status Prepare() override {
    SCATTERD_ASSIGN_OR_RETURN(
        prepared_, resources_.dispatcher.PrepareGradient(std::move(call_)));
    return absl::OkStatus();
  }

  uint64_t work_bytes() const override { return prepared_.work_bytes(); }

  absl::StatusOr<EncodedMessage> Execute(const Cancellation& cancellation,
                                         Ticket& ticket,
                                         uint64_t queue_ns) override {
    SCATTERD_ASSIGN_OR_RETURN(
        const GradientResult result,
        resources_.dispatcher.ExecuteGradient(std::move(prepared_),
                                              cancellation, ticket, queue_ns));
    return EncodeGradientResult(result);
  }

 private:
  const CallResources& resources_;
  GradientCall call_;
  PlannedGradient prepared_;
};

}  // namespace

std::unique_ptr<MethodCall> MakeOperatorMethodCall(
    OperatorId op, const CallResources& resources) {
  return std::make_unique<OperatorMethod>(op, resources);
}

std::unique_ptr<MethodCall> MakeGradientMethodCall(
    const CallResources& resources) {
  return std::make_unique<GradientMethod>(resources);
}

}  // namespace scatterd
