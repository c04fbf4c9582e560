#include "tests/client/stub_server.h"

#include <atomic>
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <iostream>
#include <utility>
#include <variant>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/synchronization/mutex.h"
#include "grpcpp/security/server_credentials.h"
#include "grpcpp/server_builder.h"
#include "proto/byte_buffer.h"
#include "proto/status_details.h"

namespace scatterd::test {
namespace {

std::multimap<std::string, std::string> Metadata(
    const grpc::GenericCallbackServerContext& context) {
  std::multimap<std::string, std::string> metadata;
  for (const auto& [key, value] : context.client_metadata()) {
    metadata.emplace(std::string(key.data(), key.size()),
                     std::string(value.data(), value.size()));
  }
  return metadata;
}

std::string Flatten(grpc::ByteBuffer* buffer) {
  std::string bytes;
  const ReceivedMessage message(buffer);
  for (const absl::string_view piece : message.pieces()) {
    bytes.append(piece.data(), piece.size());
  }
  return bytes;
}

grpc::Status ToGrpcStatus(const absl::Status& status) {
  return grpc::Status(static_cast<grpc::StatusCode>(status.code()),
                      std::string(status.message()),
                      EncodeStatusDetails(status));
}

// One call; deletes itself when gRPC is done with it.
class StubCall : public grpc::ServerGenericBidiReactor {
 public:
  StubCall(grpc::GenericCallbackServerContext* context,
           const StubHandler& handler)
      : handler_(handler), request_{context->method(), Metadata(*context), ""} {
    StartRead(&message_);
  }

  void OnReadDone(bool ok) override {
    if (!ok) return FinishOnce(grpc::Status::CANCELLED);
    const std::optional<StubReply> reply = Handle();
    if (!reply) return;
    if (!reply->ok()) return FinishOnce(ToGrpcStatus(reply->status()));
    if (finished_.exchange(true)) return;
    StartWriteAndFinish(&message_, grpc::WriteOptions(), grpc::Status::OK);
  }

  void OnCancel() override { FinishOnce(grpc::Status::CANCELLED); }
  void OnDone() override {
    { absl::MutexLock wait_for_handle(&mutex_); }
    delete this;
  }

 private:
  // Reads and writes the members; gRPC's own order of events is invisible to
  // ThreadSanitizer, the mutex is not.
  std::optional<StubReply> Handle() {
    absl::MutexLock lock(&mutex_);
    request_.body = Flatten(&message_);
    std::optional<StubReply> reply = handler_(request_);
    if (reply && reply->ok()) message_ = ToByteBuffer(**reply);
    return reply;
  }

  void FinishOnce(const grpc::Status& status) {
    if (!finished_.exchange(true)) Finish(status);
  }

  const StubHandler& handler_;
  absl::Mutex mutex_;
  StubRequest request_;
  grpc::ByteBuffer message_;
  std::atomic<bool> finished_{false};
};

OperatorId OperatorOf(const std::string& method) {
  for (const OperatorId id :
       {OperatorId::kGather, OperatorId::kGatherElements, OperatorId::kGatherND,
        OperatorId::kScatterElements, OperatorId::kScatterND}) {
    if (absl::StrCat("/scatterd.v1.TensorOps/", OperatorRpcName(id)) ==
        method) {
      return id;
    }
  }
  std::cerr << "no operator: " << method << "\n";
  std::abort();
}

}  // namespace

class StubServer::Service : public grpc::CallbackGenericService {
 public:
  explicit Service(StubHandler handler) : handler_(std::move(handler)) {}

  grpc::ServerGenericBidiReactor* CreateReactor(
      grpc::GenericCallbackServerContext* context) override {
    return new StubCall(context, handler_);
  }

 private:
  const StubHandler handler_;
};

StubServer::StubServer(StubHandler handler)
    : folder_(MakeTemporaryFolder()),
      address_(absl::StrCat("unix:", folder_, "/socket")),
      service_(std::make_unique<Service>(std::move(handler))) {
  grpc::ServerBuilder builder;
  builder.AddListeningPort(address_, grpc::InsecureServerCredentials());
  builder.SetMaxReceiveMessageSize(-1);
  builder.RegisterCallbackGenericService(service_.get());
  server_ = builder.BuildAndStart();
  if (server_ == nullptr) std::abort();
}

StubServer::~StubServer() {
  server_->Shutdown(std::chrono::system_clock::now());
  server_->Wait();
  RemoveFolder(folder_);
}

std::string MakeTemporaryFolder() {
  std::string folder =
      (std::filesystem::temp_directory_path() / "scatterd-test-XXXXXX")
          .string();
  if (mkdtemp(folder.data()) == nullptr) std::abort();
  return folder;
}

void RemoveFolder(const std::string& folder) {
  std::error_code ignored;
  std::filesystem::remove_all(folder, ignored);
}

OperatorCall DecodeRequest(const StubRequest& request) {
  const absl::string_view piece = request.body;
  absl::StatusOr<OperatorCall> call =
      DecodeCall(OperatorOf(request.method), {&piece, 1}, ReserveAnything);
  if (!call.ok()) {
    std::cerr << call.status() << "\n";
    std::abort();
  }
  return *std::move(call);
}

EncodedMessage ReplyWith(const Tensor& output) {
  OperatorResult result;
  result.output = output;
  result.stats.device = "stub";
  return *EncodeResult(result);
}

StubReply EchoData(const StubRequest& request) {
  return ReplyWith(std::get<Tensor>(DecodeRequest(request).data));
}

}  // namespace scatterd::test
