// The one rule for index values.
//
// NegativeIndices is applied first, then OutOfBounds; each component of a
// tuple on its own.  Everything is 64-bit and no offset is formed from a value
// that was not checked.  Host and device code share this file.

#ifndef SCATTERD_CORE_INDEX_RULE_H_
#define SCATTERD_CORE_INDEX_RULE_H_

#include <cstdint>

#include "core/options.h"

namespace scatterd {

// Results of ResolveIndex beside a valid index.
inline constexpr int64_t kSkippedIndex = -1;  // SKIP: the tuple is dropped
inline constexpr int64_t kBadIndex = -2;      // the call fails: OUT_OF_RANGE

// `index` as a position in [0, size), or one of the results above.  CLAMP and
// WRAP have no target on an axis of size 0, so that is a bad index.
constexpr int64_t ResolveIndex(int64_t index, int64_t size,
                               NegativeIndices negative, OutOfBounds policy) {
  if (index < 0 && negative == NegativeIndices::kFromEnd) index += size;
  if (static_cast<uint64_t>(index) < static_cast<uint64_t>(size)) return index;
  if (policy == OutOfBounds::kSkip) return kSkippedIndex;
  if (policy == OutOfBounds::kError || size == 0) return kBadIndex;
  if (policy == OutOfBounds::kClamp) return index < 0 ? 0 : size - 1;
  const int64_t remainder = index % size;
  return remainder < 0 ? remainder + size : remainder;
}

}  // namespace scatterd

#endif  // SCATTERD_CORE_INDEX_RULE_H_
