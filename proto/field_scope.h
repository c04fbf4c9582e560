// Where in a message a decoder is: gives its errors their form.

#ifndef SCATTERD_PROTO_FIELD_SCOPE_H_
#define SCATTERD_PROTO_FIELD_SCOPE_H_

#include "absl/status/status.h"
#include "absl/strings/string_view.h"

namespace scatterd::internal {

// The views must outlive the scope; they are literals in practice.
struct FieldScope {
  absl::string_view op;            // "scatter_nd": begins the message
  absl::string_view operand = "";  // "data"; "" in the message itself
  absl::string_view source = "";   // below the operand: "tensor"

  // INVALID_ARGUMENT "<op>: C0: <operand>: <what>" about `field` of the source;
  // "" is the source itself.
  absl::Status Error(absl::string_view field, absl::string_view what) const;

  // The error for bytes that are no message.
  absl::Status Malformed(absl::string_view field = "") const;
};

}  // namespace scatterd::internal

#endif  // SCATTERD_PROTO_FIELD_SCOPE_H_
