// The server's options, and the flags that set them.

#ifndef SCATTERD_SERVER_OPTIONS_H_
#define SCATTERD_SERVER_OPTIONS_H_

#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "core/backends/cpu/instruction_set.h"
#include "core/thread_pool.h"
#include "server/listener.h"
#include "server/logging.h"

namespace scatterd {

// A value; sizes in bytes.  What is 0 here and has a note gets its value from
// WithDefaults.
struct ServerOptions {
  std::vector<Listener> listen;  // empty: 0.0.0.0:50051
  int threads = 0;               // 0: one per available CPU
  Pinning pin_threads = Pinning::kAuto;
  InstructionSet isa = InstructionSet::kAuto;
  uint64_t max_message_bytes = 0;   // 0: 1 GiB, less on a small machine
  uint64_t max_output_bytes = 0;    // 0: max_message_bytes
  uint64_t max_inflight_bytes = 0;  // 0: half of the memory
  int max_queue = 1024;
  double drain_seconds = 30;
  LogLevel log_level = LogLevel::kInfo;
  LogFormat log_format = LogFormat::kText;
  bool malloc_tuning = true;
};

// `options` with a value for everything, on a machine with `memory` bytes.
ServerOptions WithDefaults(ServerOptions options, uint64_t memory);

// A flag: `name` on the command line is --name.
struct Flag {
  const char* name;
  const char* form;  // of its value, for --help
  const char* help;  // a few words; lines as they are to be shown
  // Reads a value.  INVALID_ARGUMENT "expected ..."; then nothing is changed.
  absl::Status (*set)(absl::string_view text, ServerOptions& options);
  // The value in the form that `set` reads.
  std::string (*get)(const ServerOptions& options);
};

// All flags that have a value, but --config.
absl::Span<const Flag> Flags();

}  // namespace scatterd

#endif  // SCATTERD_SERVER_OPTIONS_H_
