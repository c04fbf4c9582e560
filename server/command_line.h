// Where the options come from.
//
// Every flag `--some_flag VALUE` can also be given as the environment variable
// SCATTERD_SOME_FLAG and as a line `some_flag = VALUE` of the file that
// --config (or SCATTERD_CONFIG) names.  The command line wins over the
// environment, the environment over the file, the file over the default.  An
// empty environment variable is as good as none.
//
// In the file, blank lines and comments (# at the start of a line or after a
// space) do not count.

#ifndef SCATTERD_SERVER_COMMAND_LINE_H_
#define SCATTERD_SERVER_COMMAND_LINE_H_

#include <cstdint>
#include <string>

#include "absl/functional/function_ref.h"
#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "server/options.h"

namespace scatterd {

// What the command line asks for.
enum class Action { kServe, kHealthCheck, kPrintConfig, kPrintVersion, kHelp };

struct CommandLine {
  Action action = Action::kServe;
  ServerOptions options;  // complete
  // Every flag with its value and where that came from; a file for --config.
  std::string config;
};

// The value of an environment variable; null if it is not set.
using Environment = absl::FunctionRef<const char*(const std::string& name)>;

// Reads the options from all their sources.  `arguments` is argv without the
// program's name; `memory` is WithDefaults's.  INVALID_ARGUMENT, in one line,
// names the flag, the source and the value.
absl::StatusOr<CommandLine> ParseCommandLine(
    absl::Span<const std::string> arguments, Environment environment,
    uint64_t memory);

// The text of --help.
std::string HelpText();

}  // namespace scatterd

#endif  // SCATTERD_SERVER_COMMAND_LINE_H_
