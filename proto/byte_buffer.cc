#include "proto/byte_buffer.h"

#include <memory>
#include <utility>

namespace scatterd {
namespace {

// Below this a part is copied into the slice: cheaper than its release.
constexpr size_t kMinReferencedPart = 1024;

grpc::Slice ToSlice(const Buffer& part) {
  if (part.size() < kMinReferencedPart) {
    return grpc::Slice(part.data(), part.size());
  }
  auto* reference = new Buffer(part);
  return grpc::Slice(
      const_cast<std::byte*>(part.data()), part.size(),
      [](void* p) { delete static_cast<Buffer*>(p); }, reference);
}

}  // namespace

ReceivedMessage::ReceivedMessage(grpc::ByteBuffer* buffer) {
  buffer_.Swap(buffer);
  valid_ = buffer_.Valid() && buffer_.Dump(&slices_).ok();
  pieces_.reserve(slices_.size());
  for (const grpc::Slice& slice : slices_) {
    pieces_.emplace_back(reinterpret_cast<const char*>(slice.begin()),
                         slice.size());
    size_ += slice.size();
  }
}

grpc::ByteBuffer ToByteBuffer(EncodedMessage message) {
  std::vector<grpc::Slice> slices;
  slices.reserve(message.parts().size() + 1);
  for (const Buffer& part : message.parts()) {
    if (part.size() != 0) slices.push_back(ToSlice(part));
  }
  // A ByteBuffer without slices is no message: gRPC aborts when it is sent.
  if (slices.empty()) slices.emplace_back();
  return grpc::ByteBuffer(slices.data(), slices.size());
}

}  // namespace scatterd
