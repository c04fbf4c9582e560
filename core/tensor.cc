#include "core/tensor.h"

#include <algorithm>
#include <cstring>
#include <functional>

#include "absl/strings/str_cat.h"
#include "core/status_macros.h"

namespace scatterd {

std::string TensorSpec::ToString() const {
  return absl::StrCat(DTypeName(dtype), shape.ToString());
}

absl::StatusOr<size_t> CheckedByteSize(const TensorSpec& spec) {
  if (!IsValid(spec.dtype)) {
    return absl::InvalidArgumentError(
        absl::StrCat("unknown dtype (", static_cast<int32_t>(spec.dtype), ")"));
  }
  const size_t element_size = ElementSize(spec.dtype);
  SCATTERD_ASSIGN_OR_RETURN(const int64_t num_elements,
                            CheckedNumElements(spec.shape, element_size));
  return static_cast<size_t>(num_elements) * element_size;
}

absl::StatusOr<Tensor> Tensor::FromBuffer(const TensorSpec& spec,
                                          Buffer elements,
                                          std::vector<Buffer> blobs) {
  SCATTERD_ASSIGN_OR_RETURN(const size_t byte_size, CheckedByteSize(spec));
  if (elements.size() != byte_size) {
    return absl::InvalidArgumentError(
        absl::StrCat("payload does not fit ", spec.ToString(), " (",
                     elements.size(), " vs ", byte_size, " bytes)"));
  }
  Tensor tensor;
  tensor.spec_ = spec;
  tensor.num_elements_ = spec.shape.num_elements();
  tensor.elements_ = std::move(elements);
  tensor.blobs_ = std::move(blobs);
  return tensor;
}

absl::StatusOr<Tensor> Tensor::Allocate(const TensorSpec& spec) {
  SCATTERD_ASSIGN_OR_RETURN(const size_t byte_size, CheckedByteSize(spec));
  SCATTERD_ASSIGN_OR_RETURN(Buffer elements, Buffer::Allocate(byte_size));
  return FromBuffer(spec, std::move(elements));
}

absl::StatusOr<Tensor> Tensor::Zeros(const TensorSpec& spec) {
  SCATTERD_ASSIGN_OR_RETURN(Tensor tensor, Allocate(spec));
  if (tensor.byte_size() != 0) {
    std::memset(tensor.mutable_bytes(), 0, tensor.byte_size());
  }
  return tensor;
}

absl::StatusOr<Tensor> Tensor::Borrow(const TensorSpec& spec,
                                      const void* elements, size_t byte_size) {
  return FromBuffer(spec, Buffer::Wrap(elements, byte_size, nullptr));
}

absl::StatusOr<Tensor> Tensor::CopyFrom(const TensorSpec& spec,
                                        const void* elements,
                                        size_t byte_size) {
  SCATTERD_ASSIGN_OR_RETURN(Buffer copy, Buffer::Allocate(byte_size));
  if (byte_size != 0) std::memcpy(copy.mutable_data(), elements, byte_size);
  return FromBuffer(spec, std::move(copy));
}

absl::StatusOr<Tensor> Tensor::FromStrings(
    const Shape& shape, absl::Span<const std::string> values) {
  size_t total = 0;
  for (const std::string& value : values) total += value.size();
  SCATTERD_ASSIGN_OR_RETURN(Buffer blob, Buffer::Allocate(total));
  SCATTERD_ASSIGN_OR_RETURN(
      Buffer elements, Buffer::Allocate(values.size() * sizeof(StringRef)));
  char* next = reinterpret_cast<char*>(blob.mutable_data());
  std::byte* element = elements.mutable_data();
  for (const std::string& value : values) {
    const StringRef ref{next, value.size()};
    if (!value.empty()) std::memcpy(next, value.data(), value.size());
    std::memcpy(element, &ref, sizeof(ref));
    next += value.size();
    element += sizeof(ref);
  }
  return FromBuffer({DType::kString, shape}, std::move(elements),
                    {std::move(blob)});
}

// Each once: tensors that are made from one another again and again would have
// twice as many every time.
void Tensor::ShareBlobs(const Tensor& other) {
  if (other.blobs_.empty()) return;
  const bool had_none = blobs_.empty();
  blobs_.insert(blobs_.end(), other.blobs_.begin(), other.blobs_.end());
  if (had_none) return;
  std::sort(blobs_.begin(), blobs_.end(), [](const Buffer& a, const Buffer& b) {
    return std::less<>()(a.data(), b.data());
  });
  const auto same = [](const Buffer& a, const Buffer& b) {
    return a.data() == b.data();
  };
  blobs_.erase(std::unique(blobs_.begin(), blobs_.end(), same), blobs_.end());
}

uint64_t Tensor::string_bytes() const {
  if (dtype() != DType::kString) return 0;
  uint64_t total = 0;
  for (const StringRef& ref : values<StringRef>()) total += ref.size;
  return total;
}

}  // namespace scatterd
