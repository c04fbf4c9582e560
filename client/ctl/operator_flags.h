// The command line of one operator.

#ifndef SCATTERD_CLIENT_CTL_OPERATOR_FLAGS_H_
#define SCATTERD_CLIENT_CTL_OPERATOR_FLAGS_H_

#include <cstdint>
#include <optional>
#include <string>

#include "CLI/App.hpp"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "core/call.h"
#include "core/operator_id.h"
#include "core/options.h"

namespace scatterd {

// Flags as they were given; empty = not given.
struct OperatorFlags {
  std::string data, zeros, indices, updates;
  std::string dtype, indices_dtype;
  int64_t axis = 0;
  int64_t batch_dims = 0;
  std::string reduction = "none";
  bool exclude_self = false;
  std::string dialect, out_of_bounds, negative_indices, duplicates, nan;
  std::string accumulation, fill_value, device;
  std::string output;
  bool stats = false;
};

// Adds the flags that operator `id` has to `command`; parsing fills `flags`,
// which must outlive it.
void AddOperatorFlags(CLI::App& command, OperatorId id, OperatorFlags& flags);

// Those that say how gathers and scatters behave.
void AddBehaviourFlags(CLI::App& command, bool gathers, bool scatters,
                       OperatorFlags& flags);

// The options that the behaviour flags describe; a literal fill value is read
// as `dtype`.  The error begins with the flag that is at fault.
absl::StatusOr<ExecutionOptions> BuildOptions(const OperatorFlags& flags,
                                              std::optional<DType> dtype);

// `text` in lines that fit beside the flags' names on a terminal.
std::string Wrapped(absl::string_view text);

// The status with the flag that is at fault in front.
absl::Status AtFlag(absl::string_view flag, const absl::Status& status);

// The request that the flags describe; files are read here.  The error begins
// with the flag that is at fault.
absl::StatusOr<OperatorCall> BuildCall(OperatorId id,
                                       const OperatorFlags& flags);

}  // namespace scatterd

#endif  // SCATTERD_CLIENT_CTL_OPERATOR_FLAGS_H_
