// What a method of TensorOps does with a call, between the bytes that come and
// those that go.

#ifndef SCATTERD_SERVER_TENSOR_OPS_METHODS_H_
#define SCATTERD_SERVER_TENSOR_OPS_METHODS_H_

#include <cstdint>
#include <memory>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "core/cancellation.h"
#include "core/operator_id.h"
#include "proto/codec.h"
#include "server/admission.h"
#include "server/tensor_ops_service.h"

namespace scatterd {

// One call.  The functions are called once each, in this order, as far as they
// succeed; perhaps on different threads, but not at the same time.
class MethodCall {
 public:
  virtual ~MethodCall() = default;

  // Nothing refers to the message afterwards.
  virtual absl::Status Decode(MessagePieces message, ReserveBytes reserve) = 0;

  // Checks what needs no data.
  virtual absl::Status Prepare() = 0;

  // After Prepare: bytes that Execute will read and write.
  virtual uint64_t work_bytes() const = 0;

  // The reply.  `ticket` grows by what is allocated; `queue_ns` is how long
  // the call waited for this thread.
  virtual absl::StatusOr<EncodedMessage> Execute(
      const Cancellation& cancellation, Ticket& ticket, uint64_t queue_ns) = 0;
};

// `resources` must outlive the call.
std::unique_ptr<MethodCall> MakeOperatorMethodCall(
    OperatorId op, const CallResources& resources);
std::unique_ptr<MethodCall> MakeGradientMethodCall(
    const CallResources& resources);
std::unique_ptr<MethodCall> MakeRunMethodCall(const CallResources& resources);

}  // namespace scatterd

#endif  // SCATTERD_SERVER_TENSOR_OPS_METHODS_H_
