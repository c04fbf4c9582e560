#include "server/health_probe.h"

#include <vector>

#include "absl/time/clock.h"
#include "grpc/grpc.h"
#include "grpcpp/channel.h"
#include "grpcpp/client_context.h"
#include "grpcpp/completion_queue.h"
#include "grpcpp/create_channel.h"
#include "grpcpp/generic/generic_stub.h"
#include "grpcpp/security/credentials.h"
#include "grpcpp/support/byte_buffer.h"

namespace scatterd {
namespace {

// HealthCheckResponse{status: SERVING}: the messages are too small to be worth
// generated code.
constexpr char kServing[] = "\x08\x01";

std::string Flatten(const grpc::ByteBuffer& buffer) {
  std::vector<grpc::Slice> slices;
  std::string bytes;
  if (!buffer.Dump(&slices).ok()) return bytes;
  for (const grpc::Slice& slice : slices) {
    bytes.append(reinterpret_cast<const char*>(slice.begin()), slice.size());
  }
  return bytes;
}

grpc::Status Check(const std::string& target, absl::Duration timeout,
                   grpc::ByteBuffer& response) {
  grpc::GenericStub stub(
      grpc::CreateChannel(target, grpc::InsecureChannelCredentials()));
  grpc::ClientContext context;
  context.set_deadline(absl::ToChronoTime(absl::Now() + timeout));
  const grpc::Slice no_bytes;
  const grpc::ByteBuffer request(&no_bytes, 1);
  grpc::CompletionQueue queue;
  const auto call = stub.PrepareUnaryCall(
      &context, "/grpc.health.v1.Health/Check", request, &queue);
  grpc::Status status;
  call->StartCall();
  call->Finish(&response, &status, nullptr);
  void* tag = nullptr;
  bool ok = false;
  queue.Next(&tag, &ok);
  return status;
}

}  // namespace

absl::Status ProbeHealth(const std::string& target, absl::Duration timeout) {
  // Kept to the end of the process: taking gRPC down can wait ten seconds for
  // a poll of its own.
  grpc_init();
  grpc::ByteBuffer response;
  const grpc::Status status = Check(target, timeout, response);
  if (!status.ok()) {
    return absl::Status(static_cast<absl::StatusCode>(status.error_code()),
                        status.error_message());
  }
  if (Flatten(response) == kServing) return absl::OkStatus();
  return absl::UnavailableError("the server says that it does not serve");
}

}  // namespace scatterd
