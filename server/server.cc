#include "server/server.h"

#include <algorithm>
#include <limits>
#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/time/clock.h"
#include "core/backends/cpu/cpu_backend.h"
#include "core/status_macros.h"
#include "grpc/grpc.h"
#include "grpcpp/ext/proto_server_reflection_plugin.h"
#include "grpcpp/health_check_service_interface.h"
#include "grpcpp/resource_quota.h"
#include "grpcpp/security/server_credentials.h"
#include "grpcpp/server_builder.h"
#include "server/process.h"
#include "server/queue_event.h"

namespace scatterd {
namespace {

constexpr char kTensorOpsName[] = "scatterd.v1.TensorOps";

// Calls at a time on one connection; clients queue what is more.
constexpr int kMaxConcurrentStreams = 1024;

// The largest that HTTP/2 allows: fewer headers in a large message.
constexpr int kMaxFrameSize = (1 << 24) - 1;

// Reflection is served by threads of its own, one per open stream.
constexpr int kMaxReflectionThreads = 16;

// How long clients have to take what is in the sockets' buffers and to close
// their connections once all calls are done.  Health watchers never do.
constexpr absl::Duration kFarewell = absl::Seconds(2);

// gRPC buffers a message before anyone can look at its size, so what it may
// buffer in all is bounded too: two of the largest messages must fit.
size_t TransportQuota(const ServerOptions& options) {
  return std::max<uint64_t>(2 * options.max_message_bytes,
                            options.max_inflight_bytes / 2);
}

// gRPC, too, looks at a message's size only when it has buffered it, and its
// refusal cannot name our flag.  So up to twice the limit are left to the
// service, which does.
int TransportMessageLimit(const ServerOptions& options) {
  return static_cast<int>(std::min<uint64_t>(2 * options.max_message_bytes,
                                             std::numeric_limits<int>::max()));
}

void SetLimits(const ServerOptions& options, grpc::ServerBuilder& builder) {
  grpc::ResourceQuota quota("scatterd");
  quota.Resize(TransportQuota(options));
  quota.SetMaxThreads(kMaxReflectionThreads);
  builder.SetResourceQuota(quota);
  builder.SetMaxReceiveMessageSize(TransportMessageLimit(options));
  builder.SetMaxSendMessageSize(-1);
  builder.AddChannelArgument(GRPC_ARG_MAX_CONCURRENT_STREAMS,
                             kMaxConcurrentStreams);
  builder.AddChannelArgument(GRPC_ARG_HTTP2_MAX_FRAME_SIZE, kMaxFrameSize);
  // Otherwise a second server on the same port starts, and takes a share of
  // the connections.
  builder.AddChannelArgument(GRPC_ARG_ALLOW_REUSEPORT, 0);
}

// Once for the process.
void SetUpGrpc() {
  static const bool done = [] {
    // Kept to the end: taking gRPC down can wait ten seconds for a poll of its
    // own.
    grpc_init();
    grpc::EnableDefaultHealthCheckService(true);
    grpc::reflection::InitProtoReflectionServerBuilderPlugin();
    return true;
  }();
  static_cast<void>(done);
}

absl::Status CannotListen(const Listener& listener, absl::string_view why) {
  return absl::UnavailableError(
      absl::StrCat("cannot listen on ", listener.ToString(), ": ", why));
}

}  // namespace

absl::StatusOr<std::unique_ptr<Server>> Server::Start(
    ServerOptions options, Log& log, std::unique_ptr<Backend> backend) {
  options = WithDefaults(std::move(options), AvailableMemory());
  if (backend == nullptr) backend = MakeCpuBackend();
  std::unique_ptr<Server> server(new Server(options, log, std::move(backend)));
  SCATTERD_RETURN_IF_ERROR(server->Listen(options));
  server->tensor_ops_.Start(*server->queue_);
  server->poller_ = std::thread([&s = *server] { s.Poll(); });
  server->SetServing(true);
  return server;
}

Server::Server(const ServerOptions& options, Log& log,
               std::unique_ptr<Backend> backend)
    : listeners_(options.listen),
      backend_(std::move(backend)),
      pool_(options.threads, options.pin_threads),
      admission_(options.max_inflight_bytes),
      dispatcher_(*backend_, pool_, {options.max_output_bytes}),
      executor_(options.threads, options.max_queue),
      tensor_ops_({dispatcher_, admission_, executor_, log,
                   options.max_message_bytes, options.max_output_bytes}) {}

Server::~Server() { Stop(absl::ZeroDuration()); }

absl::Status Server::Listen(const ServerOptions& options) {
  SetUpGrpc();
  grpc::ServerBuilder builder;
  SetLimits(options, builder);
  builder.RegisterService(&tensor_ops_.grpc_service());
  queue_ = builder.AddCompletionQueue();

  // gRPC sets a listener's port when it has bound it, in this order.
  std::vector<int> ports(listeners_.size(), -1);
  for (size_t i = 0; i < listeners_.size(); ++i) {
    const absl::Status ready = PrepareToListen(listeners_[i]);
    if (!ready.ok()) return CannotListen(listeners_[i], ready.message());
    builder.AddListeningPort(listeners_[i].ToString(),
                             grpc::InsecureServerCredentials(), &ports[i]);
  }
  server_ = builder.BuildAndStart();
  for (size_t i = 0; i < listeners_.size(); ++i) {
    if (ports[i] <= 0) {
      const std::string why = WhyCannotListen(listeners_[i]);
      return CannotListen(listeners_[i], why.empty() ? "refused" : why);
    }
    if (listeners_[i].kind == Listener::Kind::kTcp) {
      listeners_[i].port = ports[i];
    }
  }
  if (server_ == nullptr) return absl::UnavailableError("gRPC did not start");
  return absl::OkStatus();
}

void Server::SetServing(bool serving) {
  grpc::HealthCheckServiceInterface* health = server_->GetHealthCheckService();
  health->SetServingStatus("", serving);
  health->SetServingStatus(kTensorOpsName, serving);
}

// Ends when the queue has been shut down and is empty.
void Server::Poll() {
  void* tag = nullptr;
  bool ok = false;
  while (queue_->Next(&tag, &ok)) static_cast<QueueEvent*>(tag)->Complete(ok);
}

void Server::Stop(absl::Duration drain) {
  if (std::exchange(stopped_, true)) return;
  if (server_ != nullptr) ShutDown(drain);
  tensor_ops_.Stop();
  if (queue_ != nullptr) queue_->Shutdown();
  if (poller_.joinable()) poller_.join();
}

// gRPC's Shutdown tells clients to go away and drops each connection with its
// last call, whose reply may still be in the socket's buffer: it would be lost.
// So calls finish first, and new ones are refused one by one.
void Server::ShutDown(absl::Duration drain) {
  const absl::Time deadline = absl::Now() + drain;
  SetServing(false);
  admission_.StartDraining();
  admission_.WaitUntilIdle(drain);
  server_->Shutdown(
      absl::ToChronoTime(std::min(deadline, absl::Now() + kFarewell)));
}

}  // namespace scatterd
