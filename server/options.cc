#include "server/options.h"

#include <algorithm>
#include <limits>
#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "core/status_macros.h"
#include "server/option_values.h"

namespace scatterd {
namespace {

using internal::Choice;

constexpr uint64_t kMaxUint64 = std::numeric_limits<uint64_t>::max();
constexpr uint64_t kDefaultMaxMessageBytes = uint64_t{1} << 30;
// Protobuf peers cannot read a message of 2 GiB.
constexpr uint64_t kMaxMessageBytes = std::numeric_limits<int32_t>::max();

constexpr Choice<Pinning> kPinnings[] = {
    {"auto", Pinning::kAuto}, {"on", Pinning::kOn}, {"off", Pinning::kOff}};
constexpr Choice<InstructionSet> kInstructionSets[] = {
    {"auto", InstructionSet::kAuto},
    {"baseline", InstructionSet::kBaseline},
    {"avx2", InstructionSet::kAvx2},
    {"avx512", InstructionSet::kAvx512}};
constexpr Choice<LogLevel> kLogLevels[] = {{"debug", LogLevel::kDebug},
                                           {"info", LogLevel::kInfo},
                                           {"warn", LogLevel::kWarn},
                                           {"error", LogLevel::kError}};
constexpr Choice<LogFormat> kLogFormats[] = {{"text", LogFormat::kText},
                                             {"json", LogFormat::kJson}};
constexpr Choice<bool> kSwitch[] = {{"on", true}, {"off", false}};

template <typename T>
absl::Status Assign(absl::StatusOr<T> value, T& target) {
  if (value.ok()) target = *std::move(value);
  return value.status();
}

template <typename T>
absl::Status Assign(absl::string_view text, absl::Span<const Choice<T>> choices,
                    T& target) {
  return Assign(internal::ParseChoice(text, choices), target);
}

absl::Status SetListen(absl::string_view text, ServerOptions& options) {
  options.listen.clear();
  for (const absl::string_view value : absl::StrSplit(text, ',')) {
    SCATTERD_ASSIGN_OR_RETURN(Listener listener,
                              ParseListener(absl::StripAsciiWhitespace(value)));
    options.listen.push_back(std::move(listener));
  }
  return absl::OkStatus();
}

std::string GetListen(const ServerOptions& options) {
  return absl::StrJoin(options.listen, ",",
                       [](std::string* out, const Listener& listener) {
                         absl::StrAppend(out, listener.ToString());
                       });
}

using Text = absl::string_view;
using Options = ServerOptions;

// One row per flag; --help, --print_config and every source go by it.
const Flag kFlags[] = {
    {"listen", "ADDRESS",
     "where to listen; may be repeated, or a list with commas: host:port,\n"
     "[IPv6 host]:port, unix:/path, unix-abstract:name; port 0 is a free one",
     SetListen, GetListen},
    {"threads", "N", "threads that compute; 0 is one per available CPU",
     [](Text text, Options& o) {
       return Assign(internal::ParseInt(text, 0, 1024), o.threads);
     },
     [](const Options& o) { return absl::StrCat(o.threads); }},
    {"pin_threads", "auto|on|off", "whether a thread stays on one CPU",
     [](Text text, Options& o) {
       return Assign<Pinning>(text, kPinnings, o.pin_threads);
     },
     [](const Options& o) {
       return internal::FormatChoice<Pinning>(o.pin_threads, kPinnings);
     }},
    {"isa", "auto|baseline|avx2|avx512",
     "which instructions the kernels use; all give the same bits",
     [](Text text, Options& o) {
       return Assign<InstructionSet>(text, kInstructionSets, o.isa);
     },
     [](const Options& o) {
       return internal::FormatChoice<InstructionSet>(o.isa, kInstructionSets);
     }},
    {"max_message_bytes", "SIZE", "the largest request message; below 2GiB",
     [](Text text, Options& o) {
       return Assign(internal::ParseSize(text, 1, kMaxMessageBytes),
                     o.max_message_bytes);
     },
     [](const Options& o) {
       return internal::FormatSize(o.max_message_bytes);
     }},
    {"max_output_bytes", "SIZE",
     "the largest result; by default as max_message_bytes",
     [](Text text, Options& o) {
       return Assign(internal::ParseSize(text, 1, kMaxMessageBytes),
                     o.max_output_bytes);
     },
     [](const Options& o) { return internal::FormatSize(o.max_output_bytes); }},
    {"max_inflight_bytes", "SIZE",
     "what all calls together may hold; by default half of the memory that\n"
     "the machine or the control group has",
     [](Text text, Options& o) {
       return Assign(internal::ParseSize(text, 1, kMaxUint64),
                     o.max_inflight_bytes);
     },
     [](const Options& o) {
       return internal::FormatSize(o.max_inflight_bytes);
     }},
    {"max_queue", "N", "calls that may wait for a thread",
     [](Text text, Options& o) {
       return Assign(internal::ParseInt(text, 1, 1000000), o.max_queue);
     },
     [](const Options& o) { return absl::StrCat(o.max_queue); }},
    {"drain_seconds", "SECONDS",
     "how long running calls may take to finish after SIGTERM",
     [](Text text, Options& o) {
       return Assign(internal::ParseDouble(text, 0, 86400), o.drain_seconds);
     },
     [](const Options& o) { return absl::StrCat(o.drain_seconds); }},
    {"log_level", "debug|info|warn|error", "the least level that is logged",
     [](Text text, Options& o) {
       return Assign<LogLevel>(text, kLogLevels, o.log_level);
     },
     [](const Options& o) {
       return internal::FormatChoice<LogLevel>(o.log_level, kLogLevels);
     }},
    {"log_format", "text|json", "the form of a log line",
     [](Text text, Options& o) {
       return Assign<LogFormat>(text, kLogFormats, o.log_format);
     },
     [](const Options& o) {
       return internal::FormatChoice<LogFormat>(o.log_format, kLogFormats);
     }},
    {"malloc_tuning", "on|off",
     "keep freed memory in the process: much faster on large messages",
     [](Text text, Options& o) {
       return Assign<bool>(text, kSwitch, o.malloc_tuning);
     },
     [](const Options& o) {
       return internal::FormatChoice<bool>(o.malloc_tuning, kSwitch);
     }},
};

}  // namespace

absl::Span<const Flag> Flags() { return kFlags; }

ServerOptions WithDefaults(ServerOptions options, uint64_t memory) {
  if (options.listen.empty()) {
    options.listen.push_back({Listener::Kind::kTcp, "0.0.0.0", 50051});
  }
  if (options.threads == 0) options.threads = NumAvailableCpus();
  if (options.max_inflight_bytes == 0) {
    options.max_inflight_bytes = std::max<uint64_t>(memory / 2, 1);
  }
  if (options.max_message_bytes == 0) {
    // A message and its decoded operands are in memory together for a moment.
    options.max_message_bytes = std::clamp<uint64_t>(
        options.max_inflight_bytes / 2, 1, kDefaultMaxMessageBytes);
  }
  if (options.max_output_bytes == 0) {
    options.max_output_bytes = options.max_message_bytes;
  }
  return options;
}

}  // namespace scatterd
