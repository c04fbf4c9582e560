#include "core/backends/cpu/flatten.h"

#include <algorithm>
#include <variant>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "core/backends/cpu/kernels/kernels.h"
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

// The kernel for whole runs: for the policies that leave a good index as it is.
// Returns false if it may not be used or met a bad index; the slower way then
// finds out more.
template <typename Index>
bool FlattenRun(const ResolvedOptions& options, const Index* values,
                const IndexAxis* axes, int64_t depth, int64_t count,
                int64_t base, int64_t step, int64_t* rows) {
  if (options.out_of_bounds != OutOfBounds::kError &&
      options.out_of_bounds != OutOfBounds::kSkip) {
    return false;
  }
  constexpr bool kNarrow = sizeof(Index) == sizeof(int32_t);
  const Kernels& kernels = GetKernels();
  const FlattenKernel kernel =
      kNarrow ? kernels.flatten_int32 : kernels.flatten_int64;
  return !kernel(
      {.values = values,
       .axes = axes,
       .depth = depth,
       .from_end = options.negative_indices == NegativeIndices::kFromEnd,
       .count = count,
       .base = base,
       .step = step,
       .rows = rows});
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
    const int64_t base = batch * batch_rows;
    const int64_t count =
        std::min({kBlock, end - position, batch_end - position});
    const Index* run = values + position * depth;
    int64_t* run_rows = rows + (position - begin);
    if (!FlattenRun(options, run, addressing.tuple.data(), depth, count, base,
                    0, run_rows)) {
      const int64_t bad =
          FlattenBlock(addressing, options, run, count, base, run_rows);
      if (bad != kNoPosition) return position + bad;
    }
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

// Positions in any order of axes, one after the other.
template <typename Index>
int64_t WalkElements(const ElementAddressing& addressing,
                     const ResolvedOptions& options, const Index* values,
                     int64_t begin, int64_t end, int64_t* rows) {
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

// Runs of positions whose elements lie at even distances, apart from the axis.
template <typename Index>
int64_t FlattenElements(const ElementAddressing& addressing,
                        const ResolvedOptions& options, const Index* values,
                        int64_t begin, int64_t end, int64_t* rows) {
  // Shorter runs cost more than they save.
  constexpr int64_t kShortRun = 8;
  if (begin == end) return kNoPosition;
  const int64_t inner = addressing.inner_positions();
  const int64_t run_length = inner == 1 ? addressing.axis_positions : inner;
  if (addressing.inner.size() > 1 || run_length < kShortRun) {
    return WalkElements(addressing, options, values, begin, end, rows);
  }
  const int64_t step = inner == 1 ? 0 : addressing.inner[0].data_stride;
  const int64_t plane = addressing.axis_positions * inner;
  const IndexAxis axis{addressing.axis_size, addressing.axis_stride, 0};
  ExtentCursor outer(addressing.outer, begin / plane);
  int64_t in_plane = begin % plane;
  int64_t in_run = begin % run_length;
  for (int64_t position = begin; position < end;) {
    const int64_t count =
        std::min({kBlock, end - position, run_length - in_run});
    int64_t* run = rows + (position - begin);
    if (!FlattenRun(options, values + position, &axis, 1, count,
                    outer.offset() + in_run * step, step, run)) {
      const int64_t bad = WalkElements(addressing, options, values, position,
                                       position + count, run);
      if (bad != kNoPosition) return bad;
    }
    position += count;
    in_plane += count;
    in_run += count;
    if (in_run == run_length) in_run = 0;
    if (in_plane == plane) {
      in_plane = 0;
      outer.Next();
    }
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

Upcoming IndicesFrom(const Plan& plan, const Tensor& indices,
                     int64_t position) {
  const auto* slices = std::get_if<SliceAddressing>(&plan.addressing);
  const size_t depth = slices == nullptr ? 1 : slices->tuple.size();
  const auto bytes = static_cast<int64_t>(depth * ElementSize(indices.dtype()));
  const int64_t begin = std::min<int64_t>(
      position * bytes, static_cast<int64_t>(indices.byte_size()));
  return {indices.bytes() + begin, bytes};
}

Upcoming LineAfter(const Plan& plan, const std::byte* data, int64_t position) {
  // Two lines should fit a core's cache, and a kernel fetches no more than this
  // for each position.
  constexpr int64_t kLongLine = int64_t{256} << 10;
  constexpr int64_t kMostBytesEach = 16;
  const auto* elements = std::get_if<ElementAddressing>(&plan.addressing);
  if (data == nullptr || elements == nullptr || !elements->inner.empty() ||
      elements->axis_stride != 1 || elements->outer.size() != 1 ||
      elements->outer[0].data_stride != elements->axis_size) {
    return {};
  }
  const int64_t line_bytes =
      elements->axis_size * static_cast<int64_t>(ElementSize(plan.dtype));
  const int64_t bytes_each = line_bytes / elements->axis_positions;
  const int64_t line = position / elements->axis_positions + 1;
  if (line_bytes > kLongLine || bytes_each > kMostBytesEach ||
      line >= elements->outer[0].size) {
    return {};
  }
  return {data + line * line_bytes +
              position % elements->axis_positions * bytes_each,
          bytes_each};
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
