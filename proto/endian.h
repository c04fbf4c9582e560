// The wire is little-endian; tensors have the host's byte order.

#ifndef SCATTERD_PROTO_ENDIAN_H_
#define SCATTERD_PROTO_ENDIAN_H_

#include <algorithm>
#include <bit>
#include <cstddef>

#include "core/dtype.h"

namespace scatterd::internal {

inline constexpr bool kWireIsHostOrder =
    std::endian::native == std::endian::little;

// Converts `size` bytes, which are numbers of `width` bytes each, from the
// wire's order to the host's or back.
inline void SwapWireOrder(std::byte* data, size_t size, size_t width) {
  if constexpr (!kWireIsHostOrder) {
    if (width == 1) return;
    for (std::byte* end = data + size; data != end; data += width) {
      std::reverse(data, data + width);
    }
  }
}

// Bytes of the numbers that an element is made of.  Not for STRING.
inline size_t NumberWidth(DType dtype) {
  const size_t size = ElementSize(dtype);
  return KindOf(dtype) == DTypeKind::kComplex ? size / 2 : size;
}

}  // namespace scatterd::internal

#endif  // SCATTERD_PROTO_ENDIAN_H_
