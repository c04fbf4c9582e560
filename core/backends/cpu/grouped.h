// Reductions that need all updates of a row together: MEAN's division, WIDE
// accumulation of halves, and strings.

#ifndef SCATTERD_CORE_BACKENDS_CPU_GROUPED_H_
#define SCATTERD_CORE_BACKENDS_CPU_GROUPED_H_

#include <cstdint>
#include <vector>

#include "absl/functional/function_ref.h"
#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "core/backends/cpu/kernels/kernels.h"
#include "core/backends/cpu/parallel.h"
#include "core/plan.h"
#include "core/tensor.h"

namespace scatterd::cpu {

// An update: where it goes and which one it is.
struct RowUpdate {
  int64_t row;
  int64_t position;
};

// The updates whose row, rows[position], is in [row_begin, row_end), ordered by
// row, then position: the updates of one row are neighbours in their original
// order.
std::vector<RowUpdate> SortByRow(absl::Span<const int64_t> rows,
                                 int64_t row_begin, int64_t row_end);

// Calls work(updates of one row) for each row of sorted `updates`, or until
// `state`, unless it is null, says stop.
void ForEachGroup(absl::Span<const RowUpdate> updates, RunState* state,
                  absl::FunctionRef<void(absl::Span<const RowUpdate>)> work);

// The columns of the tensors that a thread works on; rows and positions of the
// block are not used.
using Columns = UpdateBlock;

// ADD, SUB, MUL, DIV or MEAN of FLOAT16 or BFLOAT16 in a float accumulator,
// rounded once a row.
void ReduceWide(const Plan& plan, absl::Span<const RowUpdate> sorted,
                const Columns& columns, RunState& state);

// ADD, MAX or MIN of STRING.  Returns the bytes that new elements of the
// output point at.
absl::StatusOr<Buffer> ReduceStrings(const Plan& plan,
                                     absl::Span<const RowUpdate> sorted,
                                     const Columns& columns, RunState& state);

}  // namespace scatterd::cpu

#endif  // SCATTERD_CORE_BACKENDS_CPU_GROUPED_H_
