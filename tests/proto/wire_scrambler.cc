#include "tests/proto/wire_scrambler.h"

#include <memory>
#include <utility>

#include "google/protobuf/descriptor.h"

namespace scatterd::test {
namespace {

using google::protobuf::FieldDescriptor;
using google::protobuf::Message;

std::string Join(std::vector<std::string>::const_iterator begin,
                 std::vector<std::string>::const_iterator end) {
  std::string bytes;
  for (; begin != end; ++begin) bytes += *begin;
  return bytes;
}

std::unique_ptr<Message> EmptyLike(const Message& message) {
  return std::unique_ptr<Message>(message.New());
}

// The field alone, serialized by protobuf.
std::string FieldAlone(const Message& message, const FieldDescriptor& field) {
  const std::unique_ptr<Message> alone = EmptyLike(message);
  alone->CopyFrom(message);
  std::vector<const FieldDescriptor*> fields;
  message.GetReflection()->ListFields(message, &fields);
  for (const FieldDescriptor* other : fields) {
    if (other != &field) alone->GetReflection()->ClearField(&*alone, other);
  }
  alone->DiscardUnknownFields();
  return alone->SerializeAsString();
}

// A value that a later occurrence must replace.
std::string Decoy(const Message& message, const FieldDescriptor& field) {
  const std::unique_ptr<Message> decoy = EmptyLike(message);
  const auto& reflection = *decoy->GetReflection();
  switch (field.cpp_type()) {
    case FieldDescriptor::CPPTYPE_INT32:
      reflection.SetInt32(&*decoy, &field, -77);
      break;
    case FieldDescriptor::CPPTYPE_INT64:
      reflection.SetInt64(&*decoy, &field, -77);
      break;
    case FieldDescriptor::CPPTYPE_UINT64:
      reflection.SetUInt64(&*decoy, &field, 77);
      break;
    case FieldDescriptor::CPPTYPE_BOOL:
      reflection.SetBool(&*decoy, &field, true);
      break;
    case FieldDescriptor::CPPTYPE_ENUM:
      reflection.SetEnumValue(&*decoy, &field, 99);
      break;
    case FieldDescriptor::CPPTYPE_STRING:
      reflection.SetString(&*decoy, &field, "decoy");
      break;
    default:
      break;
  }
  return decoy->SerializeAsString();
}

// "<packed tag><length><value>" -> "<unpacked tag><value>", for one entry of
// less than 128 bytes in a field below 16.
std::string Unpack(const std::string& packed, const FieldDescriptor& field) {
  const bool is_float = field.cpp_type() == FieldDescriptor::CPPTYPE_FLOAT;
  const bool is_double = field.cpp_type() == FieldDescriptor::CPPTYPE_DOUBLE;
  const int wire_type = is_float ? 5 : is_double ? 1 : 0;
  return WireVarint(static_cast<uint64_t>(field.number()) << 3 |
                    static_cast<uint64_t>(wire_type)) +
         packed.substr(2);
}

}  // namespace

std::string WireVarint(uint64_t value) {
  std::string bytes;
  for (; value >= 0x80; value >>= 7) {
    bytes.push_back(static_cast<char>(value | 0x80));
  }
  bytes.push_back(static_cast<char>(value));
  return bytes;
}

std::string WireBytes(uint32_t field, const std::string& bytes) {
  return WireVarint(uint64_t{field} << 3 | 2) + WireVarint(bytes.size()) +
         bytes;
}

std::string WireScrambler::Serialize(const Message& message) {
  const Chunks chunks = FieldsOf(message);
  return Join(chunks.begin(), chunks.end());
}

WireScrambler::Chunks WireScrambler::FieldsOf(const Message& message) {
  std::vector<const FieldDescriptor*> fields;
  message.GetReflection()->ListFields(message, &fields);
  std::map<int, Chunks> sequences;
  for (const FieldDescriptor* field : fields) {
    Chunks* chunks = &sequences[field->number()];
    if (field->is_repeated()) {
      AddRepeated(message, *field, chunks);
    } else if (field->cpp_type() == FieldDescriptor::CPPTYPE_MESSAGE) {
      AddMessage(message, *field, chunks);
    } else {
      AddScalar(message, *field, chunks);
    }
  }
  while (OneIn(3)) sequences[-1].push_back(UnknownField());
  return Interleave(std::move(sequences));
}

void WireScrambler::AddScalar(const Message& message, const Field& field,
                              Chunks* chunks) {
  while (OneIn(4)) chunks->push_back(Decoy(message, field));
  chunks->push_back(FieldAlone(message, field));
}

void WireScrambler::AddMessage(const Message& message, const Field& field,
                               Chunks* chunks) {
  if (const auto* oneof = field.containing_oneof()) {
    // Another case, which this one replaces.
    const Field* other = oneof->field(
        static_cast<int>(Below(static_cast<uint64_t>(oneof->field_count()))));
    if (other != &field && OneIn(2)) {
      chunks->push_back(WireBytes(other->number(), ""));
    }
  }
  const Chunks inner =
      FieldsOf(message.GetReflection()->GetMessage(message, &field));
  auto begin = inner.begin();
  do {  // in one part or several
    auto end = inner.end();
    if (begin != end && OneIn(3)) {
      end = begin + static_cast<int64_t>(
                        Below(static_cast<uint64_t>(inner.end() - begin) + 1));
    }
    chunks->push_back(WireBytes(field.number(), Join(begin, end)));
    begin = end;
  } while (begin != inner.end());
}

void WireScrambler::AddRepeated(const Message& message, const Field& field,
                                Chunks* chunks) {
  const auto& reflection = *message.GetReflection();
  const bool packable = field.is_packable();
  for (int i = 0; i < reflection.FieldSize(message, &field); ++i) {
    // Each entry by itself, serialized by protobuf.
    const std::unique_ptr<Message> one = EmptyLike(message);
    one->CopyFrom(message);
    const auto& copied = *one->GetReflection();
    copied.SwapElements(&*one, &field, 0, i);
    while (copied.FieldSize(*one, &field) > 1) copied.RemoveLast(&*one, &field);
    std::string entry = FieldAlone(*one, field);
    if (packable && OneIn(2)) entry = Unpack(entry, field);
    const bool is_packed = packable && (entry[0] & 7) == 2;
    const bool joins = is_packed && !chunks->empty() && OneIn(2) &&
                       (chunks->back()[0] & 7) == 2 &&
                       chunks->back().size() < 100;
    if (joins) {  // one packed field of several entries
      entry =
          WireBytes(field.number(), chunks->back().substr(2) + entry.substr(2));
      chunks->pop_back();
    }
    chunks->push_back(entry);
  }
  if (packable && OneIn(4)) chunks->push_back(WireBytes(field.number(), ""));
}

WireScrambler::Chunks WireScrambler::Interleave(
    std::map<int, Chunks> sequences) {
  Chunks mixed;
  while (!sequences.empty()) {
    auto it = sequences.begin();
    std::advance(it, Below(sequences.size()));
    if (!it->second.empty()) {
      mixed.push_back(it->second.front());
      it->second.erase(it->second.begin());
    }
    if (it->second.empty()) sequences.erase(it);
  }
  return mixed;
}

std::string WireScrambler::UnknownField() {
  const uint64_t tag = (100 + Below(1000)) << 3;
  switch (Below(5)) {
    case 0:
      return WireVarint(tag) + WireVarint(engine_());
    case 1:
      return WireVarint(tag | 1) + "12345678";
    case 2:
      return WireVarint(tag | 2) + std::string("\3abc");
    case 3:  // a group with a field
      return WireVarint(tag | 3) + WireVarint(8) + WireVarint(Below(300)) +
             WireVarint(tag | 4);
    default:
      return WireVarint(tag | 5) + "1234";
  }
}

std::string WireScrambler::Damage(std::string bytes) {
  do {
    if (bytes.empty()) return std::string(1, static_cast<char>(Below(256)));
    const size_t at = Below(bytes.size());
    switch (Below(4)) {
      case 0:
        bytes.resize(at);
        break;
      case 1:
        bytes[at] = static_cast<char>(Below(256));
        break;
      case 2:
        bytes.insert(at, 1, static_cast<char>(Below(256)));
        break;
      default:
        bytes.erase(at, 1);
    }
  } while (OneIn(3));
  return bytes;
}

}  // namespace scatterd::test
