#include "server/tensor_ops_service.h"

#include <algorithm>
#include <atomic>
#include <exception>
#include <memory>
#include <new>
#include <optional>
#include <string>
#include <utility>

#include "absl/base/thread_annotations.h"
#include "absl/functional/function_ref.h"
#include "absl/strings/str_cat.h"
#include "absl/synchronization/mutex.h"
#include "absl/time/time.h"
#include "core/errors.h"
#include "core/operator_id.h"
#include "core/status_macros.h"
#include "grpcpp/server_context.h"
#include "grpcpp/support/async_unary_call.h"
#include "grpcpp/support/byte_buffer.h"
#include "proto/byte_buffer.h"
#include "proto/codec.h"
#include "scatterd/v1/operators.grpc.pb.h"
#include "server/call_log.h"
#include "server/grpc_status.h"
#include "server/queue_event.h"
#include "server/stopwatch.h"
#include "server/tensor_ops_methods.h"

namespace scatterd {
namespace {

// A call that moves no more than this runs on the polling thread.  Handing it
// to another thread would cost about as much as the work itself (15-20 us);
// above it, other callers would wait for the work (docs/performance.md).
constexpr uint64_t kMaxInlineBytes = uint64_t{256} << 10;

// The same for a request with a graph, whose nodes take some 150 ns to decode
// and plan for each of their bytes.
constexpr uint64_t kMaxInlineGraph = uint64_t{1} << 10;

// Calls of one method that may arrive before the poller looks again without
// waiting for it.
constexpr int kArmedPerMethod = 32;

// TensorOps::WithRawMethod_Gather<...<WithRawMethod_Run<Service>>>: all methods
// raw and asynchronous.
using RawService =
#define SCATTERD_OPERATOR(id, rpc, name, is_scatter) \
  v1::TensorOps::WithRawMethod_##rpc <
#include "core/ops/ops.inc"
    v1::TensorOps::WithRawMethod_Gradient<
        v1::TensorOps::WithRawMethod_Run<v1::TensorOps::Service>>
#define SCATTERD_OPERATOR(id, rpc, name, is_scatter) >
#include "core/ops/ops.inc"
    ;

using Responder = grpc::ServerAsyncResponseWriter<grpc::ByteBuffer>;

struct Method {
  absl::string_view name;
  std::unique_ptr<MethodCall> (*make)(const CallResources& resources);
  void (RawService::*request)(grpc::ServerContext*, grpc::ByteBuffer*,
                              Responder*, grpc::CompletionQueue*,
                              grpc::ServerCompletionQueue*, void* tag);

  // Larger requests are not even decoded on the polling thread.
  uint64_t max_inline_request = kMaxInlineBytes;
};

template <OperatorId kOp>
std::unique_ptr<MethodCall> MakeOperator(const CallResources& resources) {
  return MakeOperatorMethodCall(kOp, resources);
}

constexpr Method kMethods[] = {
#define SCATTERD_OPERATOR(id, rpc, name, is_scatter) \
  {#name, &MakeOperator<OperatorId::id>, &RawService::Request##rpc},
#include "core/ops/ops.inc"
    {"gradient", &MakeGradientMethodCall, &RawService::RequestGradient},
    {"run", &MakeRunMethodCall, &RawService::RequestRun, kMaxInlineGraph},
};

absl::Time DeadlineOf(const grpc::ServerContext& context) {
  const auto deadline = context.deadline();
  if (deadline == std::chrono::system_clock::time_point::max()) {
    return absl::InfiniteFuture();
  }
  return absl::FromChrono(deadline);
}

}  // namespace

class TensorOpsService::Impl {
 public:
  explicit Impl(const CallResources& resources) : resources_(resources) {}

  RawService& service() { return service_; }
  const CallResources& resources() const { return resources_; }

  void Start(grpc::ServerCompletionQueue& queue);
  void Stop();

  // Waits for one more call of `method`, unless stopped.
  void Arm(const Method& method);

  // A call that Arm made is about to be deleted.
  void Forget();

 private:
  bool idle() const ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_) {
    return num_calls_ == 0;
  }

  const CallResources resources_;
  RawService service_;
  absl::Mutex mutex_;
  int num_calls_ ABSL_GUARDED_BY(mutex_) = 0;  // armed or under way
  grpc::ServerCompletionQueue* queue_ ABSL_GUARDED_BY(mutex_) = nullptr;
};

namespace {

// One call of any method, from before it arrives to after its reply is sent.
// It deletes itself when gRPC has given back its last tag.
//
// Stages run one after another on the polling thread or on the executor.  A
// stage's outcome is the reply, an error, or nothing if the next stage was
// handed to the executor.  Each call has exactly one outcome that is not
// nothing, and so exactly one Finish; nothing may touch the call after it.
class Call {
 public:
  Call(TensorOpsService::Impl& service, const Method& method)
      : service_(service),
        resources_(service.resources()),
        method_(method),
        responder_(&context_) {}

  void Arm(RawService& service, grpc::ServerCompletionQueue& queue) {
    context_.AsyncNotifyWhenDone(&done_);
    (service.*method_.request)(&context_, &request_, &responder_, &queue,
                               &queue, &arrived_);
  }

 private:
  using Outcome = absl::StatusOr<std::optional<grpc::ByteBuffer>>;
  using Stage = Outcome (Call::*)();

  void OnArrived(bool ok);
  void OnDone(bool ok);
  void OnFinished(bool ok);
  void ForgetTag();
  void Delete();

  void RunStage(absl::FunctionRef<Outcome()> stage);
  void Finish(absl::StatusOr<grpc::ByteBuffer> reply);

  Outcome Receive();
  Outcome Enqueue(Stage stage);
  Outcome DecodeAndExecute();
  Outcome Execute();
  absl::Status Decode();

  TensorOpsService::Impl& service_;
  const CallResources& resources_;
  const Method& method_;

  grpc::ServerContext context_;
  grpc::ByteBuffer request_;
  Responder responder_;
  MemberEvent<Call> arrived_{this, &Call::OnArrived};
  MemberEvent<Call> done_{this, &Call::OnDone};
  MemberEvent<Call> finished_{this, &Call::OnFinished};
  std::atomic<int> tags_left_{2};  // done_ and finished_

  Stopwatch since_arrival_;
  uint64_t request_bytes_ = 0;
  uint64_t queue_ns_ = 0;
  std::optional<Cancellation> cancellation_;
  Ticket ticket_;
  std::unique_ptr<MethodCall> method_call_;
};

// gRPC gives back no other tag of a call that never came.
void Call::OnArrived(bool ok) {
  if (!ok) return Delete();
  service_.Arm(method_);
  since_arrival_ = Stopwatch();
  cancellation_.emplace(DeadlineOf(context_));
  RunStage([this] { return Receive(); });
}

void Call::OnDone(bool) {
  if (context_.IsCancelled()) cancellation_->Cancel();
  ForgetTag();
}

void Call::OnFinished(bool) {
  ticket_.Release();
  ForgetTag();
}

void Call::ForgetTag() {
  if (tags_left_.fetch_sub(1) == 1) Delete();
}

void Call::Delete() {
  TensorOpsService::Impl& service = service_;
  delete this;
  service.Forget();
}

void Call::RunStage(absl::FunctionRef<Outcome()> stage) {
  Outcome outcome;
  try {
    outcome = stage();
  } catch (const std::bad_alloc&) {
    outcome = absl::ResourceExhaustedError("out of memory");
  } catch (const std::exception& e) {
    outcome = absl::InternalError(absl::StrCat("exception: ", e.what()));
  } catch (...) {
    outcome = absl::InternalError("exception");
  }
  if (!outcome.ok()) {
    Finish(std::move(outcome).status());
  } else if (outcome->has_value()) {
    Finish(*std::move(*outcome));
  }
}

void Call::Finish(absl::StatusOr<grpc::ByteBuffer> reply) {
  if (reply.ok()) {
    responder_.Finish(*reply, grpc::Status::OK, &finished_);
    return;
  }
  const absl::Status reported =
      ReportFailure(reply.status(),
                    {method_.name, context_.peer(), request_bytes_,
                     since_arrival_.elapsed_ns()},
                    resources_.log);
  responder_.FinishWithError(ToGrpcStatus(reported), &finished_);
}

Call::Outcome Call::Receive() {
  SCATTERD_RETURN_IF_ERROR(cancellation_->Check());
  request_bytes_ = request_.Length();
  if (request_bytes_ > resources_.max_message_bytes) {
    return LimitError("--max_message_bytes", request_bytes_,
                      resources_.max_message_bytes);
  }
  SCATTERD_ASSIGN_OR_RETURN(ticket_,
                            resources_.admission.Acquire(request_bytes_));
  if (request_bytes_ > method_.max_inline_request) {
    return Enqueue(&Call::DecodeAndExecute);
  }
  SCATTERD_RETURN_IF_ERROR(Decode());
  if (method_call_->work_bytes() > kMaxInlineBytes) {
    return Enqueue(&Call::Execute);
  }
  return Execute();
}

Call::Outcome Call::Enqueue(Stage stage) {
  const auto task = [this, stage, waited = Stopwatch()](absl::Status wanted) {
    queue_ns_ = waited.elapsed_ns();
    RunStage([&]() -> Outcome {
      if (!wanted.ok()) return wanted;
      return (this->*stage)();
    });
  };
  SCATTERD_RETURN_IF_ERROR(resources_.executor.Submit(*cancellation_, task));
  return std::nullopt;
}

Call::Outcome Call::DecodeAndExecute() {
  SCATTERD_RETURN_IF_ERROR(Decode());
  return Execute();
}

// The message's own bytes are given back as soon as its operands are copies.
absl::Status Call::Decode() {
  method_call_ = method_.make(resources_);
  {
    const ReceivedMessage message(&request_);
    if (!message.valid()) {
      return absl::InvalidArgumentError(
          absl::StrCat(method_.name, ": the request has no message"));
    }
    SCATTERD_RETURN_IF_ERROR(method_call_->Decode(
        message.pieces(),
        [this](uint64_t bytes) { return ticket_.Grow(bytes); }));
  }
  ticket_.Shrink(request_bytes_);
  return method_call_->Prepare();
}

Call::Outcome Call::Execute() {
  SCATTERD_ASSIGN_OR_RETURN(
      EncodedMessage message,
      method_call_->Execute(*cancellation_, ticket_, queue_ns_));
  method_call_.reset();
  // What is left to be done holds no more than the reply.
  ticket_.Shrink(ticket_.bytes() - std::min(ticket_.bytes(), message.size()));
  return ToByteBuffer(std::move(message));
}

}  // namespace

void TensorOpsService::Impl::Start(grpc::ServerCompletionQueue& queue) {
  {
    absl::MutexLock lock(&mutex_);
    queue_ = &queue;
  }
  for (const Method& method : kMethods) {
    for (int i = 0; i < kArmedPerMethod; ++i) Arm(method);
  }
}

void TensorOpsService::Impl::Stop() {
  absl::MutexLock lock(&mutex_);
  queue_ = nullptr;
  mutex_.Await(absl::Condition(this, &Impl::idle));
}

void TensorOpsService::Impl::Arm(const Method& method) {
  absl::MutexLock lock(&mutex_);
  if (queue_ == nullptr) return;
  auto* call = new Call(*this, method);
  ++num_calls_;
  call->Arm(service_, *queue_);
}

void TensorOpsService::Impl::Forget() {
  absl::MutexLock lock(&mutex_);
  --num_calls_;
}

TensorOpsService::TensorOpsService(const CallResources& resources)
    : impl_(std::make_unique<Impl>(resources)) {}

TensorOpsService::~TensorOpsService() = default;

grpc::Service& TensorOpsService::grpc_service() { return impl_->service(); }

void TensorOpsService::Start(grpc::ServerCompletionQueue& queue) {
  impl_->Start(queue);
}

void TensorOpsService::Stop() { impl_->Stop(); }

}  // namespace scatterd
