#include "core/backends/cpu/scatter_checks.h"

#include <vector>

#include "absl/container/flat_hash_set.h"
#include "absl/strings/str_cat.h"
#include "core/backends/cpu/flatten.h"
#include "core/errors.h"
#include "core/status_macros.h"

namespace scatterd::cpu {
namespace {

absl::Status DuplicateError(const Plan& plan, int64_t position) {
  return ConstraintError(
      plan.op, plan.duplicates_constraint, "indices",
      absl::StrCat(PositionName(plan, position),
                   " addresses what an earlier one addresses (2 vs at most 1 "
                   "update under duplicates = REJECT)"));
}

int64_t FirstDuplicateByBitmap(absl::Span<const int64_t> rows,
                               int64_t num_rows) {
  std::vector<bool> seen(static_cast<size_t>(num_rows));
  for (size_t i = 0; i < rows.size(); ++i) {
    if (rows[i] < 0) continue;
    const auto row = static_cast<size_t>(rows[i]);
    if (seen[row]) return static_cast<int64_t>(i);
    seen[row] = true;
  }
  return kNoPosition;
}

int64_t FirstDuplicateByHash(absl::Span<const int64_t> rows) {
  absl::flat_hash_set<int64_t> seen;
  for (size_t i = 0; i < rows.size(); ++i) {
    if (rows[i] >= 0 && !seen.insert(rows[i]).second) {
      return static_cast<int64_t>(i);
    }
  }
  return kNoPosition;
}

template <typename T>
bool HasZero(const std::byte* elements, int64_t n) {
  const T* values = reinterpret_cast<const T*>(elements);
  bool zero = false;
  for (int64_t i = 0; i < n; ++i) zero |= values[i] == 0;
  return zero;
}

using HasZeroFn = bool (*)(const std::byte*, int64_t);

HasZeroFn GetHasZero(size_t element_bytes) {
  switch (element_bytes) {
    case 1:
      return &HasZero<uint8_t>;
    case 2:
      return &HasZero<uint16_t>;
    case 4:
      return &HasZero<uint32_t>;
    default:
      return &HasZero<uint64_t>;
  }
}

}  // namespace

absl::Status CheckNoDuplicates(const Plan& plan, absl::Span<const int64_t> rows,
                               int64_t num_rows) {
  // A bitmap unless it would be much larger than the indices.
  const auto count = static_cast<int64_t>(rows.size());
  const bool bitmap = num_rows > 0 && num_rows / 64 <= count;
  const int64_t duplicate = bitmap ? FirstDuplicateByBitmap(rows, num_rows)
                                   : FirstDuplicateByHash(rows);
  return duplicate == kNoPosition ? absl::OkStatus()
                                  : DuplicateError(plan, duplicate);
}

absl::Status CheckDivisors(const Plan& plan, absl::Span<const int64_t> rows,
                           const Tensor& updates, ThreadPool& pool,
                           RunState& state) {
  const int64_t slice_elements = RowElements(plan);
  const size_t element_bytes = ElementSize(plan.dtype);
  const size_t slice_bytes =
      static_cast<size_t>(slice_elements) * element_bytes;
  const HasZeroFn has_zero = GetHasZero(element_bytes);
  const auto count = static_cast<int64_t>(rows.size());
  const auto bytes = static_cast<int64_t>(slice_bytes);
  ForEachRange(pool, state, count, bytes, [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) {
      if (rows[static_cast<size_t>(i)] < 0) continue;
      const std::byte* slice =
          updates.bytes() + static_cast<size_t>(i) * slice_bytes;
      if (has_zero(slice, slice_elements)) return state.ReportPosition(i);
    }
  });
  SCATTERD_RETURN_IF_ERROR(state.StopStatus());
  if (state.position() == RunState::kNone) return absl::OkStatus();
  return ConstraintError(
      plan.op, plan.divisor_constraint, "updates",
      absl::StrCat("the update for ", PositionName(plan, state.position()),
                   " divides an integer by zero (0 vs non-zero)"));
}

}  // namespace scatterd::cpu
