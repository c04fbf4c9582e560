// Service TensorOps on gRPC's asynchronous interface.
//
// One completion queue, polled by one thread, serves all methods: that is the
// fastest form for small calls, and its idle latency is a fifth of the
// callback interface's (docs/performance.md).  Messages arrive as raw
// ByteBuffers, so that a payload is copied once on its way in and never on its
// way out.  Small calls run on the polling thread, large ones on the executor.

#ifndef SCATTERD_SERVER_TENSOR_OPS_SERVICE_H_
#define SCATTERD_SERVER_TENSOR_OPS_SERVICE_H_

#include <cstdint>
#include <memory>

#include "core/executor.h"
#include "grpcpp/completion_queue.h"
#include "grpcpp/impl/service_type.h"
#include "server/admission.h"
#include "server/dispatcher.h"
#include "server/logging.h"

namespace scatterd {

// What a call is served with.  All must outlive the service's last call.
struct CallResources {
  const Dispatcher& dispatcher;
  Admission& admission;
  Executor& executor;
  Log& log;
  uint64_t max_message_bytes;
  uint64_t max_output_bytes;
};

class TensorOpsService {
 public:
  explicit TensorOpsService(const CallResources& resources);
  ~TensorOpsService();

  // What a ServerBuilder registers.
  grpc::Service& grpc_service();

  // Takes calls from now on.  The service's tags on `queue` are QueueEvents;
  // one thread must poll them.  Call after the server has started.
  void Start(grpc::ServerCompletionQueue& queue);

  // Takes no more calls and waits for the last to end.  Call when the server
  // has been shut down, which does not wait for calls whose caller is gone, and
  // before the queue is, which must not end before them.
  void Stop();

  class Impl;

 private:
  std::unique_ptr<Impl> impl_;
};

}  // namespace scatterd

#endif  // SCATTERD_SERVER_TENSOR_OPS_SERVICE_H_
