// Quoted strings in literals.

#ifndef SCATTERD_CLIENT_CTL_LITERAL_STRING_H_
#define SCATTERD_CLIENT_CTL_LITERAL_STRING_H_

#include <cstddef>
#include <cstdint>
#include <string>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

namespace scatterd::internal {

// The bytes of the string whose opening quote is text[position]; `position`
// moves past the closing one.
absl::StatusOr<std::string> ParseQuoted(absl::string_view text,
                                        size_t& position);

// `bytes` in double quotes.  Whatever is not valid UTF-8 or not printable is
// escaped.
std::string Quote(absl::string_view bytes);

// Appends the UTF-8 form of a Unicode scalar value; false if it is none.
bool AppendUtf8(uint32_t code_point, std::string& out);

}  // namespace scatterd::internal

#endif  // SCATTERD_CLIENT_CTL_LITERAL_STRING_H_
