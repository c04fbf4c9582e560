// The two macros for absl::Status (Abseil 20220623 ships neither).

#ifndef SCATTERD_CORE_STATUS_MACROS_H_
#define SCATTERD_CORE_STATUS_MACROS_H_

#include "absl/status/status.h"
#include "absl/status/statusor.h"

// Returns from the enclosing function if `expression`, an absl::Status, is not
// OK.
#define SCATTERD_RETURN_IF_ERROR(expression)           \
  do {                                                 \
    absl::Status scatterd_status = (expression);       \
    if (!scatterd_status.ok()) return scatterd_status; \
  } while (false)

// Evaluates `expression`, an absl::StatusOr<T>; assigns its value to `target`
// (which may be a declaration) or returns its status.
#define SCATTERD_ASSIGN_OR_RETURN(target, expression)                     \
  SCATTERD_ASSIGN_OR_RETURN_IMPL(SCATTERD_CONCAT(scatterd_or_, __LINE__), \
                                 target, expression)
#define SCATTERD_ASSIGN_OR_RETURN_IMPL(or_value, target, expression) \
  auto or_value = (expression);                                      \
  if (!or_value.ok()) return std::move(or_value).status();           \
  target = std::move(or_value).value()
#define SCATTERD_CONCAT(a, b) SCATTERD_CONCAT_IMPL(a, b)
#define SCATTERD_CONCAT_IMPL(a, b) a##b

#endif  // SCATTERD_CORE_STATUS_MACROS_H_
