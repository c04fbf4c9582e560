#include "core/backends/cpu/flatten.h"

#include <algorithm>
#include <variant>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "core/errors.h"
#include "core/index_rule.h"

namespace scatterd::cpu {
namespace {

// How one axis turns values into positions.
struct AxisRule {
  int64_t size;
  int64_t from_end;  // added to negative values
  NegativeIndices negative;
  OutOfBounds policy;

  AxisRule(int64_t axis_size, const ResolvedOptions& options)
      : size(axis_size),
        from_end(options.negative_indices == NegativeIndices::kFromEnd
                     ? axis_size
                     : 0),
        negative(options.negative_indices),
        policy(options.out_of_bounds) {}
};

// Resolves `count` values that lie `step` apart.  ERROR and SKIP, the usual
// policies, need no branch: a bad value only raises a flag.  Returns whether
// one was bad; its output is then out of [0, size).
template <typename Index>
bool ResolveStrict(const AxisRule& rule, const Index* values, int64_t step,
                   int64_t count, int64_t* output) {
  const auto size = static_cast<uint64_t>(rule.size);
  uint64_t bad = 0;
  for (int64_t i = 0; i < count; ++i) {
    int64_t value = values[i * step];
    value += (value >> 63) & rule.from_end;
    bad |= static_cast<uint64_t>(static_cast<uint64_t>(value) >= size);
    output[i] = value;
  }
  return bad != 0;
}

template <typename Index>
bool ResolveRemapped(const AxisRule& rule, const Index* values, int64_t step,
                     int64_t count, int64_t* output) {
  bool bad = false;
  for (int64_t i = 0; i < count; ++i) {
    output[i] =
        ResolveIndex(values[i * step], rule.size, rule.negative, rule.policy);
    bad |= output[i] < 0;
  }
  return bad;
}

template <typename Index>
bool Resolve(const AxisRule& rule, const Index* values, int64_t step,
             int64_t count, int64_t* output) {
  const bool strict =
      rule.policy == OutOfBounds::kError || rule.policy == OutOfBounds::kSkip;
  return strict ? ResolveStrict(rule, values, step, count, output)
                : ResolveRemapped(rule, values, step, count, output);
}

// Positions that one pass over the components of their tuples handles.
constexpr int64_t kBlock = 1024;

// Adds the share of one tuple component to `rows`; on a bad value marks the
// row as skipped.  `fails`: a bad value is an error, so return at once.
// Returns the index within the block of the first bad value, or kNoPosition.
int64_t AddComponent(const AxisRule& rule, int64_t stride,
                     const int64_t* resolved, int64_t count, bool fails,
                     int64_t* rows) {
  for (int64_t i = 0; i < count; ++i) {
    const bool good =
        static_cast<uint64_t>(resolved[i]) < static_cast<uint64_t>(rule.size);
    if (good && rows[i] != kSkippedRow) {
      rows[i] += resolved[i] * stride;
    } else if (!good) {
      if (fails) return i;
      rows[i] = kSkippedRow;
    }
  }
  return kNoPosition;
}

// Rows of `count` <= kBlock tuples of one batch whose first row is `base`.
// Returns the first bad tuple of the block or kNoPosition.
template <typename Index>
int64_t FlattenBlock(const SliceAddressing& addressing,
                     const ResolvedOptions& options, const Index* values,
                     int64_t count, int64_t base, int64_t* rows) {
  const auto depth = static_cast<int64_t>(addressing.tuple.size());
  const bool fails = options.out_of_bounds != OutOfBounds::kSkip;
  int64_t first_bad = kNoPosition;
  int64_t resolved[kBlock];
  std::fill(rows, rows + count, base);
  for (int64_t c = 0; c < depth; ++c) {
    const IndexAxis& axis = addressing.tuple[c];
    const AxisRule rule(axis.size, options);
    if (Resolve(rule, values + c, depth, count, resolved)) {
      const int64_t bad =
          AddComponent(rule, axis.stride, resolved, count, fails, rows);
      // A later component may be bad in an earlier tuple: look at those only.
      if (bad != kNoPosition) count = first_bad = bad;
    } else if (first_bad == kNoPosition && fails) {
      for (int64_t i = 0; i < count; ++i) rows[i] += resolved[i] * axis.stride;
    } else {
      AddComponent(rule, axis.stride, resolved, count, fails, rows);
    }
  }
  return first_bad;
}

template <typename Index>
int64_t FlattenTuples(const SliceAddressing& addressing,
                      const ResolvedOptions& options, const Index* values,
                      int64_t begin, int64_t end, int64_t* rows) {
  const auto depth = static_cast<int64_t>(addressing.tuple.size());
  const int64_t batch_rows = addressing.num_outer * addressing.rows;
  for (int64_t position = begin; position < end;) {
    const int64_t batch = position / addressing.tuples_per_batch;
    const int64_t batch_end = (batch + 1) * addressing.tuples_per_batch;
    const int64_t count =
        std::min({kBlock, end - position, batch_end - position});
    const int64_t bad =
        FlattenBlock(addressing, options, values + position * depth, count,
                     batch * batch_rows, rows + (position - begin));
    if (bad != kNoPosition) return position + bad;
    position += count;
  }
  return kNoPosition;
}

// Walks the positions of some extents in row-major order, keeping the offset
// in data.
class ExtentCursor {
 public:
  ExtentCursor(const absl::InlinedVector<Extent, 4>& extents, int64_t position)
      : extents_(extents), at_(extents.size()) {
    for (size_t d = extents.size(); d-- > 0;) {
      at_[d] = position % extents[d].size;
      position /= extents[d].size;
      offset_ += at_[d] * extents[d].data_stride;
    }
  }

  int64_t offset() const { return offset_; }

  void Next() {
    for (size_t d = extents_.size(); d-- > 0;) {
      offset_ += extents_[d].data_stride;
      if (++at_[d] < extents_[d].size) return;
      offset_ -= at_[d] * extents_[d].data_stride;
      at_[d] = 0;
    }
  }

 private:
  const absl::InlinedVector<Extent, 4>& extents_;
  absl::InlinedVector<int64_t, 4> at_;
  int64_t offset_ = 0;
};

// Turns resolved axis positions into rows.  Returns the first bad one.
template <typename OffsetFn>
int64_t PlaceElements(const ElementAddressing& addressing, bool fails,
                      int64_t count, int64_t* rows, OffsetFn next_offset) {
  const auto size = static_cast<uint64_t>(addressing.axis_size);
  for (int64_t i = 0; i < count; ++i) {
    const int64_t base = next_offset();
    if (static_cast<uint64_t>(rows[i]) < size) {
      rows[i] = base + rows[i] * addressing.axis_stride;
    } else {
      if (fails) return i;
      rows[i] = kSkippedRow;
    }
  }
  return kNoPosition;
}

template <typename Index>
int64_t FlattenElements(const ElementAddressing& addressing,
                        const ResolvedOptions& options, const Index* values,
                        int64_t begin, int64_t end, int64_t* rows) {
  if (begin == end) return kNoPosition;
  const int64_t inner = addressing.inner_positions();
  const int64_t plane = addressing.axis_positions * inner;
  const bool fails = options.out_of_bounds != OutOfBounds::kSkip;
  const AxisRule rule(addressing.axis_size, options);
  ExtentCursor outer_cursor(addressing.outer, begin / plane);
  ExtentCursor inner_cursor(addressing.inner, begin % inner);
  for (int64_t position = begin; position < end;) {
    // One run: fixed outer position; the inner positions repeat along it.
    const int64_t count =
        std::min({kBlock, end - position, plane - position % plane});
    int64_t* run = rows + (position - begin);
    Resolve(rule, values + position, 1, count, run);
    const int64_t base = outer_cursor.offset();
    const int64_t bad =
        PlaceElements(addressing, fails, count, run, [&inner_cursor, base] {
          const int64_t offset = base + inner_cursor.offset();
          inner_cursor.Next();
          return offset;
        });
    if (bad != kNoPosition) return position + bad;
    position += count;
    if (position % plane == 0) outer_cursor.Next();
  }
  return kNoPosition;
}

template <typename Index>
int64_t FlattenTyped(const Plan& plan, const Tensor& indices, int64_t begin,
                     int64_t end, int64_t* rows) {
  const Index* values = indices.values<Index>().data();
  if (const auto* slices = std::get_if<SliceAddressing>(&plan.addressing)) {
    return FlattenTuples(*slices, plan.options, values, begin, end, rows);
  }
  return FlattenElements(std::get<ElementAddressing>(plan.addressing),
                         plan.options, values, begin, end, rows);
}

int64_t IndexValue(const Tensor& indices, int64_t i) {
  return indices.dtype() == DType::kInt32 ? indices.values<int32_t>()[i]
                                          : indices.values<int64_t>()[i];
}

std::string AxisProblem(const Plan& plan, int axis, int64_t size,
                        int64_t value) {
  const bool from_end =
      plan.options.negative_indices == NegativeIndices::kFromEnd;
  return absl::StrCat("index is out of range for axis ", axis, " of size ",
                      size, " (", value, " vs [", from_end ? -size : 0, ", ",
                      size, "))");
}

}  // namespace

int64_t NumPositions(const Plan& plan) {
  if (const auto* slices = std::get_if<SliceAddressing>(&plan.addressing)) {
    return slices->num_tuples();
  }
  return std::get<ElementAddressing>(plan.addressing).num_positions();
}

int64_t RowElements(const Plan& plan) {
  const auto* slices = std::get_if<SliceAddressing>(&plan.addressing);
  return slices == nullptr ? 1 : slices->slice_elements;
}

int64_t Flatten(const Plan& plan, const Tensor& indices, int64_t begin,
                int64_t end, int64_t* rows) {
  return indices.dtype() == DType::kInt32
             ? FlattenTyped<int32_t>(plan, indices, begin, end, rows)
             : FlattenTyped<int64_t>(plan, indices, begin, end, rows);
}

std::string PositionName(const Plan& plan, int64_t position) {
  const Shape& shape = plan.indices_shape;
  const int rank = shape.rank() - (plan.indices_are_tuples ? 1 : 0);
  absl::InlinedVector<int64_t, 6> at(static_cast<size_t>(rank));
  int64_t rest = position;
  for (int axis = rank - 1; axis >= 0; --axis) {
    at[static_cast<size_t>(axis)] = rest % shape[axis];
    rest /= shape[axis];
  }
  return absl::StrCat("indices[", absl::StrJoin(at, ","), "] (position ",
                      position, ")");
}

absl::Status IndexError(const Plan& plan, const Tensor& indices,
                        int64_t position) {
  absl::InlinedVector<IndexAxis, 4> axes;
  if (const auto* slices = std::get_if<SliceAddressing>(&plan.addressing)) {
    axes = slices->tuple;
  } else {
    const auto& elements = std::get<ElementAddressing>(plan.addressing);
    axes = {IndexAxis{elements.axis_size, 1, elements.axis}};
  }
  const auto depth = static_cast<int64_t>(axes.size());
  std::vector<int64_t> tuple;
  std::string problem;
  for (int64_t c = 0; c < depth; ++c) {
    const int64_t value = IndexValue(indices, position * depth + c);
    tuple.push_back(value);
    const IndexAxis& axis = axes[c];
    if (problem.empty() &&
        ResolveIndex(value, axis.size, plan.options.negative_indices,
                     plan.options.out_of_bounds) == kBadIndex) {
      problem = AxisProblem(plan, axis.axis, axis.size, value);
    }
  }
  return WithReason(WithField(absl::OutOfRangeError(absl::StrCat(
                                  plan.op, ": C", plan.index_constraint, ": ",
                                  PositionName(plan, position), ", tuple [",
                                  absl::StrJoin(tuple, ","), "]: ", problem)),
                              "indices"),
                    "INDEX_OUT_OF_RANGE");
}

}  // namespace scatterd::cpu
