// Reads protobuf's wire format from a message in pieces.
//
// A WireReader is a cursor with an end: cheap to copy, so that a copy remembers
// a place to come back to.  It refuses what protobuf's parsers refuse.

#ifndef SCATTERD_PROTO_WIRE_READER_H_
#define SCATTERD_PROTO_WIRE_READER_H_

#include <cstddef>
#include <cstdint>
#include <string>

#include "proto/codec.h"

namespace scatterd::internal {

enum class WireType : uint32_t {
  kVarint = 0,
  kFixed64 = 1,
  kDelimited = 2,
  kGroupBegin = 3,
  kGroupEnd = 4,
  kFixed32 = 5,
};

struct WireTag {
  uint32_t field = 0;
  WireType type = WireType::kVarint;

  bool Is(uint32_t number, WireType wire_type) const {
    return field == number && type == wire_type;
  }
};

// Read functions return false for malformed or truncated input, after which
// the reader's place has no meaning.  The pieces must outlive it.
class WireReader {
 public:
  explicit WireReader(MessagePieces pieces);

  bool done() const { return position_ == end_; }
  uint64_t remaining() const { return end_ - position_; }

  // Bytes from the begin of the pieces.
  uint64_t position() const { return position_; }

  bool ReadTag(WireTag* tag);
  bool ReadVarint(uint64_t* value);
  bool ReadFixed32(uint32_t* value);
  bool ReadFixed64(uint64_t* value);

  // A length and as many bytes, which `body`, another reader, is to read; this
  // one goes on behind them.
  bool ReadDelimited(WireReader* body);

  // The next `size` bytes, contiguous in `destination`.
  bool ReadBytes(void* destination, uint64_t size);

  // Appends all remaining bytes to `destination`.
  void AppendRest(std::string* destination);

  bool Skip(uint64_t size);

  // Skips the value of a field that nobody wants, groups included.
  bool SkipValue(WireTag tag);

  // Moves the end nearer: to `position`, between position() and the end.
  void EndAt(uint64_t position) { end_ = position; }

 private:
  // Bytes from here that lie in one piece; 0 only at the end.
  uint64_t Contiguous();
  const char* here() const { return pieces_[piece_].data() + offset_; }
  void Advance(uint64_t size);
  bool ReadLength(uint64_t* length);
  bool SkipGroup(uint32_t field, int depth);
  bool SkipValue(WireTag tag, int depth);
  bool ReadVarintSlowly(int max_bytes, uint64_t* value);

  MessagePieces pieces_;
  size_t piece_ = 0;     // the piece of the next byte
  uint64_t offset_ = 0;  // its place in the piece; may be the piece's size
  uint64_t position_ = 0;
  uint64_t end_ = 0;
};

}  // namespace scatterd::internal

#endif  // SCATTERD_PROTO_WIRE_READER_H_
