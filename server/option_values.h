// The text form of option values.

#ifndef SCATTERD_SERVER_OPTION_VALUES_H_
#define SCATTERD_SERVER_OPTION_VALUES_H_

#include <cstdint>
#include <string>
#include <utility>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"

namespace scatterd::internal {

// "1048576", "64KiB", "1 GiB".  Errors say "expected ...".
absl::StatusOr<uint64_t> ParseSize(absl::string_view text, uint64_t min,
                                   uint64_t max);

// The shortest exact form: "64KiB".
std::string FormatSize(uint64_t bytes);

absl::StatusOr<int> ParseInt(absl::string_view text, int min, int max);

absl::StatusOr<double> ParseDouble(absl::string_view text, double min,
                                   double max);

// One of a few words, each with its value.
template <typename T>
struct Choice {
  const char* word;
  T value;
};

template <typename T>
absl::StatusOr<T> ParseChoice(absl::string_view text,
                              absl::Span<const Choice<T>> choices) {
  std::string expected = "expected";
  absl::string_view separator = " ";
  for (const Choice<T>& choice : choices) {
    if (text == choice.word) return choice.value;
    absl::StrAppend(&expected, separator, choice.word);
    separator = " or ";
  }
  return absl::InvalidArgumentError(expected);
}

template <typename T>
std::string FormatChoice(T value, absl::Span<const Choice<T>> choices) {
  for (const Choice<T>& choice : choices) {
    if (value == choice.value) return choice.word;
  }
  return "";
}

}  // namespace scatterd::internal

#endif  // SCATTERD_SERVER_OPTION_VALUES_H_
