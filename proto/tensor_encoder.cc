#include "proto/tensor_encoder.h"

#include <cstring>
#include <string>
#include <utility>

#include "core/errors.h"
#include "core/status_macros.h"
#include "proto/endian.h"
#include "proto/tensor_fields.h"
#include "proto/utf8.h"

namespace scatterd {
namespace internal {
namespace {

// The largest message that protobuf's parsers accept.
constexpr uint64_t kMaxMessageBytes = (uint64_t{1} << 31) - 1;

uint64_t DimsSize(const Shape& shape) {
  uint64_t size = 0;
  for (const int64_t dim : shape.dims()) {
    size += VarintSize(static_cast<uint64_t>(dim));
  }
  return size;
}

uint64_t StringDataSize(const Tensor& tensor) {
  uint64_t size = 0;
  for (const StringRef& ref : tensor.values<StringRef>()) {
    size += DelimitedSize(TensorField::kStringData, ref.size);
  }
  return size;
}

char* PutVarint(uint64_t value, char* next) {
  for (; value >= 0x80; value >>= 7) {
    *next++ = static_cast<char>(value | 0x80);
  }
  *next++ = static_cast<char>(value);
  return next;
}

// All string_data fields in one buffer.
absl::StatusOr<Buffer> StringData(const Tensor& tensor) {
  SCATTERD_ASSIGN_OR_RETURN(Buffer fields,
                            Buffer::Allocate(StringDataSize(tensor)));
  constexpr uint64_t kTag = (TensorField::kStringData << 3) |
                            static_cast<uint32_t>(WireType::kDelimited);
  char* next = reinterpret_cast<char*>(fields.mutable_data());
  for (const StringRef& ref : tensor.values<StringRef>()) {
    next = PutVarint(ref.size, PutVarint(kTag, next));
    if (ref.size != 0) std::memcpy(next, ref.data, ref.size);
    next += ref.size;
  }
  return fields;
}

// The elements in the wire's byte order.
absl::StatusOr<Buffer> WireElements(const Tensor& tensor) {
  if constexpr (kWireIsHostOrder) {
    return tensor.elements();
  } else {
    SCATTERD_ASSIGN_OR_RETURN(Buffer copy,
                              Buffer::Allocate(tensor.byte_size()));
    if (copy.size() == 0) return copy;
    std::memcpy(copy.mutable_data(), tensor.bytes(), copy.size());
    SwapWireOrder(copy.mutable_data(), copy.size(),
                  NumberWidth(tensor.dtype()));
    return copy;
  }
}

}  // namespace

absl::Status CheckMessageSize(uint64_t size) {
  if (size <= kMaxMessageBytes) return absl::OkStatus();
  return LimitError("protobuf's message size", size, kMaxMessageBytes);
}

absl::Status WriteTensor(const Tensor& tensor, WireWriter& writer) {
  if (!IsValidUtf8(tensor.name())) {
    return absl::InvalidArgumentError("the tensor's name is not UTF-8");
  }
  if (tensor.shape().rank() != 0) {
    writer.DelimitedHeader(TensorField::kDims, DimsSize(tensor.shape()));
    for (const int64_t dim : tensor.shape().dims()) {
      writer.Varint(static_cast<uint64_t>(dim));
    }
  }
  writer.VarintField(TensorField::kDataType,
                     static_cast<uint64_t>(tensor.dtype()));
  if (!tensor.name().empty()) {
    writer.BytesField(TensorField::kName, tensor.name());
  }
  if (tensor.dtype() == DType::kString) {
    SCATTERD_ASSIGN_OR_RETURN(Buffer fields, StringData(tensor));
    writer.Payload(std::move(fields));
  } else {
    SCATTERD_ASSIGN_OR_RETURN(Buffer elements, WireElements(tensor));
    writer.DelimitedHeader(TensorField::kRawData, elements.size());
    writer.Payload(std::move(elements));
  }
  return absl::OkStatus();
}

}  // namespace internal

uint64_t EncodedTensorSize(const Tensor& tensor) {
  using internal::DelimitedSize;
  using internal::TensorField;
  uint64_t size = internal::TagSize(TensorField::kDataType) +
                  internal::VarintSize(static_cast<uint64_t>(tensor.dtype()));
  if (tensor.shape().rank() != 0) {
    size +=
        DelimitedSize(TensorField::kDims, internal::DimsSize(tensor.shape()));
  }
  if (!tensor.name().empty()) {
    size += DelimitedSize(TensorField::kName, tensor.name().size());
  }
  return size +
         (tensor.dtype() == DType::kString
              ? internal::StringDataSize(tensor)
              : DelimitedSize(TensorField::kRawData, tensor.byte_size()));
}

absl::StatusOr<EncodedMessage> EncodeTensor(const Tensor& tensor) {
  SCATTERD_RETURN_IF_ERROR(
      internal::CheckMessageSize(EncodedTensorSize(tensor)));
  internal::WireWriter writer;
  SCATTERD_RETURN_IF_ERROR(internal::WriteTensor(tensor, writer));
  return writer.Finish();
}

}  // namespace scatterd
