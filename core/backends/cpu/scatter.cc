#include "core/backends/cpu/scatter.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "absl/base/thread_annotations.h"
#include "absl/synchronization/mutex.h"
#include "core/backends/cpu/copy_kernels.h"
#include "core/backends/cpu/flatten.h"
#include "core/backends/cpu/grouped.h"
#include "core/backends/cpu/parallel.h"
#include "core/backends/cpu/reduce_kernels.h"
#include "core/backends/cpu/scatter_checks.h"
#include "core/backends/cpu/scratch.h"

namespace scatterd::cpu {
namespace {

// Updates that are listed before they are applied, at most.
constexpr int64_t kListSize = 2048;

// Slices at least this large are shared between threads by columns: few of
// them may be hot.
constexpr int64_t kColumnSplitBytes = int64_t{64} << 10;

// Updates and where they go: update i meets row rows[i] of `output`.
struct Updates {
  const int64_t* rows;
  int64_t count;
  std::byte* output;
  const std::byte* updates;
};

// The part of the output that one thread owns.
struct Part {
  int64_t row_begin;
  int64_t row_end;
  int64_t column_begin;
  int64_t column_end;
};

bool IsIntegerDivision(const Plan& plan) {
  return plan.reduction == Reduction::kDiv &&
         KindOf(plan.dtype) == DTypeKind::kInteger;
}

bool IsWide(const Plan& plan) {
  const bool rounds = plan.reduction != Reduction::kNone &&
                      plan.reduction != Reduction::kMax &&
                      plan.reduction != Reduction::kMin;
  return KindOf(plan.dtype) == DTypeKind::kHalf && rounds &&
         plan.options.accumulation == Accumulation::kWide;
}

class ScatterRun {
 public:
  ScatterRun(const Plan& plan, const PlanOperands& operands, Tensor& output,
             const RunContext& context)
      : plan_(plan),
        operands_(operands),
        output_(output),
        pool_(context.pool),
        state_(context.cancellation),
        row_elements_(RowElements(plan)),
        num_rows_(row_elements_ == 0 ? 0
                                     : output.num_elements() / row_elements_),
        element_bytes_(ElementSize(plan.dtype)) {
    if (const auto* slices = std::get_if<SliceAddressing>(&plan.addressing)) {
      num_outer_ = slices->num_outer;
      rows_per_outer_ = slices->rows;
      positions_per_batch_ = slices->tuples_per_batch;
    }
  }

  absl::Status Run() {
    SCATTERD_RETURN_IF_ERROR(FlattenIndices());
    if (plan_.reduction == Reduction::kNone &&
        plan_.options.duplicates == Duplicates::kReject) {
      SCATTERD_RETURN_IF_ERROR(CheckNoDuplicates(plan_, Rows(), num_rows_));
    }
    if (output_.num_elements() == 0) return absl::OkStatus();
    if (IsIntegerDivision(plan_)) {
      SCATTERD_RETURN_IF_ERROR(
          CheckDivisors(plan_, Rows(), *operands_.updates, pool_, state_));
    }
    StartFromData();
    if (num_positions_ != 0) ApplyInParts();
    SCATTERD_RETURN_IF_ERROR(state_.StopStatus());
    return FinishStrings();
  }

 private:
  absl::Span<const int64_t> Rows() const {
    return {rows_.data(), static_cast<size_t>(num_positions_)};
  }

  absl::Status FlattenIndices() {
    num_positions_ = NumPositions(plan_);
    // Empty tuples over empty slices: any number of them costs no payload, and
    // two of them show all there is to see.
    if (operands_.indices->num_elements() == 0 && row_elements_ == 0) {
      num_positions_ = std::min<int64_t>(num_positions_, 2);
    }
    SCATTERD_RETURN_IF_ERROR(rows_.Resize(num_positions_));
    const int64_t count = num_positions_;
    ForEachRange(pool_, state_, count, GrainFor(pool_, count, 16), count * 16,
                 [this](int64_t begin, int64_t end) {
                   const int64_t bad = Flatten(plan_, *operands_.indices, begin,
                                               end, rows_.data() + begin);
                   if (bad != kNoPosition) state_.ReportPosition(bad);
                 });
    if (state_.position() != RunState::kNone) {
      return IndexError(plan_, *operands_.indices, state_.position());
    }
    return state_.StopStatus();
  }

  void StartFromData() {
    if (operands_.data != nullptr) {
      if (operands_.data->bytes() == output_.bytes()) return;  // in place
      CopyBytes(pool_, state_, operands_.data->bytes(), output_.mutable_bytes(),
                output_.byte_size());
    } else {
      CopyBytes(pool_, state_, nullptr, output_.mutable_bytes(),
                output_.byte_size());
    }
  }

  // --- Parts ---------------------------------------------------------------

  void ApplyInParts() {
    if (num_outer_ > 1) return ApplyToOuterBlocks();
    const Updates updates{rows_.data(), num_positions_, output_.mutable_bytes(),
                          operands_.updates->bytes()};
    const std::vector<Part> parts = MakeParts();
    pool_.ParallelFor(static_cast<int64_t>(parts.size()), [&](int64_t i) {
      if (state_.ShouldStop()) return;
      ApplyPart(parts[static_cast<size_t>(i)], updates);
    });
  }

  // Every outer block of a batch meets the batch's rows with updates of its
  // own, and no block meets another.
  void ApplyToOuterBlocks() {
    const auto row_bytes = static_cast<size_t>(row_elements_) * element_bytes_;
    const int64_t blocks = num_positions_ / positions_per_batch_ * num_outer_;
    const auto block_bytes =
        positions_per_batch_ * static_cast<int64_t>(row_bytes + 16);
    ForEachRange(
        pool_, state_, blocks, GrainFor(pool_, blocks, block_bytes),
        blocks * block_bytes, [&](int64_t begin, int64_t end) {
          for (int64_t block = begin; block < end; ++block) {
            const int64_t outer = block % num_outer_;
            const auto row = static_cast<size_t>(outer * rows_per_outer_);
            const auto first =
                static_cast<size_t>(block * positions_per_batch_);
            ApplyPart(Whole(),
                      {rows_.data() + block / num_outer_ * positions_per_batch_,
                       positions_per_batch_,
                       output_.mutable_bytes() + row * row_bytes,
                       operands_.updates->bytes() + first * row_bytes});
          }
        });
  }

  Part Whole() const { return {0, num_rows_, 0, row_elements_}; }

  std::vector<Part> MakeParts() const {
    const int64_t row_bytes =
        row_elements_ * static_cast<int64_t>(element_bytes_);
    const int64_t threads = pool_.num_threads();
    const int64_t work = num_positions_ * (row_bytes + 16);
    if (row_bytes >= kColumnSplitBytes) {
      return SplitColumns(std::max(threads, row_bytes / kBlockBytes));
    }
    if (work <= kSerialBytes || threads == 1 || num_rows_ < 4 * threads) {
      return {Whole()};
    }
    return SplitRows(threads);
  }

  std::vector<Part> SplitRows(int64_t n) const {
    std::vector<Part> parts;
    for (int64_t i = 0; i < n; ++i) {
      parts.push_back(Part{Share(num_rows_, i, n), Share(num_rows_, i + 1, n),
                           0, row_elements_});
    }
    return parts;
  }

  std::vector<Part> SplitColumns(int64_t n) const {
    std::vector<Part> parts;
    for (int64_t i = 0; i < n; ++i) {
      parts.push_back(Part{0, num_rows_, Share(row_elements_, i, n),
                           Share(row_elements_, i + 1, n)});
    }
    return parts;
  }

  // Where the i-th of n nearly equal shares begins.
  static int64_t Share(int64_t total, int64_t i, int64_t n) {
    return total / n * i + std::min(i, total % n);
  }

  void ApplyPart(const Part& part, const Updates& updates) {
    if (plan_.reduction == Reduction::kNone) return Assign(part, updates);
    if (IsWide(plan_) || KindOf(plan_.dtype) == DTypeKind::kString) {
      return ReduceGroups(part, updates);
    }
    const ReduceKernels kernels =
        GetReduceKernels(plan_.dtype, plan_.reduction, plan_.options.nan);
    const UpdateBlock block = Block(part, updates);
    if (plan_.exclude_self) {
      ForEachList(part, updates, block, kernels.set_identity);
    }
    ForEachList(part, updates, block, kernels.apply);
    if (kernels.divide != nullptr) DivideGroups(part, updates, block, kernels);
  }

  UpdateBlock Block(const Part& part, const Updates& updates) const {
    return {.output = updates.output,
            .updates = updates.updates,
            .rows = nullptr,
            .positions = nullptr,
            .count = 0,
            .slice_elements = row_elements_,
            .column_begin = part.column_begin,
            .column_end = part.column_end};
  }

  // --- Kernels on lists ----------------------------------------------------

  void Assign(const Part& part, const Updates& updates) {
    const AssignShape shape =
        GetAssignKernel(static_cast<size_t>(row_elements_) * element_bytes_);
    UpdateBlock block = Block(part, updates);
    // From elements of the dtype to elements of the kernel.
    const int64_t units = shape.slice_elements / row_elements_;
    block.slice_elements = shape.slice_elements;
    block.column_begin = units == 0 ? 0 : part.column_begin * units;
    block.column_end = units == 0 ? 1 : part.column_end * units;
    ForEachList(part, updates, block, shape.apply);
  }

  // Calls kernel(list) for lists of the part's updates, which follow one
  // another in the order in which they apply.
  void ForEachList(const Part& part, const Updates& updates, UpdateBlock block,
                   void (*kernel)(const UpdateBlock&)) {
    int64_t rows[kListSize];
    int64_t positions[kListSize];
    block.rows = rows;
    block.positions = positions;
    const bool reverse = plan_.reduction == Reduction::kNone &&
                         plan_.options.duplicates == Duplicates::kFirstWins;
    const int64_t limit = ListLimit(part);
    for (int64_t at = 0; at < updates.count;) {
      const int64_t end = std::min(at + limit, updates.count);
      block.count = 0;
      for (; at < end; ++at) {
        const int64_t position = reverse ? updates.count - 1 - at : at;
        const int64_t row = updates.rows[position];
        rows[block.count] = row;
        positions[block.count] = position;
        block.count += row >= part.row_begin && row < part.row_end;
      }
      if (block.count != 0) kernel(block);
      if (state_.ShouldStop()) return;
    }
  }

  // Updates a list may hold so that it is done soon.
  int64_t ListLimit(const Part& part) const {
    const int64_t bytes = (part.column_end - part.column_begin) *
                          static_cast<int64_t>(element_bytes_);
    return std::clamp<int64_t>(kBlockBytes / bytes, 1, kListSize);
  }

  // --- Grouped reductions --------------------------------------------------

  static std::vector<RowUpdate> Sorted(const Part& part,
                                       const Updates& updates) {
    return SortByRow({updates.rows, static_cast<size_t>(updates.count)},
                     part.row_begin, part.row_end);
  }

  void DivideGroups(const Part& part, const Updates& updates,
                    const UpdateBlock& block, const ReduceKernels& kernels) {
    const std::vector<RowUpdate> sorted = Sorted(part, updates);
    ForEachGroup(sorted, [&](absl::Span<const RowUpdate> group) {
      const int64_t element =
          group.front().row * row_elements_ + block.column_begin;
      kernels.divide(
          block.output + static_cast<size_t>(element) * element_bytes_,
          block.columns(),
          static_cast<int64_t>(group.size()) + (plan_.exclude_self ? 0 : 1));
    });
  }

  void ReduceGroups(const Part& part, const Updates& updates) {
    const std::vector<RowUpdate> sorted = Sorted(part, updates);
    const UpdateBlock block = Block(part, updates);
    if (KindOf(plan_.dtype) == DTypeKind::kHalf) {
      return ReduceWide(plan_, sorted, block);
    }
    absl::StatusOr<Buffer> blob = ReduceStrings(plan_, sorted, block);
    absl::MutexLock lock(&strings_mutex_);
    if (blob.ok()) {
      blobs_.push_back(*std::move(blob));
    } else {
      strings_status_.Update(blob.status());
    }
  }

  absl::Status FinishStrings() {
    absl::MutexLock lock(&strings_mutex_);
    SCATTERD_RETURN_IF_ERROR(strings_status_);
    for (Buffer& blob : blobs_) output_.AddBlob(std::move(blob));
    return absl::OkStatus();
  }

  const Plan& plan_;
  const PlanOperands& operands_;
  Tensor& output_;
  ThreadPool& pool_;
  RunState state_;
  const int64_t row_elements_;
  const int64_t num_rows_;
  const size_t element_bytes_;
  int64_t num_outer_ = 1;
  int64_t rows_per_outer_ = 0;
  int64_t positions_per_batch_ = 1;
  int64_t num_positions_ = 0;
  RowScratch rows_;

  // New bytes of concatenated strings, from all parts.
  absl::Mutex strings_mutex_;
  std::vector<Buffer> blobs_ ABSL_GUARDED_BY(strings_mutex_);
  absl::Status strings_status_ ABSL_GUARDED_BY(strings_mutex_);
};

}  // namespace

absl::Status RunScatter(const Plan& plan, const PlanOperands& operands,
                        Tensor& output, const RunContext& context) {
  if (operands.data != nullptr && operands.data != &output) {
    output.ShareBlobs(*operands.data);
  }
  output.ShareBlobs(*operands.updates);
  return ScatterRun(plan, operands, output, context).Run();
}

}  // namespace scatterd::cpu
