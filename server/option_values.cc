#include "server/option_values.h"

#include <limits>

#include "absl/strings/ascii.h"
#include "absl/strings/numbers.h"
#include "absl/strings/strip.h"

namespace scatterd::internal {
namespace {

struct Unit {
  const char* name;
  int shift;
};

constexpr Unit kUnits[] = {{"TiB", 40}, {"GiB", 30}, {"MiB", 20}, {"KiB", 10}};

// The number's unit, which is taken off it, as a power of two.
int ConsumeUnit(absl::string_view& text) {
  for (const Unit& unit : kUnits) {
    if (absl::ConsumeSuffix(&text, unit.name)) return unit.shift;
  }
  return 0;
}

}  // namespace

absl::StatusOr<uint64_t> ParseSize(absl::string_view text, uint64_t min,
                                   uint64_t max) {
  const int shift = ConsumeUnit(text);
  text = absl::StripTrailingAsciiWhitespace(text);
  uint64_t number = 0;
  const bool is_number = !text.empty() && absl::ascii_isdigit(text[0]) &&
                         absl::SimpleAtoi(text, &number);
  if (!is_number || number > std::numeric_limits<uint64_t>::max() >> shift ||
      number << shift < min || number << shift > max) {
    return absl::InvalidArgumentError(
        absl::StrCat("expected a size from ", FormatSize(min), " to ",
                     FormatSize(max), ", like 64MiB"));
  }
  return number << shift;
}

std::string FormatSize(uint64_t bytes) {
  for (const Unit& unit : kUnits) {
    const uint64_t size = uint64_t{1} << unit.shift;
    if (bytes >= size && bytes % size == 0) {
      return absl::StrCat(bytes >> unit.shift, unit.name);
    }
  }
  return absl::StrCat(bytes);
}

absl::StatusOr<int> ParseInt(absl::string_view text, int min, int max) {
  int value = 0;
  if (absl::SimpleAtoi(text, &value) && value >= min && value <= max) {
    return value;
  }
  return absl::InvalidArgumentError(
      absl::StrCat("expected an integer from ", min, " to ", max));
}

absl::StatusOr<double> ParseDouble(absl::string_view text, double min,
                                   double max) {
  double value = 0;
  if (absl::SimpleAtod(text, &value) && value >= min && value <= max) {
    return value;
  }
  return absl::InvalidArgumentError(
      absl::StrCat("expected a number from ", min, " to ", max));
}

}  // namespace scatterd::internal
