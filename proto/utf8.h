// Which bytes are UTF-8.

#ifndef SCATTERD_PROTO_UTF8_H_
#define SCATTERD_PROTO_UTF8_H_

#include "absl/strings/string_view.h"

namespace scatterd::internal {

// True if protobuf takes `text` for a string field: no overlong forms, no
// surrogates, nothing above U+10FFFF.
bool IsValidUtf8(absl::string_view text);

}  // namespace scatterd::internal

#endif  // SCATTERD_PROTO_UTF8_H_
