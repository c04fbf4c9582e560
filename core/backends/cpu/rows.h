// Rows of a run's positions, and what a run says of a bad index.

#ifndef SCATTERD_CORE_BACKENDS_CPU_ROWS_H_
#define SCATTERD_CORE_BACKENDS_CPU_ROWS_H_

#include <cstdint>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "core/backends/cpu/parallel.h"
#include "core/backends/cpu/scratch.h"
#include "core/plan.h"
#include "core/tensor.h"

namespace scatterd::cpu {

// Writes the rows of positions [begin, end) to `rows` and returns true, or
// reports the first bad one to `state` and returns false.
bool FlattenRange(const Plan& plan, const Tensor& indices, int64_t begin,
                  int64_t end, int64_t* rows, RunState& state);

// Why the run ended early, or its first bad index.  A run that was stopped may
// not have looked at all of them.
absl::Status IndexStatus(const Plan& plan, const Tensor& indices,
                         const RunState& state);

// Writes the rows of all positions, on the pool where that pays.  Returns how
// many positions there are to look at: of empty tuples over empty slices, any
// number of which costs no payload, two show all there is to see.  Errors as
// IndexStatus, and RESOURCE_EXHAUSTED.
absl::StatusOr<int64_t> FlattenAll(const Plan& plan, const Tensor& indices,
                                   ThreadPool& pool, RunState& state,
                                   RowScratch& rows);

}  // namespace scatterd::cpu

#endif  // SCATTERD_CORE_BACKENDS_CPU_ROWS_H_
