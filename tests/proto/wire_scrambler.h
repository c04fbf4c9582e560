// Serializes messages in the ways that protobuf accepts but never produces:
// fields in any order, repeated fields split, packed or not, singular fields
// more than once, submessages in parts, unknown fields in between.

#ifndef SCATTERD_TESTS_PROTO_WIRE_SCRAMBLER_H_
#define SCATTERD_TESTS_PROTO_WIRE_SCRAMBLER_H_

#include <cstdint>
#include <map>
#include <random>
#include <string>
#include <vector>

#include "google/protobuf/message.h"

namespace scatterd::test {

class WireScrambler {
 public:
  explicit WireScrambler(uint64_t seed) : engine_(seed) {}

  // Bytes that parse as `message`.
  std::string Serialize(const google::protobuf::Message& message);

  // `bytes` with some cut off, changed, inserted or removed.
  std::string Damage(std::string bytes);

  std::mt19937_64& engine() { return engine_; }
  uint64_t Below(uint64_t n) { return engine_() % n; }
  bool OneIn(uint64_t n) { return Below(n) == 0; }

 private:
  using Field = google::protobuf::FieldDescriptor;
  using Chunks = std::vector<std::string>;

  // The serialized fields of a message in a legal order.
  Chunks FieldsOf(const google::protobuf::Message& message);

  void AddScalar(const google::protobuf::Message& message, const Field& field,
                 Chunks* chunks);
  void AddMessage(const google::protobuf::Message& message, const Field& field,
                  Chunks* chunks);
  void AddRepeated(const google::protobuf::Message& message, const Field& field,
                   Chunks* chunks);

  // Mixes sequences, keeping the order inside each.
  Chunks Interleave(std::map<int, Chunks> sequences);

  std::string UnknownField();

  std::mt19937_64 engine_;
};

// A tag or a length.
std::string WireVarint(uint64_t value);

// A length-delimited field.
std::string WireBytes(uint32_t field, const std::string& bytes);

}  // namespace scatterd::test

#endif  // SCATTERD_TESTS_PROTO_WIRE_SCRAMBLER_H_
