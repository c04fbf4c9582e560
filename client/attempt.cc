#include "client/attempt.h"

#include <utility>

#include "absl/time/time.h"
#include "proto/status_details.h"

namespace scatterd {

Attempt::Attempt(const PreparedCall& call) {
  for (const auto& [key, value] : call.options.metadata) {
    context_.AddMetadata(key, value);
  }
  context_.set_wait_for_ready(call.options.wait_for_ready);
  if (call.deadline != absl::InfiniteFuture()) {
    context_.set_deadline(absl::ToChronoTime(call.deadline));
  }
}

void Attempt::Start(const PreparedCall& call, grpc::GenericStub& stub,
                    grpc::CompletionQueue* cq, void* tag,
                    std::function<void()> on_released) {
  const grpc::ByteBuffer request =
      MakeRequest(call.message, std::move(on_released));
  reader_ = stub.PrepareUnaryCall(&context_, call.method, request, cq);
  reader_->StartCall();
  reader_->Finish(&reply_, &status_, tag);
}

absl::StatusOr<grpc::ByteBuffer> Attempt::Result() const {
  if (status_.ok()) return reply_;
  return DecodeStatusDetails(
      static_cast<absl::StatusCode>(status_.error_code()),
      status_.error_message(), status_.error_details());
}

}  // namespace scatterd
