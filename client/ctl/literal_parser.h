// The syntax of literals: what the nested lists hold, not yet as what dtype.

#ifndef SCATTERD_CLIENT_CTL_LITERAL_PARSER_H_
#define SCATTERD_CLIENT_CTL_LITERAL_PARSER_H_

#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "core/shape.h"

namespace scatterd::internal {

// How an element is written.  A later kind of number includes the earlier.
enum class LiteralKind { kInteger, kDecimal, kComplex, kBool, kString };

struct LiteralElement {
  LiteralKind kind;
  std::string text;  // the digits, or a string's bytes without escapes
  size_t position;   // of its first character, from 0
};

struct ParsedLiteral {
  Shape shape;
  std::vector<LiteralElement> elements;  // row-major
};

// INVALID_ARGUMENT names the place.
absl::StatusOr<ParsedLiteral> ParseLiteralSyntax(absl::string_view text);

// INVALID_ARGUMENT "position <n>: <what>".
absl::Status LiteralError(size_t position, absl::string_view what);

}  // namespace scatterd::internal

#endif  // SCATTERD_CLIENT_CTL_LITERAL_PARSER_H_
