#include "core/backends/cpu/parts.h"

#include <algorithm>
#include <vector>

#include "core/backends/cpu/flatten.h"
#include "core/backends/cpu/parallel.h"

namespace scatterd::cpu {
namespace {

// Positions that tell how rows are distributed.
constexpr int64_t kSamples = 512;

// Where the i-th of n nearly equal shares begins.
int64_t Share(int64_t total, int64_t i, int64_t n) {
  return total / n * i + std::min(i, total % n);
}

Part Whole(const Scatter& scatter) {
  return {.position_begin = 0,
          .position_end = scatter.num_positions,
          .row_begin = 0,
          .row_end = scatter.num_rows,
          .column_begin = 0,
          .column_end = scatter.row_elements,
          .all_rows = true};
}

// Runs of positions that never meet: batches, or outer positions.
struct Runs {
  int64_t count;
  int64_t length;
};

Runs RunsOf(const Scatter& scatter) {
  if (const auto* slices =
          std::get_if<SliceAddressing>(&scatter.plan.addressing)) {
    return {slices->num_batches, slices->tuples_per_batch};
  }
  const auto& elements = std::get<ElementAddressing>(scatter.plan.addressing);
  for (const Extent& extent : elements.outer) {
    if (extent.data_stride == 0) return {1, scatter.num_positions};
  }
  return {elements.outer_positions(),
          elements.axis_positions * elements.inner_positions()};
}

Parts SplitRuns(const Scatter& scatter, Runs runs, int64_t n) {
  Parts parts;
  for (int64_t i = 0; i < n; ++i) {
    Part part = Whole(scatter);
    part.position_begin = Share(runs.count, i, n) * runs.length;
    part.position_end = Share(runs.count, i + 1, n) * runs.length;
    parts.push_back(part);
  }
  return parts;
}

Parts SplitColumns(const Scatter& scatter, int64_t n) {
  Parts parts;
  for (int64_t i = 0; i < n; ++i) {
    Part part = Whole(scatter);
    part.column_begin = Share(scatter.row_elements, i, n);
    part.column_end = Share(scatter.row_elements, i + 1, n);
    parts.push_back(part);
  }
  return parts;
}

// The rows of evenly spaced positions, sorted.
std::vector<int64_t> SampleRows(const Scatter& scatter) {
  std::vector<int64_t> rows;
  const int64_t count = std::min(kSamples, scatter.num_positions);
  for (int64_t i = 0; i < count; ++i) {
    const int64_t position = Share(scatter.num_positions, i, count);
    int64_t row;
    const int64_t bad =
        Flatten(scatter.plan, scatter.indices, position, position + 1, &row);
    if (bad == kNoPosition && row != kSkippedRow) rows.push_back(row);
  }
  std::sort(rows.begin(), rows.end());
  return rows;
}

// Ranges of rows that about as many updates meet.
Parts SplitRows(const Scatter& scatter, int64_t n) {
  const std::vector<int64_t> rows = SampleRows(scatter);
  const auto num_samples = static_cast<int64_t>(rows.size());
  Parts parts;
  int64_t row = 0;
  int64_t most = 0;
  int64_t before = 0;  // samples in earlier parts
  for (int64_t i = 0; i < n && row < scatter.num_rows; ++i) {
    Part part = Whole(scatter);
    part.all_rows = false;
    part.row_begin = row;
    if (i + 1 < n && num_samples > 0) {
      const int64_t next = rows[static_cast<size_t>(
          std::min(Share(num_samples, i + 1, n), num_samples - 1))];
      part.row_end = std::clamp(next, row + 1, scatter.num_rows);
    }
    row = part.row_end;
    const int64_t up_to =
        std::lower_bound(rows.begin(), rows.end(), row) - rows.begin();
    most = std::max(most, up_to - before);
    before = up_to;
    parts.push_back(part);
  }
  // A hot row leaves its owner nearly all the work: then the others' walk over
  // the indices is for nothing.
  if (4 * most > 3 * num_samples) return {Whole(scatter)};
  return parts;
}

}  // namespace

Parts MakeParts(const Scatter& scatter, int64_t num_threads) {
  const int64_t row_bytes =
      scatter.row_elements *
      static_cast<int64_t>(ElementSize(scatter.plan.dtype));
  if (row_bytes >= kColumnSplitBytes) {
    return SplitColumns(
        scatter, std::min(scatter.row_elements,
                          std::max(num_threads, row_bytes / kBlockBytes)));
  }
  const int64_t work =
      scatter.num_positions * (3 * row_bytes + kRandomAccessBytes);
  if (work <= kSerialBytes || num_threads == 1 ||
      scatter.num_rows < 4 * num_threads) {
    return {Whole(scatter)};
  }
  const Runs runs = RunsOf(scatter);
  if (!scatter.groups && runs.count >= 4 * num_threads) {
    return SplitRuns(scatter, runs, std::min(runs.count, 4 * num_threads));
  }
  return SplitRows(scatter, num_threads);
}

}  // namespace scatterd::cpu
