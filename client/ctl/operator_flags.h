// The command line of one operator.

#ifndef SCATTERD_CLIENT_CTL_OPERATOR_FLAGS_H_
#define SCATTERD_CLIENT_CTL_OPERATOR_FLAGS_H_

#include <cstdint>
#include <string>

#include "CLI/App.hpp"
#include "absl/status/statusor.h"
#include "core/call.h"
#include "core/operator_id.h"

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

// The request that the flags describe; files are read here.  The error begins
// with the flag that is at fault.
absl::StatusOr<OperatorCall> BuildCall(OperatorId id,
                                       const OperatorFlags& flags);

}  // namespace scatterd

#endif  // SCATTERD_CLIENT_CTL_OPERATOR_FLAGS_H_
