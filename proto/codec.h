// The wire: the only code that turns message bytes into core types and back.
//
// Messages are proto/scatterd/v1/*.proto.  The bulk of a message is tensor
// payload, so the outer structure is walked by hand over the pieces in which
// the transport delivered it: a payload is copied once, from the pieces into
// its aligned Buffer, and never on the way out, where the encoded message
// refers to the tensor's own Buffer.
//
// Decoders accept every encoding that protobuf accepts: fields in any order,
// unknown fields, packed and unpacked repeated scalars, repeated singular
// fields (the last wins, submessages merge).  All functions are pure and
// thread-safe, and safe on hostile bytes: a message costs at most a small
// multiple of its own size beyond what `reserve` was asked for.
//
// What a decoder refuses is INVALID_ARGUMENT
//   <operator>: C0: <operand>: <what> (<got> vs <expected>)
// with the field's path as core/errors.h's payload: "data.tensor.raw_data".
// C0 is the same for every operator: "the message is well-formed".  A result's
// errors begin with "response", those of a tensor alone with "tensor".

#ifndef SCATTERD_PROTO_CODEC_H_
#define SCATTERD_PROTO_CODEC_H_

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "absl/functional/function_ref.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "core/call.h"
#include "core/tensor.h"

namespace scatterd {

// The number of the constraint that a malformed message or tensor breaks.
inline constexpr int kMalformedConstraint = 0;

// A message as received: pieces that follow one another, cut anywhere, at any
// address.
using MessagePieces = absl::Span<const absl::string_view>;

// Asked for every allocation that a message makes, before it is made; the
// error it returns (RESOURCE_EXHAUSTED) is the decoder's result.
using ReserveBytes = absl::FunctionRef<absl::Status(uint64_t bytes)>;

// A message to send: parts that follow one another.  Payload parts share the
// tensors' Buffers, which must not change until the message is gone.
class EncodedMessage {
 public:
  const std::vector<Buffer>& parts() const { return parts_; }
  uint64_t size() const;  // bytes in total

  void Append(Buffer part) { parts_.push_back(std::move(part)); }
  void Append(std::string bytes);  // copied to a part of its own

  // All parts copied into one string: tests and small messages.
  std::string Flatten() const;

 private:
  std::vector<Buffer> parts_;
};

// The request of operator `op` (GatherRequest for kGather, ...).
// INVALID_ARGUMENT for malformed messages and tensors (the status names the
// field); STRING operands' bytes are copied too.  `indices` and attributes are
// decoded, not checked: that is planning.
absl::StatusOr<OperatorCall> DecodeCall(OperatorId op, MessagePieces message,
                                        ReserveBytes reserve);

// The inverse.  RESOURCE_EXHAUSTED if the message would reach 2 GiB, which
// protobuf peers cannot read, or without memory; INVALID_ARGUMENT for a tensor
// name that is not UTF-8.
absl::StatusOr<EncodedMessage> EncodeCall(const OperatorCall& call);

// OperatorResponse, without its `resident` for now.  Errors as EncodeCall.
absl::StatusOr<EncodedMessage> EncodeResult(const OperatorResult& result);
absl::StatusOr<OperatorResult> DecodeResult(MessagePieces message,
                                            ReserveBytes reserve);

// GradientRequest; its forward request is decoded as by DecodeCall, with fields
// below the oneof's ("scatter_nd.data.tensor"), and is required.
absl::StatusOr<GradientCall> DecodeGradientCall(MessagePieces message,
                                                ReserveBytes reserve);
absl::StatusOr<EncodedMessage> EncodeGradientCall(const GradientCall& call);

// GradientResponse.  Decoding requires grad_data.
absl::StatusOr<EncodedMessage> EncodeGradientResult(
    const GradientResult& result);
absl::StatusOr<GradientResult> DecodeGradientResult(MessagePieces message,
                                                    ReserveBytes reserve);

// TensorProto alone, also onnx.TensorProto files.  Errors as for calls.
absl::StatusOr<Tensor> DecodeTensor(MessagePieces message,
                                    ReserveBytes reserve);
absl::StatusOr<EncodedMessage> EncodeTensor(const Tensor& tensor);

// Bytes that EncodeTensor would produce.  The server checks a STRING result
// against its output limit with it: gathered strings repeat on the wire.
uint64_t EncodedTensorSize(const Tensor& tensor);

// A ReserveBytes that allows everything.
inline absl::Status ReserveAnything(uint64_t) { return absl::OkStatus(); }

}  // namespace scatterd

#endif  // SCATTERD_PROTO_CODEC_H_
