// From index values to rows of data.
//
// A row is what one update writes or one gathered slice comes from: a slice
// for SliceAddressing, an element for ElementAddressing.  Rows are numbered
// from the start of data; for a SliceAddressing with outer blocks, in outer
// block 0 of the tuple's batch.

#ifndef SCATTERD_CORE_BACKENDS_CPU_FLATTEN_H_
#define SCATTERD_CORE_BACKENDS_CPU_FLATTEN_H_

#include <cstdint>

#include "absl/status/status.h"
#include "core/backends/cpu/kernels/kernels.h"
#include "core/plan.h"
#include "core/tensor.h"

namespace scatterd::cpu {

// The row of a tuple that SKIP drops.
inline constexpr int64_t kSkippedRow = -1;

// "No position": every index was valid.
inline constexpr int64_t kNoPosition = -1;

// Index tuples (SliceAddressing) or index elements (ElementAddressing).
int64_t NumPositions(const Plan& plan);

// Elements of data in one row.
int64_t RowElements(const Plan& plan);

// Writes the rows of positions [begin, end) to `rows`.  Returns the first
// position with a bad index, then `rows` holds no meaning; else kNoPosition.
int64_t Flatten(const Plan& plan, const Tensor& indices, int64_t begin,
                int64_t end, int64_t* rows);

// The indices of positions from `position` on, for kernels that fetch them
// ahead.
Upcoming IndicesFrom(const Plan& plan, const Tensor& indices, int64_t position);

// Where positions along the last axis read or write `data` (of the plan's whole
// shape) a line at a time: the line after that of `position`, as far into it.
// Else nothing: {}.
Upcoming LineAfter(const Plan& plan, const std::byte* data, int64_t position);

// The OUT_OF_RANGE status for `position`, which Flatten reported.
absl::Status IndexError(const Plan& plan, const Tensor& indices,
                        int64_t position);

// "indices[0,1] (position 1)": how errors name a position.
std::string PositionName(const Plan& plan, int64_t position);

}  // namespace scatterd::cpu

#endif  // SCATTERD_CORE_BACKENDS_CPU_FLATTEN_H_
