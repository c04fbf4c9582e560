// The C++ client of scatterd.
//
//   auto client = scatterd::Client::Create("localhost:50051");
//   if (!client.ok()) ...
//   std::vector<int64_t> indices = {4, 3, 1, 7};  // a 4x1 tensor
//   std::vector<float> updates = {9, 10, 11, 12};
//   absl::StatusOr<scatterd::Tensor> output = (*client)->ScatterND(
//       scatterd::ZerosSpec{{scatterd::DType::kFloat, {8}}},
//       *scatterd::BorrowTensor<int64_t>({4, 1}, indices),
//       *scatterd::BorrowTensor<float>({4}, updates));
//   // output->values<float>() is 0 11 0 10 9 0 0 12
//
// Three layers, each usable by itself:
//   - a function per operator (Gather ... ScatterND): operands in, Tensor out;
//   - Call, CallAsync and CallFuture: any OperatorCall (core/call.h), also with
//     operands or results that stay in the server, with the server's timings;
//     Gradient, GradientAsync and GradientFuture: the gradients of one;
//     Run, RunAsync and RunFuture: a graph of operators (core/graph.h);
//   - CallOptions and ClientOptions: deadlines, cancellation, retries.
//
// Memory.  Operands are sent from where they lie, without a copy; a Tensor made
// by BorrowTensor or Tensor::Borrow refers to the caller's memory, which must
// stay as it is until the call is over: until a synchronous function returns,
// or until the callback of CallAsync runs, or the future of CallFuture is
// ready.  From then on nothing refers to it, also not after a cancelled or
// late call.  Results own their elements.
//
// Errors are the server's, with code, message and the payloads of
// core/errors.h.  Those made here:
//   INVALID_ARGUMENT    an address, option or metadata that cannot be used
//   UNAVAILABLE         no connection, or it broke; after all retries
//   DEADLINE_EXCEEDED, CANCELLED   the caller's clock or wish
//   RESOURCE_EXHAUSTED  a message over 2 GiB, or over max_reply_bytes
//   INTERNAL            the reply cannot be understood

#ifndef SCATTERD_CLIENT_H_
#define SCATTERD_CLIENT_H_

#include <cstdint>
#include <functional>
#include <future>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/base/thread_annotations.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/synchronization/mutex.h"
#include "absl/time/time.h"
#include "absl/types/span.h"
#include "core/call.h"
#include "core/graph.h"
#include "core/options.h"
#include "core/tensor.h"

namespace scatterd {

// When a failed call is tried again.
//
// UNAVAILABLE is retried, and RESOURCE_EXHAUSTED where the server says how long
// to wait; no other code is, and no call for which the wait would end past its
// deadline.  Retries send the operands from their own memory again, so they
// work for messages of any size.  A call that changes a tensor in the server
// (an OutputTarget of ResidentTarget) is retried only with an idempotency_key:
// without one it might be applied twice.
struct RetryPolicy {
  int max_attempts = 4;  // in total; 1 = never retry

  // The wait before the n-th retry is initial_backoff * multiplier^(n-1), at
  // most max_backoff, times a random factor in [1 - jitter, 1 + jitter]; but
  // at least what the server asks for.
  absl::Duration initial_backoff = absl::Milliseconds(100);
  absl::Duration max_backoff = absl::Seconds(5);
  double multiplier = 2.0;  // >= 1
  double jitter = 0.2;      // in [0, 1]
};

struct ClientOptions {
  // For calls that set neither timeout nor deadline.
  absl::Duration default_timeout = absl::InfiniteDuration();

  // Replies over this size fail with RESOURCE_EXHAUSTED.  1 to 2^31 - 1, the
  // most that protobuf can carry.
  int64_t max_reply_bytes = INT32_MAX;

  // Connections that calls are spread over, 1 to 64.  More than one helps
  // where several calls with megabytes each are in flight.
  int num_connections = 1;

  RetryPolicy retry;
};

// Stops calls from another thread.  Thread-safe.
class Canceller {
 public:
  // Every call that was started with this object, or will be, ends with
  // CANCELLED as soon as it can.  Idempotent; does not wait for them.
  void Cancel();

  bool cancelled() const;

 private:
  friend class CancelRegistration;

  mutable absl::Mutex mutex_;
  bool cancelled_ ABSL_GUARDED_BY(mutex_) = false;
  uint64_t next_id_ ABSL_GUARDED_BY(mutex_) = 1;
  std::map<uint64_t, std::function<void()>> calls_ ABSL_GUARDED_BY(mutex_);
};

// How one call is made; default-constructed, as ClientOptions says.
struct CallOptions {
  // The call ends with DEADLINE_EXCEEDED when the earlier of the two has
  // come, retries included.  Only where the server has stopped reading in the
  // middle of a large request does it end later, because the request's memory
  // is still in use: when the server reads on or the connection breaks, which
  // is after 20 seconds over TCP and with the server's process on a Unix
  // socket.
  std::optional<absl::Duration> timeout;  // from the start of the call
  std::optional<absl::Time> deadline;

  // Null: the call cannot be cancelled.
  std::shared_ptr<Canceller> canceller;

  // gRPC metadata to send.  Keys are lower-case ("x-tenant"); values are
  // printable ASCII, or any bytes where the key ends in "-bin".
  std::vector<std::pair<std::string, std::string>> metadata;

  // True: wait for a server to appear, until the deadline.  False: fail with
  // UNAVAILABLE when there is none, after the retries.
  bool wait_for_ready = false;
};

// Attributes of the operators, named and defaulted as in ONNX, and the options
// that every operator has.
struct GatherArgs {
  int64_t axis = 0;
  int64_t batch_dims = 0;
  ExecutionOptions options;
};
struct GatherElementsArgs {
  int64_t axis = 0;
  ExecutionOptions options;
};
struct GatherNDArgs {
  int64_t batch_dims = 0;
  ExecutionOptions options;
};
struct ScatterElementsArgs {
  int64_t axis = 0;
  Reduction reduction = Reduction::kNone;
  bool exclude_self = false;
  ExecutionOptions options;
};
struct ScatterNDArgs {
  Reduction reduction = Reduction::kNone;
  bool exclude_self = false;
  int64_t batch_dims = 0;
  ExecutionOptions options;
};

// What a server says about itself (grpc.health.v1).
enum class HealthStatus {
  kUnknown = 0,
  kServing = 1,
  kNotServing = 2,  // starting or draining
  kServiceUnknown = 3,
};

// A tensor that refers to `values`, row-major, without copying them (see
// Memory above).  INVALID_ARGUMENT if their number is not the shape's.
template <typename T>
absl::StatusOr<Tensor> BorrowTensor(const Shape& shape,
                                    absl::Span<const T> values) {
  return Tensor::Borrow({DTypeOf<T>::value, shape}, values.data(),
                        values.size() * sizeof(T));
}

// A connection to one server, or a few of them.  Thread-safe: one Client serves
// a whole program.
class Client {
 public:
  using Callback = std::function<void(absl::StatusOr<OperatorResult>)>;
  using GradientCallback = std::function<void(absl::StatusOr<GradientResult>)>;
  using RunCallback = std::function<void(absl::StatusOr<GraphResult>)>;

  // `address` is "host:port", "1.2.3.4:port", "[::1]:port", "unix:/path" or
  // "unix-abstract:name".  Returns at once; the connection is made by the
  // first call, and again whenever it has broken.
  static absl::StatusOr<std::unique_ptr<Client>> Create(
      absl::string_view address, ClientOptions options = {});

  // Cancels asynchronous calls and returns when their callbacks have run.  No
  // synchronous call may be under way, and no callback may destroy its client.
  ~Client();

  Client(const Client&) = delete;
  Client& operator=(const Client&) = delete;

  // Makes one call and waits for it on the calling thread.
  absl::StatusOr<OperatorResult> Call(const OperatorCall& call,
                                      const CallOptions& options = {});

  // The same without waiting.  `done` is called exactly once, on one of the
  // client's own two threads and never inside CallAsync.  It must not throw or
  // block; it may make further asynchronous calls.
  void CallAsync(OperatorCall call, CallOptions options, Callback done);

  std::future<absl::StatusOr<OperatorResult>> CallFuture(
      OperatorCall call, CallOptions options = {});

  // The gradients of a call with respect to its data and updates, given that
  // with respect to its output.  What `call.forward` answered is not needed;
  // operands whose elements the gradient does not depend on (those of gathers,
  // of NONE, ADD, SUB and MEAN) may be ZerosSpecs.
  absl::StatusOr<GradientResult> Gradient(const GradientCall& call,
                                          const CallOptions& options = {});
  void GradientAsync(GradientCall call, CallOptions options,
                     GradientCallback done);
  std::future<absl::StatusOr<GradientResult>> GradientFuture(
      GradientCall call, CallOptions options = {});

  // The fetched tensors of a graph.  What is between its nodes never travels.
  absl::StatusOr<GraphResult> Run(const GraphCall& call,
                                  const CallOptions& options = {});
  void RunAsync(GraphCall call, CallOptions options, RunCallback done);
  std::future<absl::StatusOr<GraphResult>> RunFuture(GraphCall call,
                                                     CallOptions options = {});

  // The operators.  `data` may be a Tensor, ZerosSpec (a zero-filled tensor
  // that never travels) or ResidentRef.
  absl::StatusOr<Tensor> Gather(const Operand& data, const Operand& indices,
                                const GatherArgs& args = {},
                                const CallOptions& options = {});
  absl::StatusOr<Tensor> GatherElements(const Operand& data,
                                        const Operand& indices,
                                        const GatherElementsArgs& args = {},
                                        const CallOptions& options = {});
  absl::StatusOr<Tensor> GatherND(const Operand& data, const Operand& indices,
                                  const GatherNDArgs& args = {},
                                  const CallOptions& options = {});
  absl::StatusOr<Tensor> ScatterElements(const Operand& data,
                                         const Operand& indices,
                                         const Operand& updates,
                                         const ScatterElementsArgs& args = {},
                                         const CallOptions& options = {});
  absl::StatusOr<Tensor> ScatterND(const Operand& data, const Operand& indices,
                                   const Operand& updates,
                                   const ScatterNDArgs& args = {},
                                   const CallOptions& options = {});

  // The server's own word, or that of one of its services
  // ("scatterd.v1.TensorOps").  NOT_FOUND for a service it has not.
  absl::StatusOr<HealthStatus> Health(absl::string_view service = "",
                                      const CallOptions& options = {});

 private:
  class Impl;

  explicit Client(std::unique_ptr<Impl> impl);

  std::unique_ptr<Impl> impl_;
};

}  // namespace scatterd

#endif  // SCATTERD_CLIENT_H_
