// How a scatter is shared between threads.
//
// Updates of one element must be applied by one thread, in their order.  So a
// part is either a range of positions that meet no element of another part's,
// or a range of rows, whose owner picks its updates from all of them, or a
// range of columns of every row.

#ifndef SCATTERD_CORE_BACKENDS_CPU_PARTS_H_
#define SCATTERD_CORE_BACKENDS_CPU_PARTS_H_

#include <cstdint>

#include "absl/container/inlined_vector.h"
#include "core/plan.h"
#include "core/tensor.h"

namespace scatterd::cpu {

// Slices at least this large are shared between threads by columns: few of
// them may be hot.
inline constexpr int64_t kColumnSplitBytes = int64_t{64} << 10;

// The updates at positions [position_begin, position_end) whose rows are in
// [row_begin, row_end), and their columns.
struct Part {
  int64_t position_begin;
  int64_t position_end;
  int64_t row_begin;
  int64_t row_end;
  int64_t column_begin;
  int64_t column_end;
  bool all_rows;  // no row of these positions is out of [row_begin, row_end)
};

// What is to be split.
struct Scatter {
  const Plan& plan;
  const Tensor& indices;
  int64_t num_positions;  // > 0
  int64_t num_rows;       // > 0
  int64_t row_elements;   // > 0
  // All updates of a row are needed together, whoever applies them.
  bool groups;
};

// Parts that no two threads meet in, together all of `scatter`, for up to
// `num_threads` threads: one if little is to be done.
using Parts = absl::InlinedVector<Part, 1>;
Parts MakeParts(const Scatter& scatter, int64_t num_threads);

}  // namespace scatterd::cpu

#endif  // SCATTERD_CORE_BACKENDS_CPU_PARTS_H_
