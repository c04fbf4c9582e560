#include "core/backends/cpu/grouped.h"

#include <algorithm>
#include <cstring>
#include <tuple>

#include "core/arithmetic.h"
#include "core/status_macros.h"

namespace scatterd::cpu {
namespace {

template <typename T>
T* OutputRow(const Columns& columns, int64_t row) {
  return reinterpret_cast<T*>(columns.output) + row * columns.slice_elements +
         columns.column_begin;
}

template <typename T>
const T* UpdateRow(const Columns& columns, int64_t position) {
  return reinterpret_cast<const T*>(columns.updates) +
         position * columns.slice_elements + columns.column_begin;
}

// --- WIDE ------------------------------------------------------------------

// Columns that one accumulator on the stack covers.
constexpr int64_t kTile = 1024;

// The group's result for columns [begin, begin + n), n <= kTile.
template <typename T, typename Op>
void ReduceTile(const Plan& plan, absl::Span<const RowUpdate> group,
                const Columns& columns, int64_t begin, int64_t n) {
  float sum[kTile];
  T* output = OutputRow<T>(columns, group.front().row) + begin;
  for (int64_t c = 0; c < n; ++c) {
    sum[c] = plan.exclude_self ? Identity<Op, float>() : ToFloat(output[c]);
  }
  for (const RowUpdate& update : group) {
    const T* values = UpdateRow<T>(columns, update.position) + begin;
    for (int64_t c = 0; c < n; ++c) {
      sum[c] = Op::Apply(sum[c], ToFloat(values[c]));
    }
  }
  const int64_t count =
      static_cast<int64_t>(group.size()) + (plan.exclude_self ? 0 : 1);
  const bool mean = plan.reduction == Reduction::kMean;
  for (int64_t c = 0; c < n; ++c) {
    output[c] = RoundTo<T>(mean ? MeanOf(sum[c], count) : sum[c]);
  }
}

template <typename T, typename Op>
void ReduceWideOp(const Plan& plan, absl::Span<const RowUpdate> sorted,
                  const Columns& columns, RunState& state) {
  ForEachGroup(sorted, &state, [&](absl::Span<const RowUpdate> group) {
    for (int64_t begin = 0; begin < columns.columns(); begin += kTile) {
      ReduceTile<T, Op>(plan, group, columns, begin,
                        std::min(kTile, columns.columns() - begin));
    }
  });
}

template <typename T>
void ReduceWideTyped(const Plan& plan, absl::Span<const RowUpdate> sorted,
                     const Columns& columns, RunState& state) {
  switch (plan.reduction) {
    case Reduction::kSub:
      return ReduceWideOp<T, SubOp>(plan, sorted, columns, state);
    case Reduction::kMul:
      return ReduceWideOp<T, MulOp>(plan, sorted, columns, state);
    case Reduction::kDiv:
      return ReduceWideOp<T, DivOp>(plan, sorted, columns, state);
    default:
      return ReduceWideOp<T, AddOp>(plan, sorted, columns, state);
  }
}

// --- Strings ---------------------------------------------------------------

// Bytes of the concatenations of all groups.
size_t ConcatenatedBytes(const Plan& plan, absl::Span<const RowUpdate> sorted,
                         const Columns& columns) {
  size_t total = 0;
  ForEachGroup(sorted, nullptr, [&](absl::Span<const RowUpdate> group) {
    const StringRef* output = OutputRow<StringRef>(columns, group.front().row);
    for (int64_t c = 0; c < columns.columns(); ++c) {
      if (!plan.exclude_self) total += output[c].size;
      for (const RowUpdate& update : group) {
        total += UpdateRow<StringRef>(columns, update.position)[c].size;
      }
    }
  });
  return total;
}

char* AppendString(StringRef value, char* end) {
  if (value.size != 0) std::memcpy(end, value.data, value.size);
  return end + value.size;
}

absl::StatusOr<Buffer> Concatenate(const Plan& plan,
                                   absl::Span<const RowUpdate> sorted,
                                   const Columns& columns, RunState& state) {
  SCATTERD_ASSIGN_OR_RETURN(
      Buffer blob, Buffer::Allocate(ConcatenatedBytes(plan, sorted, columns)));
  char* end = reinterpret_cast<char*>(blob.mutable_data());
  ForEachGroup(sorted, &state, [&](absl::Span<const RowUpdate> group) {
    StringRef* output = OutputRow<StringRef>(columns, group.front().row);
    for (int64_t c = 0; c < columns.columns(); ++c) {
      char* const begin = end;
      if (!plan.exclude_self) end = AppendString(output[c], end);
      for (const RowUpdate& update : group) {
        end = AppendString(UpdateRow<StringRef>(columns, update.position)[c],
                           end);
      }
      output[c] = {begin, static_cast<size_t>(end - begin)};
    }
  });
  return blob;
}

template <typename Op>
void SelectStrings(const Plan& plan, absl::Span<const RowUpdate> sorted,
                   const Columns& columns, RunState& state) {
  ForEachGroup(sorted, &state, [&](absl::Span<const RowUpdate> group) {
    StringRef* output = OutputRow<StringRef>(columns, group.front().row);
    for (int64_t c = 0; c < columns.columns(); ++c) {
      // No string is the least or greatest: without data the first update is
      // where the reduction starts.
      StringRef selected =
          plan.exclude_self
              ? UpdateRow<StringRef>(columns, group.front().position)[c]
              : output[c];
      for (const RowUpdate& update : group) {
        selected = Op::Apply(selected,
                             UpdateRow<StringRef>(columns, update.position)[c]);
      }
      output[c] = selected;
    }
  });
}

// --- Sorting ---------------------------------------------------------------

std::vector<RowUpdate> CountingSort(absl::Span<const int64_t> rows,
                                    int64_t row_begin, int64_t num_rows) {
  const auto range = static_cast<uint64_t>(num_rows);
  const auto place = [row_begin](int64_t row) {
    return static_cast<uint64_t>(row) - static_cast<uint64_t>(row_begin);
  };
  // next[r]: how many updates have a row below r; then where r's next goes.
  std::vector<size_t> next(range + 1);
  for (const int64_t row : rows) {
    if (place(row) < range) ++next[place(row) + 1];
  }
  for (size_t r = 0; r < range; ++r) next[r + 1] += next[r];
  std::vector<RowUpdate> updates(next[range]);
  for (size_t i = 0; i < rows.size(); ++i) {
    if (place(rows[i]) < range) {
      updates[next[place(rows[i])]++] = {rows[i], static_cast<int64_t>(i)};
    }
  }
  return updates;
}

std::vector<RowUpdate> ComparisonSort(absl::Span<const int64_t> rows,
                                      int64_t row_begin, int64_t row_end) {
  std::vector<RowUpdate> updates;
  for (size_t i = 0; i < rows.size(); ++i) {
    if (rows[i] >= row_begin && rows[i] < row_end) {
      updates.push_back({rows[i], static_cast<int64_t>(i)});
    }
  }
  std::sort(updates.begin(), updates.end(),
            [](const RowUpdate& a, const RowUpdate& b) {
              return std::tie(a.row, a.position) < std::tie(b.row, b.position);
            });
  return updates;
}

}  // namespace

std::vector<RowUpdate> SortByRow(absl::Span<const int64_t> rows,
                                 int64_t row_begin, int64_t row_end) {
  // Rows that are few beside the updates are counted, which takes one step for
  // each; many are compared.
  constexpr int64_t kSparse = 8;
  const int64_t num_rows = row_end - row_begin;
  if (num_rows <= kSparse * static_cast<int64_t>(rows.size())) {
    return CountingSort(rows, row_begin, num_rows);
  }
  return ComparisonSort(rows, row_begin, row_end);
}

void ForEachGroup(absl::Span<const RowUpdate> updates, RunState* state,
                  absl::FunctionRef<void(absl::Span<const RowUpdate>)> work) {
  constexpr size_t kGroupsBetweenLooks = 1024;
  size_t groups = 0;
  for (size_t begin = 0; begin < updates.size();) {
    if (++groups % kGroupsBetweenLooks == 0 && state != nullptr &&
        state->ShouldStop()) {
      return;
    }
    size_t end = begin + 1;
    while (end < updates.size() && updates[end].row == updates[begin].row) {
      ++end;
    }
    work(updates.subspan(begin, end - begin));
    begin = end;
  }
}

void ReduceWide(const Plan& plan, absl::Span<const RowUpdate> sorted,
                const Columns& columns, RunState& state) {
  if (plan.dtype == DType::kFloat16) {
    ReduceWideTyped<Float16>(plan, sorted, columns, state);
  } else {
    ReduceWideTyped<BFloat16>(plan, sorted, columns, state);
  }
}

absl::StatusOr<Buffer> ReduceStrings(const Plan& plan,
                                     absl::Span<const RowUpdate> sorted,
                                     const Columns& columns, RunState& state) {
  if (plan.reduction == Reduction::kAdd) {
    return Concatenate(plan, sorted, columns, state);
  }
  if (plan.reduction == Reduction::kMax) {
    SelectStrings<MaxOp<false>>(plan, sorted, columns, state);
  } else {
    SelectStrings<MinOp<false>>(plan, sorted, columns, state);
  }
  return Buffer();
}

}  // namespace scatterd::cpu
