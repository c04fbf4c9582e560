// Enumerators that core and the wire share by number.

#ifndef SCATTERD_PROTO_ENUMS_H_
#define SCATTERD_PROTO_ENUMS_H_

#include <optional>

#include "core/options.h"
#include "core/reduction.h"

namespace scatterd::internal {

// The value with this number on the wire; nullopt if there is none.  Defined
// for Dialect, OutOfBounds, NegativeIndices, Duplicates, NanPolicy,
// Accumulation and Reduction.
template <typename Enum>
std::optional<Enum> EnumFromWire(int number);

}  // namespace scatterd::internal

#endif  // SCATTERD_PROTO_ENUMS_H_
