#include "server/command_line.h"

#include <cerrno>
#include <cstring>
#include <fstream>
#include <functional>
#include <map>
#include <optional>
#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/escaping.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_replace.h"
#include "absl/strings/strip.h"
#include "core/status_macros.h"

namespace scatterd {
namespace {

constexpr absl::string_view kConfig = "config";

struct ActionFlag {
  const char* name;
  const char* help;
  Action action;
};

constexpr ActionFlag kActionFlags[] = {
    {"health_check", "ask the server at the first listener whether it serves",
     Action::kHealthCheck},
    {"print_config", "show every flag's value and source",
     Action::kPrintConfig},
    {"version", "show the version", Action::kPrintVersion},
    {"help", "show this text", Action::kHelp},
};

// A value as text, and where it was found.
struct Setting {
  std::string text;
  std::string source;
};

using Settings = std::map<std::string, Setting, std::less<>>;

bool IsFlag(absl::string_view name) {
  for (const Flag& flag : Flags()) {
    if (name == flag.name) return true;
  }
  return false;
}

std::optional<Action> FindAction(absl::string_view name) {
  for (const ActionFlag& flag : kActionFlags) {
    if (name == flag.name) return flag.action;
  }
  return std::nullopt;
}

// On one line and not too long, whatever the text is.
std::string Quoted(absl::string_view text) {
  constexpr size_t kMaxShown = 80;
  const bool cut = text.size() > kMaxShown;
  return absl::StrCat("\"", absl::CHexEscape(text.substr(0, kMaxShown)),
                      cut ? "..." : "", "\"");
}

// Values of a repeatable flag add up; of the others the last one counts.
void Add(absl::string_view name, absl::string_view text, std::string source,
         Settings& settings) {
  Setting& setting = settings[std::string(name)];
  const bool joins = name == "listen" && !setting.text.empty();
  setting.text =
      joins ? absl::StrCat(setting.text, ",", text) : std::string(text);
  setting.source = std::move(source);
}

absl::Status ReadArguments(absl::Span<const std::string> arguments,
                           Settings& settings, Action& action) {
  for (size_t i = 0; i < arguments.size(); ++i) {
    absl::string_view name = arguments[i];
    if (!absl::ConsumePrefix(&name, "--")) {
      return absl::InvalidArgumentError(
          absl::StrCat("unexpected argument ", Quoted(name), "; see --help"));
    }
    if (const std::optional<Action> asked = FindAction(name)) {
      action = *asked;
      continue;
    }
    const size_t equals = name.find('=');
    const bool has_value = equals != name.npos;
    absl::string_view text;
    if (has_value) {
      text = name.substr(equals + 1);
      name = name.substr(0, equals);
    }
    if (name != kConfig && !IsFlag(name)) {
      return absl::InvalidArgumentError(absl::StrCat(
          "unknown flag ", Quoted(absl::StrCat("--", name)), "; see --help"));
    }
    if (!has_value) {
      if (++i == arguments.size()) {
        return absl::InvalidArgumentError(
            absl::StrCat("--", name, ": the value is missing"));
      }
      text = arguments[i];
    }
    Add(name, text, "command line", settings);
  }
  return absl::OkStatus();
}

std::string VariableName(absl::string_view flag) {
  return absl::StrCat("SCATTERD_", absl::AsciiStrToUpper(flag));
}

void ReadVariable(absl::string_view flag, Environment environment,
                  Settings& settings) {
  const std::string variable = VariableName(flag);
  const char* text = environment(variable);
  if (text != nullptr && *text != '\0') {
    Add(flag, text, absl::StrCat("environment variable ", variable), settings);
  }
}

Settings ReadEnvironment(Environment environment) {
  Settings settings;
  for (const Flag& flag : Flags()) {
    ReadVariable(flag.name, environment, settings);
  }
  ReadVariable(kConfig, environment, settings);
  return settings;
}

absl::string_view WithoutComment(absl::string_view line) {
  for (size_t i = 0; i < line.size(); ++i) {
    if (line[i] == '#' && (i == 0 || absl::ascii_isspace(line[i - 1]))) {
      return line.substr(0, i);
    }
  }
  return line;
}

absl::Status ReadLine(absl::string_view line, const std::string& place,
                      Settings& settings) {
  line = absl::StripAsciiWhitespace(WithoutComment(line));
  if (line.empty()) return absl::OkStatus();
  const size_t equals = line.find('=');
  if (equals == line.npos) {
    return absl::InvalidArgumentError(
        absl::StrCat(place, ": expected flag = value, not ", Quoted(line)));
  }
  const absl::string_view name =
      absl::StripAsciiWhitespace(line.substr(0, equals));
  if (!IsFlag(name)) {
    return absl::InvalidArgumentError(
        absl::StrCat(place, ": unknown flag ", Quoted(name)));
  }
  Add(name, absl::StripAsciiWhitespace(line.substr(equals + 1)), place,
      settings);
  return absl::OkStatus();
}

absl::StatusOr<Settings> ReadConfig(const Setting& config) {
  std::ifstream file(config.text);
  std::string line;
  Settings settings;
  for (int number = 1; std::getline(file, line); ++number) {
    SCATTERD_RETURN_IF_ERROR(ReadLine(
        line, absl::StrCat("file ", config.text, ", line ", number), settings));
  }
  if (file.eof()) return settings;
  return absl::InvalidArgumentError(
      absl::StrCat("--config: cannot read ", Quoted(config.text), " from ",
                   config.source, " (", std::strerror(errno), ")"));
}

absl::Status Apply(const Flag& flag, const Setting& setting,
                   ServerOptions& options) {
  const absl::Status status = flag.set(setting.text, options);
  if (status.ok()) return status;
  return absl::InvalidArgumentError(
      absl::StrCat("--", flag.name, ": bad value ", Quoted(setting.text),
                   " from ", setting.source, " (", status.message(), ")"));
}

std::string FormatConfig(const ServerOptions& options,
                         const Settings& settings) {
  std::string text;
  for (const Flag& flag : Flags()) {
    const auto found = settings.find(flag.name);
    absl::StrAppendFormat(
        &text, "%-40s # %s\n",
        absl::StrCat(flag.name, " = ", flag.get(options)),
        found == settings.end() ? "default" : found->second.source);
  }
  return text;
}

std::string HelpLine(absl::string_view flag, absl::string_view help) {
  return absl::StrCat("  --", flag, "\n      ",
                      absl::StrReplaceAll(help, {{"\n", "\n      "}}), "\n");
}

}  // namespace

absl::StatusOr<CommandLine> ParseCommandLine(
    absl::Span<const std::string> arguments, Environment environment,
    uint64_t memory) {
  CommandLine result;
  // `merge` keeps what is there: the strongest source comes first.
  Settings settings;
  SCATTERD_RETURN_IF_ERROR(ReadArguments(arguments, settings, result.action));
  settings.merge(ReadEnvironment(environment));
  if (const auto config = settings.find(kConfig); config != settings.end()) {
    SCATTERD_ASSIGN_OR_RETURN(Settings file, ReadConfig(config->second));
    settings.merge(std::move(file));
  }
  for (const Flag& flag : Flags()) {
    const auto found = settings.find(flag.name);
    if (found == settings.end()) continue;
    SCATTERD_RETURN_IF_ERROR(Apply(flag, found->second, result.options));
  }
  result.options = WithDefaults(std::move(result.options), memory);
  result.config = FormatConfig(result.options, settings);
  return result;
}

std::string HelpText() {
  std::string text =
      "scatterd: scatter and gather on tensors, over gRPC\n"
      "\n"
      "usage: scatterd [--flag VALUE]...\n"
      "\n";
  for (const Flag& flag : Flags()) {
    absl::StrAppend(
        &text, HelpLine(absl::StrCat(flag.name, " ", flag.form), flag.help));
  }
  absl::StrAppend(&text, HelpLine("config FILE", "read flags from a file"),
                  "\n");
  for (const ActionFlag& flag : kActionFlags) {
    absl::StrAppend(&text, HelpLine(flag.name, flag.help));
  }
  absl::StrAppend(
      &text,
      "\n"
      "Each flag is also read from the environment (SCATTERD_THREADS=2) and\n"
      "from the file (threads = 2).  The command line wins over the\n"
      "environment, the environment over the file.\n"
      "\n"
      "SIGTERM and SIGINT drain: new calls are refused, running ones finish.\n"
      "A second signal exits at once.  Exit status: 0 served or answered,\n"
      "1 cannot serve, 2 wrong usage.\n");
  return text;
}

}  // namespace scatterd
