// The server's log: one line per event, to standard error, in one of two
// forms that machines can read.
//
//   text   time=2024-05-01T12:00:00.123456Z level=info event=ready address=...
//   json   {"time":"2024-05-01T12:00:00.123456Z","level":"info","event":...}
//
// A value is quoted (text) or escaped (both) where it has to be, so that no
// value can forge a line or a field.  Callers never log payload bytes.

#ifndef SCATTERD_SERVER_LOGGING_H_
#define SCATTERD_SERVER_LOGGING_H_

#include <cstdint>
#include <initializer_list>
#include <memory>
#include <string>
#include <type_traits>
#include <variant>

#include "absl/strings/string_view.h"
#include "absl/time/time.h"

namespace spdlog {
class logger;
}

namespace scatterd {

enum class LogLevel { kDebug, kInfo, kWarn, kError };
enum class LogFormat { kText, kJson };

// "info".
absl::string_view LogLevelName(LogLevel level);

// A named value of a log line.  Borrows its strings: a parameter only.
struct LogField {
  LogField(absl::string_view k, absl::string_view v) : key(k), value(v) {}
  LogField(absl::string_view k, const char* v)
      : LogField(k, absl::string_view(v)) {}
  LogField(absl::string_view k, const std::string& v)
      : LogField(k, absl::string_view(v)) {}
  template <typename T, std::enable_if_t<std::is_integral_v<T>, int> = 0>
  LogField(absl::string_view k, T v) : key(k), value(static_cast<int64_t>(v)) {}

  absl::string_view key;  // a word: [a-z_]+
  std::variant<absl::string_view, int64_t> value;
};

using LogFields = std::initializer_list<LogField>;

// The line, without its end.
std::string FormatLogLine(LogFormat format, absl::Time time, LogLevel level,
                          absl::string_view event, LogFields fields);

// Thread-safe.
class Log {
 public:
  // Writes events of `level` and above.
  Log(LogLevel level, LogFormat format);
  ~Log();

  bool enabled(LogLevel level) const { return level >= level_; }

  void Write(LogLevel level, absl::string_view event, LogFields fields);

 private:
  const LogLevel level_;
  const LogFormat format_;
  const std::unique_ptr<spdlog::logger> logger_;
};

}  // namespace scatterd

#endif  // SCATTERD_SERVER_LOGGING_H_
