// Dialects: the edge semantics of a framework, as one field.
//
// The rows are in core/dialects.inc.  A dialect decides every option that the
// caller leaves unset, and what only a dialect can say (core/options.h).

#ifndef SCATTERD_CORE_DIALECT_H_
#define SCATTERD_CORE_DIALECT_H_

#include <optional>

#include "absl/strings/string_view.h"
#include "core/operator_id.h"
#include "core/options.h"

namespace scatterd {

// "ONNX", "TENSORFLOW_GPU".
absl::string_view DialectName(Dialect dialect);

// The options of a call of operator `id`: what is set, and for the rest the
// dialect's defaults (ONNX's if none is set).
ResolvedOptions ResolveOptions(OperatorId id, const ExecutionOptions& options);

// The options that are set in `over`, and for the rest those of `base`.
ExecutionOptions OverlayOptions(ExecutionOptions base,
                                const ExecutionOptions& over);

// What SKIP writes into a gather's output where the caller gives no value; no
// tensor means zero.
std::optional<Tensor> DefaultFill(FillRule rule, DType dtype);

}  // namespace scatterd

#endif  // SCATTERD_CORE_DIALECT_H_
