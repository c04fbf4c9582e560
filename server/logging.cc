#include "server/logging.h"

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/time/clock.h"
#include "spdlog/logger.h"
#include "spdlog/sinks/stdout_sinks.h"

namespace scatterd {
namespace {

constexpr absl::string_view kReplacementCharacter = "\xEF\xBF\xBD";

// The length of the well-formed UTF-8 sequence that `text` begins with; 0 if
// it does not begin with one.
size_t Utf8Length(absl::string_view text) {
  const auto byte = [&](size_t i) { return static_cast<uint8_t>(text[i]); };
  if (byte(0) < 0x80) return 1;
  const size_t length = byte(0) >= 0xF5   ? 0
                        : byte(0) >= 0xF0 ? 4
                        : byte(0) >= 0xE0 ? 3
                        : byte(0) >= 0xC2 ? 2
                                          : 0;
  if (length == 0 || text.size() < length) return 0;
  for (size_t i = 1; i < length; ++i) {
    if ((byte(i) & 0xC0) != 0x80) return 0;
  }
  const bool overlong = (byte(0) == 0xE0 && byte(1) < 0xA0) ||
                        (byte(0) == 0xF0 && byte(1) < 0x90);
  const bool surrogate = byte(0) == 0xED && byte(1) >= 0xA0;
  const bool too_large = byte(0) == 0xF4 && byte(1) >= 0x90;
  return overlong || surrogate || too_large ? 0 : length;
}

void AppendEscaped(absl::string_view text, std::string& line) {
  while (!text.empty()) {
    const size_t length = Utf8Length(text);
    const char c = text[0];
    if (length == 0) {
      absl::StrAppend(&line, kReplacementCharacter);
    } else if (c == '"' || c == '\\') {
      absl::StrAppend(&line, "\\", text.substr(0, 1));
    } else if (length == 1 && absl::ascii_iscntrl(c)) {
      absl::StrAppendFormat(&line, "\\u%04x", c);
    } else {
      absl::StrAppend(&line, text.substr(0, length));
    }
    text.remove_prefix(length == 0 ? 1 : length);
  }
}

void AppendQuoted(absl::string_view text, std::string& line) {
  line += '"';
  AppendEscaped(text, line);
  line += '"';
}

bool IsPlain(char c) {
  return absl::ascii_isgraph(c) && c != '"' && c != '\\' && c != '=';
}

bool IsPlain(absl::string_view text) {
  for (const char c : text) {
    if (!IsPlain(c)) return false;
  }
  return !text.empty();
}

void AppendField(LogFormat format, const LogField& field, std::string& line) {
  const auto* text = std::get_if<absl::string_view>(&field.value);
  if (format == LogFormat::kJson) {
    absl::StrAppend(&line, line.empty() ? "{\"" : ",\"", field.key, "\":");
  } else {
    absl::StrAppend(&line, line.empty() ? "" : " ", field.key, "=");
  }
  if (text == nullptr) {
    absl::StrAppend(&line, std::get<int64_t>(field.value));
  } else if (format == LogFormat::kText && IsPlain(*text)) {
    absl::StrAppend(&line, *text);
  } else {
    AppendQuoted(*text, line);
  }
}

}  // namespace

absl::string_view LogLevelName(LogLevel level) {
  switch (level) {
    case LogLevel::kDebug:
      return "debug";
    case LogLevel::kInfo:
      return "info";
    case LogLevel::kWarn:
      return "warn";
    case LogLevel::kError:
      return "error";
  }
  return "";
}

std::string FormatLogLine(LogFormat format, absl::Time time, LogLevel level,
                          absl::string_view event, LogFields fields) {
  const std::string utc =
      absl::FormatTime("%Y-%m-%d%ET%H:%M:%E6SZ", time, absl::UTCTimeZone());
  std::string line;
  AppendField(format, {"time", utc}, line);
  AppendField(format, {"level", LogLevelName(level)}, line);
  AppendField(format, {"event", event}, line);
  for (const LogField& field : fields) AppendField(format, field, line);
  if (format == LogFormat::kJson) line += '}';
  return line;
}

Log::Log(LogLevel level, LogFormat format)
    : level_(level),
      format_(format),
      logger_(std::make_unique<spdlog::logger>(
          "scatterd", std::make_shared<spdlog::sinks::stderr_sink_mt>())) {
  logger_->set_pattern("%v");
  logger_->set_level(spdlog::level::trace);
}

Log::~Log() = default;

void Log::Write(LogLevel level, absl::string_view event, LogFields fields) {
  if (!enabled(level)) return;
  logger_->log(spdlog::level::info, "{}",
               FormatLogLine(format_, absl::Now(), level, event, fields));
}

}  // namespace scatterd
