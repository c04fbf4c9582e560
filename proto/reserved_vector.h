// Vectors that ask before they grow.

#ifndef SCATTERD_PROTO_RESERVED_VECTOR_H_
#define SCATTERD_PROTO_RESERVED_VECTOR_H_

#include <algorithm>
#include <cstddef>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "core/status_macros.h"
#include "proto/codec.h"

namespace scatterd::internal {

// Adds an item; `reserve` has allowed for the memory that the vector takes.
template <typename T>
absl::Status AppendReserved(T item, std::vector<T>* items,
                            ReserveBytes reserve) {
  if (items->size() == items->capacity()) {
    const size_t capacity = std::max<size_t>(2 * items->size(), 1);
    SCATTERD_RETURN_IF_ERROR(reserve(capacity * sizeof(T)));
    items->reserve(capacity);
  }
  items->push_back(std::move(item));
  return absl::OkStatus();
}

}  // namespace scatterd::internal

#endif  // SCATTERD_PROTO_RESERVED_VECTOR_H_
