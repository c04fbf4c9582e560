#include "core/backends/cpu/rows.h"

#include <algorithm>

#include "core/backends/cpu/flatten.h"
#include "core/status_macros.h"

namespace scatterd::cpu {

bool FlattenRange(const Plan& plan, const Tensor& indices, int64_t begin,
                  int64_t end, int64_t* rows, RunState& state) {
  const int64_t bad = Flatten(plan, indices, begin, end, rows);
  if (bad != kNoPosition) state.ReportPosition(bad);
  return bad == kNoPosition;
}

absl::Status IndexStatus(const Plan& plan, const Tensor& indices,
                         const RunState& state) {
  SCATTERD_RETURN_IF_ERROR(state.StopStatus());
  if (state.position() == RunState::kNone) return absl::OkStatus();
  return IndexError(plan, indices, state.position());
}

absl::StatusOr<int64_t> FlattenAll(const Plan& plan, const Tensor& indices,
                                   ThreadPool& pool, RunState& state,
                                   RowScratch& rows) {
  int64_t count = NumPositions(plan);
  if (indices.num_elements() == 0 && RowElements(plan) == 0) {
    count = std::min<int64_t>(count, 2);
  }
  SCATTERD_RETURN_IF_ERROR(rows.Resize(count));
  // An index read and a row written for each.
  ForEachRange(
      pool, state, count, 2 * sizeof(int64_t), [&](int64_t begin, int64_t end) {
        FlattenRange(plan, indices, begin, end, rows.data() + begin, state);
      });
  SCATTERD_RETURN_IF_ERROR(IndexStatus(plan, indices, state));
  return count;
}

}  // namespace scatterd::cpu
