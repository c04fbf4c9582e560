// Reductions: how an update meets what is there.  Rows in
// core/reductions.inc.

#ifndef SCATTERD_CORE_REDUCTION_H_
#define SCATTERD_CORE_REDUCTION_H_

#include <cstdint>
#include <optional>

#include "absl/strings/string_view.h"

namespace scatterd {

enum class Reduction : int32_t {
#define SCATTERD_REDUCTION(name, upper, number, lower) name = number,
#include "core/reductions.inc"
};

// "add"; "unknown" for a value that is no row.
inline absl::string_view ReductionName(Reduction reduction) {
  switch (reduction) {
#define SCATTERD_REDUCTION(name, upper, number, lower) \
  case Reduction::name:                                \
    return #lower;
#include "core/reductions.inc"
  }
  return "unknown";
}

// The reduction with this lower-case name; nullopt if there is none.
inline std::optional<Reduction> ReductionFromName(absl::string_view name) {
#define SCATTERD_REDUCTION(enumerator, upper, number, lower) \
  if (name == #lower) return Reduction::enumerator;
#include "core/reductions.inc"
  return std::nullopt;
}

}  // namespace scatterd

#endif  // SCATTERD_CORE_REDUCTION_H_
