// Tensors: dtype, shape and dense row-major elements.

#ifndef SCATTERD_CORE_TENSOR_H_
#define SCATTERD_CORE_TENSOR_H_

#include <string>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "core/buffer.h"
#include "core/dtype.h"
#include "core/shape.h"

namespace scatterd {

// What a tensor is, without its elements.
struct TensorSpec {
  DType dtype = DType::kUnspecified;
  Shape shape;

  // "FLOAT[2,3]".
  std::string ToString() const;

  friend bool operator==(const TensorSpec& a, const TensorSpec& b) {
    return a.dtype == b.dtype && a.shape == b.shape;
  }
  friend bool operator!=(const TensorSpec& a, const TensorSpec& b) {
    return !(a == b);
  }
};

// The bytes of a tensor with this spec (StringRefs for STRING).
// INVALID_ARGUMENT for an unknown dtype or a shape that CheckedNumElements
// refuses.
absl::StatusOr<size_t> CheckedByteSize(const TensorSpec& spec);

// An owning tensor.  Copies share the elements (see Buffer); a tensor whose
// elements nobody shares may be written to.  Thread-compatible.
//
// A STRING tensor's elements are StringRefs; the bytes that they point at are
// kept alive by `blobs`, or by the caller for a borrowed tensor.
class Tensor {
 public:
  // dtype kUnspecified, no elements: "no tensor".
  Tensor() = default;

  // Uninitialised elements.  Errors as CheckedByteSize and Buffer::Allocate.
  static absl::StatusOr<Tensor> Allocate(const TensorSpec& spec);

  // Zero (false, "") elements.
  static absl::StatusOr<Tensor> Zeros(const TensorSpec& spec);

  // Takes `elements`, whose size must be CheckedByteSize(spec), else
  // INVALID_ARGUMENT.  STRING elements may point into `blobs`.  BOOL elements
  // must be 0 or 1.
  static absl::StatusOr<Tensor> FromBuffer(const TensorSpec& spec,
                                           Buffer elements,
                                           std::vector<Buffer> blobs = {});

  // Borrows the caller's elements, which must stay as they are until the last
  // copy of the tensor is gone.  Errors as FromBuffer.
  static absl::StatusOr<Tensor> Borrow(const TensorSpec& spec,
                                       const void* elements, size_t byte_size);

  // Copies `values`, in row-major order; their number must be the shape's.
  template <typename T>
  static absl::StatusOr<Tensor> FromValues(const Shape& shape,
                                           absl::Span<const T> values) {
    return CopyFrom({DTypeOf<T>::value, shape}, values.data(),
                    values.size() * sizeof(T));
  }

  // Copies `byte_size` bytes of elements.  Errors as FromBuffer; not for
  // STRING.
  static absl::StatusOr<Tensor> CopyFrom(const TensorSpec& spec,
                                         const void* elements,
                                         size_t byte_size);

  // Copies strings into a STRING tensor.
  static absl::StatusOr<Tensor> FromStrings(
      const Shape& shape, absl::Span<const std::string> values);

  const TensorSpec& spec() const { return spec_; }
  DType dtype() const { return spec_.dtype; }
  const Shape& shape() const { return spec_.shape; }
  int64_t num_elements() const { return num_elements_; }

  // Bytes of the elements (16 for each STRING element).
  size_t byte_size() const { return elements_.size(); }

  const std::byte* bytes() const { return elements_.data(); }
  std::byte* mutable_bytes() { return elements_.mutable_data(); }

  // The elements as T, the storage type of dtype() (core/dtype.h).
  template <typename T>
  absl::Span<const T> values() const {
    return {reinterpret_cast<const T*>(elements_.data()),
            static_cast<size_t>(num_elements_)};
  }

  const Buffer& elements() const { return elements_; }
  Buffer& mutable_elements() { return elements_; }
  const std::vector<Buffer>& blobs() const { return blobs_; }

  // Keeps what another tensor's StringRefs point at alive in this one too.
  void ShareBlobs(const Tensor& other);
  void AddBlob(Buffer blob) { blobs_.push_back(std::move(blob)); }

  // The sum of a STRING tensor's lengths; 0 for other dtypes.
  uint64_t string_bytes() const;

  // TensorProto.name; carried along, never interpreted.
  const std::string& name() const { return name_; }
  void set_name(std::string name) { name_ = std::move(name); }

 private:
  TensorSpec spec_;
  int64_t num_elements_ = 0;
  Buffer elements_;
  std::vector<Buffer> blobs_;
  std::string name_;
};

}  // namespace scatterd

#endif  // SCATTERD_CORE_TENSOR_H_
