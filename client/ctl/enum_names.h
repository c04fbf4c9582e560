// The contract's enumerations as command-line words: the names of core's
// options in lower case, in the order of their numbers, which begin at 1.

#ifndef SCATTERD_CLIENT_CTL_ENUM_NAMES_H_
#define SCATTERD_CLIENT_CTL_ENUM_NAMES_H_

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/options.h"
#include "core/reduction.h"

namespace scatterd {

inline std::vector<std::string> DialectNames() {
  return {"onnx",    "tensorflow", "tensorflow_gpu", "mindspore",
          "pytorch", "jax",        "numpy"};
}
inline std::vector<std::string> OutOfBoundsNames() {
  return {"error", "skip", "clamp", "wrap"};
}
inline std::vector<std::string> NegativeIndicesNames() {
  return {"from_end", "out_of_bounds"};
}
inline std::vector<std::string> DuplicatesNames() {
  return {"last_wins", "first_wins", "reject"};
}
inline std::vector<std::string> NanPolicyNames() {
  return {"propagate", "ignore"};
}
inline std::vector<std::string> AccumulationNames() {
  return {"native", "wide"};
}
inline std::vector<std::string> ReductionNames() {
  return {
#define SCATTERD_REDUCTION(name, upper, number, lower) #lower,
#include "core/reductions.inc"
  };
}

// The enumerator that stands at `name`'s place in `names`; nullopt if none
// does.
template <typename Enum>
std::optional<Enum> FromName(const std::vector<std::string>& names,
                             const std::string& name) {
  const auto it = std::find(names.begin(), names.end(), name);
  if (it == names.end()) return std::nullopt;
  return static_cast<Enum>(it - names.begin() + 1);
}

}  // namespace scatterd

#endif  // SCATTERD_CLIENT_CTL_ENUM_NAMES_H_
