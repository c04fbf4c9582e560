// What only data can tell about a scatter, before its output is touched.

#ifndef SCATTERD_CORE_BACKENDS_CPU_SCATTER_CHECKS_H_
#define SCATTERD_CORE_BACKENDS_CPU_SCATTER_CHECKS_H_

#include <cstdint>

#include "absl/status/status.h"
#include "absl/types/span.h"
#include "core/backends/cpu/parallel.h"
#include "core/plan.h"
#include "core/tensor.h"

namespace scatterd::cpu {

// Under REJECT: no row is addressed twice.  `rows` are in the order of index
// positions; negative ones are skipped.  num_rows: rows of data, or 0 if they
// have no elements.
absl::Status CheckNoDuplicates(const Plan& plan, absl::Span<const int64_t> rows,
                               int64_t num_rows);

// Under integer DIV: no update that is applied holds a zero.
absl::Status CheckDivisors(const Plan& plan, absl::Span<const int64_t> rows,
                           const Tensor& updates, ThreadPool& pool,
                           RunState& state);

}  // namespace scatterd::cpu

#endif  // SCATTERD_CORE_BACKENDS_CPU_SCATTER_CHECKS_H_
