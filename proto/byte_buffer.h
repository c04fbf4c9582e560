// gRPC's ByteBuffers as message pieces, and encoded messages as ByteBuffers,
// both without copying payload.

#ifndef SCATTERD_PROTO_BYTE_BUFFER_H_
#define SCATTERD_PROTO_BYTE_BUFFER_H_

#include <cstdint>
#include <vector>

#include "absl/strings/string_view.h"
#include "grpcpp/support/byte_buffer.h"
#include "grpcpp/support/slice.h"
#include "proto/codec.h"

namespace scatterd {

// Holds references to the slices of a received message.  Keeping it keeps the
// transport's read blocks, so let it go as soon as the message is decoded.
// Thread-compatible.
class ReceivedMessage {
 public:
  // Takes `buffer`'s slices; `buffer` is cleared.  An invalid ByteBuffer (a
  // caller that half-closed without a message) gives an empty message with
  // valid() false.
  explicit ReceivedMessage(grpc::ByteBuffer* buffer);

  ReceivedMessage(const ReceivedMessage&) = delete;  // pieces point inside
  ReceivedMessage& operator=(const ReceivedMessage&) = delete;

  bool valid() const { return valid_; }
  MessagePieces pieces() const { return pieces_; }
  uint64_t size() const { return size_; }

 private:
  bool valid_ = false;
  uint64_t size_ = 0;
  // Outlives the slices: freeing a received slice may run gRPC's memory quota,
  // for which gRPC prepares the thread only when it frees a ByteBuffer.
  grpc::ByteBuffer buffer_;
  std::vector<grpc::Slice> slices_;
  std::vector<absl::string_view> pieces_;
};

// Small parts are copied; large ones are referenced until gRPC has sent them,
// and released on one of its threads.  An empty message is a valid ByteBuffer.
grpc::ByteBuffer ToByteBuffer(EncodedMessage message);

}  // namespace scatterd

#endif  // SCATTERD_PROTO_BYTE_BUFFER_H_
