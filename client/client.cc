#include "scatterd/client.h"

#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/time/clock.h"
#include "client/async_caller.h"
#include "client/connection_pool.h"
#include "client/health.h"
#include "client/prepared_call.h"
#include "client/sync_call.h"
#include "core/operator_id.h"
#include "core/status_macros.h"
#include "proto/byte_buffer.h"
#include "proto/codec.h"
#include "proto/graph_codec.h"

namespace scatterd {
namespace {

constexpr int64_t kMaxReplyBytes = INT32_MAX;
constexpr int kMaxConnections = 64;

absl::Status CheckOptions(const ClientOptions& options) {
  if (options.max_reply_bytes < 1 || options.max_reply_bytes > kMaxReplyBytes) {
    return absl::InvalidArgumentError(
        absl::StrCat("client: max_reply_bytes must be in [1, ", kMaxReplyBytes,
                     "] (", options.max_reply_bytes, ")"));
  }
  if (options.num_connections < 1 ||
      options.num_connections > kMaxConnections) {
    return absl::InvalidArgumentError(
        absl::StrCat("client: num_connections must be in [1, ", kMaxConnections,
                     "] (", options.num_connections, ")"));
  }
  return CheckRetryPolicy(options.retry);
}

// Whether making the call twice has the effect of making it once.
bool IsRepeatable(const OperatorCall& call) {
  return !std::holds_alternative<ResidentTarget>(call.output) ||
         !call.options.idempotency_key.empty();
}

void Decode(const ReceivedMessage& message,
            absl::StatusOr<OperatorResult>& result) {
  result = DecodeResult(message.pieces(), ReserveAnything);
}

void Decode(const ReceivedMessage& message,
            absl::StatusOr<GradientResult>& result) {
  result = DecodeGradientResult(message.pieces(), ReserveAnything);
}

void Decode(const ReceivedMessage& message,
            absl::StatusOr<GraphResult>& result) {
  result = DecodeGraphResult(message.pieces(), ReserveAnything);
}

template <typename Result>
absl::StatusOr<Result> DecodeReply(absl::StatusOr<grpc::ByteBuffer> reply) {
  if (!reply.ok()) return std::move(reply).status();
  absl::StatusOr<Result> result;
  Decode(ReceivedMessage(&*reply), result);
  if (result.ok() || absl::IsResourceExhausted(result.status())) return result;
  return absl::InternalError(
      absl::StrCat("client: malformed reply: ", result.status().message()));
}

absl::StatusOr<Tensor> OutputOf(absl::StatusOr<OperatorResult> result) {
  if (!result.ok()) return std::move(result).status();
  if (!result->output) {
    return absl::InternalError("client: the reply has no output");
  }
  return *std::move(result->output);
}

}  // namespace

class Client::Impl {
 public:
  Impl(std::string target, const ClientOptions& options)
      : options_(options), connections_(std::move(target), options) {}

  absl::StatusOr<PreparedCall> Prepare(const OperatorCall& call,
                                       const CallOptions& options) const {
    SCATTERD_ASSIGN_OR_RETURN(EncodedMessage message, EncodeCall(call));
    return Prepare(
        absl::StrCat("/scatterd.v1.TensorOps/", OperatorRpcName(call.op)),
        std::move(message), IsRepeatable(call), options);
  }

  absl::StatusOr<PreparedCall> Prepare(const GradientCall& call,
                                       const CallOptions& options) const {
    SCATTERD_ASSIGN_OR_RETURN(EncodedMessage message, EncodeGradientCall(call));
    return Prepare("/scatterd.v1.TensorOps/Gradient", std::move(message),
                   /*repeatable=*/true, options);
  }

  absl::StatusOr<PreparedCall> Prepare(const GraphCall& call,
                                       const CallOptions& options) const {
    SCATTERD_ASSIGN_OR_RETURN(EncodedMessage message, EncodeGraphCall(call));
    return Prepare("/scatterd.v1.TensorOps/Run", std::move(message),
                   /*repeatable=*/true, options);
  }

  absl::StatusOr<PreparedCall> Prepare(std::string method,
                                       EncodedMessage message, bool repeatable,
                                       const CallOptions& options) const {
    SCATTERD_RETURN_IF_ERROR(CheckMetadata(options));
    const absl::Time deadline =
        EffectiveDeadline(options, options_.default_timeout, absl::Now());
    return PreparedCall{std::move(method), std::move(message), options,
                        deadline,
                        RetryState(options_.retry, repeatable, deadline)};
  }

  // A call of any kind, in the three forms.
  template <typename Result, typename Call>
  absl::StatusOr<Result> Run(const Call& call, const CallOptions& options) {
    SCATTERD_ASSIGN_OR_RETURN(PreparedCall prepared, Prepare(call, options));
    return DecodeReply<Result>(RunSyncCall(connections_, std::move(prepared)));
  }

  template <typename Result, typename Call, typename Done>
  void Start(Call call, const CallOptions& options, Done done) {
    absl::StatusOr<PreparedCall> prepared = Prepare(call, options);
    call = {};  // what is sent is in `prepared`
    AsyncCaller::Done decode_and_call =
        [done = std::move(done)](absl::StatusOr<grpc::ByteBuffer> reply) {
          done(DecodeReply<Result>(std::move(reply)));
        };
    if (prepared.ok()) {
      async_caller().Start(*std::move(prepared), std::move(decode_and_call));
    } else {
      async_caller().Fail(prepared.status(), std::move(decode_and_call));
    }
  }

  template <typename Result, typename Call>
  std::future<absl::StatusOr<Result>> StartFuture(Call call,
                                                  const CallOptions& options) {
    auto promise = std::make_shared<std::promise<absl::StatusOr<Result>>>();
    std::future<absl::StatusOr<Result>> future = promise->get_future();
    Start<Result>(std::move(call), options,
                  [promise](absl::StatusOr<Result> result) {
                    promise->set_value(std::move(result));
                  });
    return future;
  }

  ConnectionPool& connections() { return connections_; }

  // Its threads exist only in programs that make asynchronous calls: they
  // would take work, and with it time, from synchronous ones.
  AsyncCaller& async_caller() {
    std::call_once(async_caller_once_, [this] {
      async_caller_ = std::make_unique<AsyncCaller>(connections_);
    });
    return *async_caller_;
  }

 private:
  const ClientOptions options_;
  ConnectionPool connections_;
  std::once_flag async_caller_once_;
  std::unique_ptr<AsyncCaller> async_caller_;
};

absl::StatusOr<std::unique_ptr<Client>> Client::Create(
    absl::string_view address, ClientOptions options) {
  SCATTERD_ASSIGN_OR_RETURN(std::string target, ParseAddress(address));
  SCATTERD_RETURN_IF_ERROR(CheckOptions(options));
  return std::unique_ptr<Client>(
      new Client(std::make_unique<Impl>(std::move(target), options)));
}

Client::Client(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}

Client::~Client() = default;

absl::StatusOr<OperatorResult> Client::Call(const OperatorCall& call,
                                            const CallOptions& options) {
  return impl_->Run<OperatorResult>(call, options);
}

void Client::CallAsync(OperatorCall call, CallOptions options, Callback done) {
  impl_->Start<OperatorResult>(std::move(call), options, std::move(done));
}

std::future<absl::StatusOr<OperatorResult>> Client::CallFuture(
    OperatorCall call, CallOptions options) {
  return impl_->StartFuture<OperatorResult>(std::move(call), options);
}

absl::StatusOr<GradientResult> Client::Gradient(const GradientCall& call,
                                                const CallOptions& options) {
  return impl_->Run<GradientResult>(call, options);
}

void Client::GradientAsync(GradientCall call, CallOptions options,
                           GradientCallback done) {
  impl_->Start<GradientResult>(std::move(call), options, std::move(done));
}

std::future<absl::StatusOr<GradientResult>> Client::GradientFuture(
    GradientCall call, CallOptions options) {
  return impl_->StartFuture<GradientResult>(std::move(call), options);
}

absl::StatusOr<GraphResult> Client::Run(const GraphCall& call,
                                        const CallOptions& options) {
  return impl_->Run<GraphResult>(call, options);
}

void Client::RunAsync(GraphCall call, CallOptions options, RunCallback done) {
  impl_->Start<GraphResult>(std::move(call), options, std::move(done));
}

std::future<absl::StatusOr<GraphResult>> Client::RunFuture(
    GraphCall call, CallOptions options) {
  return impl_->StartFuture<GraphResult>(std::move(call), options);
}

absl::StatusOr<Tensor> Client::Gather(const Operand& data,
                                      const Operand& indices,
                                      const GatherArgs& args,
                                      const CallOptions& options) {
  OperatorCall call{.op = OperatorId::kGather,
                    .data = data,
                    .indices = indices,
                    .options = args.options};
  call.attributes.axis = args.axis;
  call.attributes.batch_dims = args.batch_dims;
  return OutputOf(Call(call, options));
}

absl::StatusOr<Tensor> Client::GatherElements(const Operand& data,
                                              const Operand& indices,
                                              const GatherElementsArgs& args,
                                              const CallOptions& options) {
  OperatorCall call{.op = OperatorId::kGatherElements,
                    .data = data,
                    .indices = indices,
                    .options = args.options};
  call.attributes.axis = args.axis;
  return OutputOf(Call(call, options));
}

absl::StatusOr<Tensor> Client::GatherND(const Operand& data,
                                        const Operand& indices,
                                        const GatherNDArgs& args,
                                        const CallOptions& options) {
  OperatorCall call{.op = OperatorId::kGatherND,
                    .data = data,
                    .indices = indices,
                    .options = args.options};
  call.attributes.batch_dims = args.batch_dims;
  return OutputOf(Call(call, options));
}

absl::StatusOr<Tensor> Client::ScatterElements(const Operand& data,
                                               const Operand& indices,
                                               const Operand& updates,
                                               const ScatterElementsArgs& args,
                                               const CallOptions& options) {
  OperatorCall call{.op = OperatorId::kScatterElements,
                    .data = data,
                    .indices = indices,
                    .updates = updates,
                    .options = args.options};
  call.attributes.axis = args.axis;
  call.attributes.reduction = args.reduction;
  call.attributes.exclude_self = args.exclude_self;
  return OutputOf(Call(call, options));
}

absl::StatusOr<Tensor> Client::ScatterND(const Operand& data,
                                         const Operand& indices,
                                         const Operand& updates,
                                         const ScatterNDArgs& args,
                                         const CallOptions& options) {
  OperatorCall call{.op = OperatorId::kScatterND,
                    .data = data,
                    .indices = indices,
                    .updates = updates,
                    .options = args.options};
  call.attributes.reduction = args.reduction;
  call.attributes.exclude_self = args.exclude_self;
  call.attributes.batch_dims = args.batch_dims;
  return OutputOf(Call(call, options));
}

absl::StatusOr<HealthStatus> Client::Health(absl::string_view service,
                                            const CallOptions& options) {
  SCATTERD_ASSIGN_OR_RETURN(PreparedCall prepared,
                            impl_->Prepare(std::string(kHealthCheckMethod),
                                           EncodeHealthRequest(service),
                                           /*repeatable=*/true, options));
  SCATTERD_ASSIGN_OR_RETURN(
      grpc::ByteBuffer reply,
      RunSyncCall(impl_->connections(), std::move(prepared)));
  return DecodeHealthResponse(ReceivedMessage(&reply).pieces());
}

}  // namespace scatterd
