#include "tests/server/raw_client.h"

#include <cstdlib>
#include <iostream>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/time/clock.h"
#include "core/status_macros.h"
#include "grpc/grpc.h"
#include "grpcpp/create_channel.h"
#include "grpcpp/security/credentials.h"
#include "grpcpp/support/channel_arguments.h"
#include "proto/byte_buffer.h"
#include "proto/codec.h"
#include "proto/status_details.h"
#include "tests/testing/tensor_literals.h"

namespace scatterd::test {

namespace {

// A stub that does not own its channel: a call does not need it to.
grpc::GenericStub Borrow(grpc::Channel& channel) {
  return grpc::GenericStub(std::shared_ptr<grpc::Channel>(
      std::shared_ptr<grpc::Channel>(), &channel));
}

}  // namespace

grpc::ByteBuffer ToBuffer(absl::string_view bytes) {
  const grpc::Slice slice(bytes.data(), bytes.size());
  return grpc::ByteBuffer(&slice, 1);
}

std::string ToString(const grpc::ByteBuffer& buffer) {
  std::vector<grpc::Slice> slices;
  std::string bytes;
  if (!buffer.Valid() || !buffer.Dump(&slices).ok()) return bytes;
  for (const grpc::Slice& slice : slices) {
    bytes.append(reinterpret_cast<const char*>(slice.begin()), slice.size());
  }
  return bytes;
}

std::string MethodOf(OperatorId op) {
  return absl::StrCat("/scatterd.v1.TensorOps/", OperatorRpcName(op));
}

grpc::ByteBuffer RequestOf(const OperatorCall& call) {
  absl::StatusOr<EncodedMessage> message = EncodeCall(call);
  if (!message.ok()) {
    std::cerr << message.status() << std::endl;
    std::abort();
  }
  return ToByteBuffer(*std::move(message));
}

std::shared_ptr<grpc::Channel> NewChannel(const std::string& target) {
  // Kept to the end of the program: taking gRPC down between tests can wait
  // ten seconds for a poll of its own.
  grpc_init();
  grpc::ChannelArguments arguments;
  arguments.SetMaxReceiveMessageSize(-1);
  arguments.SetInt(GRPC_ARG_USE_LOCAL_SUBCHANNEL_POOL, 1);
  return grpc::CreateCustomChannel(target, grpc::InsecureChannelCredentials(),
                                   arguments);
}

PendingCall::PendingCall(grpc::Channel& channel, const std::string& method,
                         const grpc::ByteBuffer& request,
                         absl::Duration timeout) {
  context_.set_deadline(absl::ToChronoTime(absl::Now() + timeout));
  reader_ =
      Borrow(channel).PrepareUnaryCall(&context_, method, request, &queue_);
  reader_->StartCall();
  reader_->Finish(&reply_, &status_, nullptr);
}

PendingCall::~PendingCall() {
  if (waited_) return;
  Cancel();
  Wait().IgnoreError();
}

absl::StatusOr<std::string> PendingCall::Wait() {
  void* tag = nullptr;
  bool ok = false;
  queue_.Next(&tag, &ok);
  waited_ = true;
  if (status_.ok()) return ToString(reply_);
  return DecodeStatusDetails(
      static_cast<absl::StatusCode>(status_.error_code()),
      status_.error_message(), status_.error_details());
}

StreamCall::StreamCall(grpc::Channel& channel, const std::string& method,
                       absl::Duration timeout) {
  context_.set_deadline(absl::ToChronoTime(absl::Now() + timeout));
  stream_ = Borrow(channel).PrepareCall(&context_, method, &queue_);
  stream_->StartCall(nullptr);
  Next();
}

StreamCall::~StreamCall() {
  if (finished_) return;
  Cancel();
  Finish();
}

bool StreamCall::Next() {
  void* tag = nullptr;
  bool ok = false;
  return queue_.Next(&tag, &ok) && ok;
}

bool StreamCall::Write(absl::string_view message) {
  stream_->Write(ToBuffer(message), nullptr);
  return Next();
}

bool StreamCall::WritesDone() {
  stream_->WritesDone(nullptr);
  return Next();
}

bool StreamCall::ReadInitialMetadata() {
  stream_->ReadInitialMetadata(nullptr);
  return Next();
}

std::optional<std::string> StreamCall::Read() {
  grpc::ByteBuffer message;
  stream_->Read(&message, nullptr);
  if (!Next()) return std::nullopt;
  return ToString(message);
}

grpc::Status StreamCall::Finish() {
  grpc::Status status;
  stream_->Finish(&status, nullptr);
  Next();
  finished_ = true;
  return status;
}

absl::StatusOr<std::string> CallRaw(grpc::Channel& channel,
                                    const std::string& method,
                                    absl::string_view request,
                                    absl::Duration timeout) {
  return PendingCall(channel, method, ToBuffer(request), timeout).Wait();
}

absl::StatusOr<OperatorResult> Execute(grpc::Channel& channel,
                                       const OperatorCall& call,
                                       absl::Duration timeout) {
  PendingCall pending(channel, MethodOf(call.op), RequestOf(call), timeout);
  SCATTERD_ASSIGN_OR_RETURN(const std::string reply, pending.Wait());
  const absl::string_view pieces[] = {reply};
  return DecodeResult(pieces, ReserveAnything);
}

absl::StatusOr<Tensor> Output(grpc::Channel& channel,
                              const OperatorCall& call) {
  SCATTERD_ASSIGN_OR_RETURN(OperatorResult result, Execute(channel, call));
  if (!result.output) return absl::InternalError("the reply has no output");
  return *std::move(result.output);
}

OperatorCall QueuedCall() {
  OperatorCall call =
      ScatterNDCall(Tensor(), Indices({1, 1}, {2}), Full<uint8_t>({1}, 7));
  call.data = ZerosSpec{{DType::kUInt8, {512 << 10}}};
  return call;
}

}  // namespace scatterd::test
