// The command line of one operator's gradient.

#ifndef SCATTERD_CLIENT_CTL_GRADIENT_FLAGS_H_
#define SCATTERD_CLIENT_CTL_GRADIENT_FLAGS_H_

#include <optional>
#include <string>

#include "CLI/App.hpp"
#include "absl/status/statusor.h"
#include "client/ctl/operator_flags.h"
#include "core/call.h"
#include "core/operator_id.h"

namespace scatterd {

// Flags as they were given; empty = not given.  forward.output is where
// grad_data goes.
struct GradientFlags {
  OperatorFlags forward;
  std::string grad_output;
  std::optional<double> scale;
  std::string output_updates;
};

// Adds the flags of operator `id` and those of its gradient to `command`;
// parsing fills `flags`, which must outlive it.
void AddGradientFlags(CLI::App& command, OperatorId id, GradientFlags& flags);

// The request that the flags describe; files are read here.  The error begins
// with the flag that is at fault.
absl::StatusOr<GradientCall> BuildGradientCall(OperatorId id,
                                               const GradientFlags& flags);

}  // namespace scatterd

#endif  // SCATTERD_CLIENT_CTL_GRADIENT_FLAGS_H_
