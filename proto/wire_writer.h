// Writes protobuf's wire format into an EncodedMessage.

#ifndef SCATTERD_PROTO_WIRE_WRITER_H_
#define SCATTERD_PROTO_WIRE_WRITER_H_

#include <cstdint>
#include <string>

#include "absl/strings/string_view.h"
#include "core/buffer.h"
#include "proto/codec.h"
#include "proto/wire_reader.h"

namespace scatterd::internal {

// A payload that is smaller is copied between its neighbours: a part of its
// own costs the transport more than the copy.
inline constexpr size_t kMinPayloadPart = 4096;

// Bytes that the writer's functions append.
uint64_t VarintSize(uint64_t value);
uint64_t TagSize(uint32_t field);
uint64_t DelimitedSize(uint32_t field, uint64_t body_size);

// Fields appear in the order of the calls.  A nested message is its header
// (with the size of what follows, to be known before) and then its fields.
class WireWriter {
 public:
  void Varint(uint64_t value);
  void VarintField(uint32_t field, uint64_t value);
  void DelimitedHeader(uint32_t field, uint64_t body_size);
  void Bytes(absl::string_view bytes) {
    pending_.append(bytes.data(), bytes.size());
  }
  void BytesField(uint32_t field, absl::string_view bytes);

  // Bytes that the message may refer to instead of copying.
  void Payload(Buffer payload);

  // What was written.  The writer is empty afterwards.
  EncodedMessage Finish();

 private:
  void Flush();

  std::string pending_;
  EncodedMessage message_;
};

}  // namespace scatterd::internal

#endif  // SCATTERD_PROTO_WIRE_WRITER_H_
