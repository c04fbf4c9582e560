#include <memory>
#include <utility>

#include "proto/codec.h"

namespace scatterd {

uint64_t EncodedMessage::size() const {
  uint64_t total = 0;
  for (const Buffer& part : parts_) total += part.size();
  return total;
}

void EncodedMessage::Append(std::string bytes) {
  const auto owner = std::make_shared<const std::string>(std::move(bytes));
  parts_.push_back(Buffer::Wrap(owner->data(), owner->size(), [owner]() {}));
}

std::string EncodedMessage::Flatten() const {
  std::string bytes;
  bytes.reserve(size());
  for (const Buffer& part : parts_) {
    if (part.size() == 0) continue;
    bytes.append(reinterpret_cast<const char*>(part.data()), part.size());
  }
  return bytes;
}

}  // namespace scatterd
