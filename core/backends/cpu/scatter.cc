#include "core/backends/cpu/scatter.h"

#include <algorithm>
#include <limits>
#include <memory>
#include <utility>
#include <vector>

#include "absl/base/thread_annotations.h"
#include "absl/synchronization/mutex.h"
#include "core/backends/cpu/copy.h"
#include "core/backends/cpu/flatten.h"
#include "core/backends/cpu/grouped.h"
#include "core/backends/cpu/kernels/kernels.h"
#include "core/backends/cpu/parallel.h"
#include "core/backends/cpu/parts.h"
#include "core/backends/cpu/rows.h"
#include "core/backends/cpu/scatter_checks.h"
#include "core/backends/cpu/scratch.h"
#include "core/backends/cpu/tiles.h"

namespace scatterd::cpu {
namespace {

// Updates that are listed before they are applied, at most.
constexpr int64_t kListSize = 1024;

// Rows of a few updates, and which of them a part owns, in their order.
struct RowList {
  int64_t rows[kListSize];
  int64_t owned_rows[kListSize + kListSlack];
  int64_t positions[kListSize + kListSlack];
};

// Updates and where they go.
struct Updates {
  const int64_t* rows;  // null: to be worked out from the indices
  std::byte* output;
  const std::byte* updates;
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

// Whether all updates of a row are needed together.
bool IsGrouped(const Plan& plan) {
  return plan.reduction != Reduction::kNone &&
         (IsWide(plan) || KindOf(plan.dtype) == DTypeKind::kString);
}

// A kernel: counts the updates of each row in uint32_t's, which are few enough
// (see CountsMean).
void CountUpdates(const UpdateBlock& block) {
  auto* counts = reinterpret_cast<uint32_t*>(block.output);
  for (int64_t i = 0; i < block.count; ++i) ++counts[block.rows[i]];
}

// New bytes of concatenated strings, from all parts.
struct Strings {
  absl::Mutex mutex;
  std::vector<Buffer> blobs ABSL_GUARDED_BY(mutex);
  absl::Status status ABSL_GUARDED_BY(mutex);
};

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
        row_bytes_(static_cast<size_t>(row_elements_) *
                   ElementSize(plan.dtype)),
        counts_mean_(CountsMean()),
        grouped_(IsGrouped(plan) ||
                 (plan.reduction == Reduction::kMean && !counts_mean_)) {
    if (KindOf(plan.dtype) == DTypeKind::kString) {
      strings_ = std::make_unique<Strings>();
    }
    if (const auto* slices = std::get_if<SliceAddressing>(&plan.addressing)) {
      num_outer_ = slices->num_outer;
      rows_per_outer_ = slices->rows;
      positions_per_batch_ = slices->tuples_per_batch;
    }
  }

  absl::Status Run() {
    num_positions_ = NumPositions(plan_);
    const bool all_rows_first = NeedsAllRows();
    if (all_rows_first) SCATTERD_RETURN_IF_ERROR(FlattenAndCheck());
    if (output_.num_elements() == 0) return absl::OkStatus();
    if (num_positions_ == 0) {
      StartFromData();
    } else if (num_outer_ > 1) {
      StartFromData();
      ApplyToOuterBlocks();
    } else if (all_rows_first ||
               !ScatterByTiles(plan_, operands_, output_, pool_, state_)) {
      StartFromData();
      SCATTERD_RETURN_IF_ERROR(StartCounts());
      ApplyInParts(all_rows_first ? rows_.data() : nullptr);
      if (counts_mean_) DivideByCounts();
    }
    SCATTERD_RETURN_IF_ERROR(IndexStatus());
    return FinishStrings();
  }

 private:
  // Whether MEAN counts updates in an array with a place for each row, and not
  // by sorting them.
  bool CountsMean() const {
    constexpr int64_t kSparse = 8;
    const int64_t positions = NumPositions(plan_);
    const auto* slices = std::get_if<SliceAddressing>(&plan_.addressing);
    return plan_.reduction == Reduction::kMean && !IsWide(plan_) &&
           (slices == nullptr || slices->num_outer == 1) &&
           num_rows_ / kSparse <= positions &&
           positions < std::numeric_limits<uint32_t>::max() &&
           static_cast<int64_t>(row_bytes_) < kColumnSplitBytes;
  }

  // Whether the rows of all positions must be known before the first update is
  // applied: for a check, for sorting, or because each is used often.  Else
  // every thread works them out as it goes, which costs less than memory does.
  bool NeedsAllRows() const {
    const bool rejects = plan_.reduction == Reduction::kNone &&
                         plan_.options.duplicates == Duplicates::kReject;
    return output_.num_elements() == 0 || num_outer_ > 1 || rejects ||
           IsIntegerDivision(plan_) || grouped_;
  }

  absl::Status FlattenAndCheck() {
    SCATTERD_ASSIGN_OR_RETURN(
        num_positions_,
        FlattenAll(plan_, *operands_.indices, pool_, state_, rows_));
    if (plan_.reduction == Reduction::kNone &&
        plan_.options.duplicates == Duplicates::kReject) {
      SCATTERD_RETURN_IF_ERROR(CheckNoDuplicates(plan_, Rows(), num_rows_));
    }
    if (output_.num_elements() == 0 || !IsIntegerDivision(plan_)) {
      return absl::OkStatus();
    }
    return CheckDivisors(plan_, Rows(), *operands_.updates, pool_, state_);
  }

  absl::Span<const int64_t> Rows() const {
    return {rows_.data(), static_cast<size_t>(num_positions_)};
  }

  absl::Status IndexStatus() const {
    return cpu::IndexStatus(plan_, *operands_.indices, state_);
  }

  bool FlattenRange(int64_t begin, int64_t end, int64_t* rows) {
    return cpu::FlattenRange(plan_, *operands_.indices, begin, end, rows,
                             state_);
  }

  void StartFromData() {
    const std::byte* data =
        operands_.data == nullptr ? nullptr : operands_.data->bytes();
    if (data == output_.bytes()) return;  // in place
    CopyBytes(pool_, state_, data, output_.mutable_bytes(),
              output_.byte_size());
  }

  // --- Parts ---------------------------------------------------------------

  void ApplyInParts(const int64_t* rows) {
    const Updates updates{rows, output_.mutable_bytes(),
                          operands_.updates->bytes()};
    const Scatter scatter{.plan = plan_,
                          .indices = *operands_.indices,
                          .num_positions = num_positions_,
                          .num_rows = num_rows_,
                          .row_elements = row_elements_,
                          .groups = grouped_};
    const Parts parts = MakeParts(scatter, pool_.num_threads());
    pool_.ParallelFor(static_cast<int64_t>(parts.size()), [&](int64_t i) {
      if (state_.ShouldStop()) return;
      ApplyPart(parts[static_cast<size_t>(i)], updates);
    });
  }

  // Every outer block of a batch meets the batch's rows with updates of its
  // own, and no block meets another.
  void ApplyToOuterBlocks() {
    const int64_t blocks = num_positions_ / positions_per_batch_ * num_outer_;
    const auto block_bytes =
        positions_per_batch_ * static_cast<int64_t>(row_bytes_ + 16);
    const Part part{.position_begin = 0,
                    .position_end = positions_per_batch_,
                    .row_begin = 0,
                    .row_end = num_rows_,
                    .column_begin = 0,
                    .column_end = row_elements_,
                    .all_rows = true};
    ForEachRange(
        pool_, state_, blocks, block_bytes, [&](int64_t begin, int64_t end) {
          for (int64_t block = begin; block < end; ++block) {
            const int64_t outer = block % num_outer_;
            const auto row = static_cast<size_t>(outer * rows_per_outer_);
            const auto first =
                static_cast<size_t>(block * positions_per_batch_);
            ApplyPart(part,
                      {rows_.data() + block / num_outer_ * positions_per_batch_,
                       output_.mutable_bytes() + row * row_bytes_,
                       operands_.updates->bytes() + first * row_bytes_});
          }
        });
  }

  void ApplyPart(const Part& part, const Updates& updates) {
    if (plan_.reduction == Reduction::kNone) return Assign(part, updates);
    if (IsWide(plan_) || KindOf(plan_.dtype) == DTypeKind::kString) {
      return ReduceGroups(part, updates);
    }
    const ReduceKernels kernels =
        GetKernels().reduce(plan_.dtype, plan_.reduction, plan_.options.nan);
    const UpdateBlock block = Block(part, updates);
    if (plan_.exclude_self) {
      ForEachList(part, updates, block, kernels.set_identity);
    }
    ForEachList(part, updates, block, kernels.apply);
    if (counts_mean_) {
      UpdateBlock counts = block;
      counts.output = counts_.mutable_data();
      ForEachList(part, updates, counts, &CountUpdates);
    } else if (kernels.divide != nullptr) {
      DivideGroups(part, updates, block, kernels);
    }
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
    const AssignKernel kernel = GetKernels().assign(row_bytes_);
    UpdateBlock block = Block(part, updates);
    // From elements of the dtype to elements of the kernel.
    const int64_t units = kernel.slice_elements / row_elements_;
    block.slice_elements = kernel.slice_elements;
    block.column_begin = units == 0 ? 0 : part.column_begin * units;
    block.column_end = units == 0 ? 1 : part.column_end * units;
    ForEachList(part, updates, block, kernel.apply);
  }

  // Calls kernel(list) for lists of the part's updates, which follow one
  // another in the order in which they apply.
  void ForEachList(const Part& part, const Updates& updates, UpdateBlock block,
                   UpdateKernel kernel) {
    RowList list;
    const bool reverse = plan_.reduction == Reduction::kNone &&
                         plan_.options.duplicates == Duplicates::kFirstWins;
    const int64_t total = part.position_end - part.position_begin;
    const int64_t limit = ListLimit(part);
    for (int64_t done = 0; done < total;) {
      const int64_t count = std::min(limit, total - done);
      const int64_t at = reverse ? part.position_end - done - count
                                 : part.position_begin + done;
      done += count;
      if (!MakeList(part, updates, at, count, reverse, &list, &block)) {
        if (reverse) CheckFromTheFirst(part, at);
        return;
      }
      if (block.count != 0) kernel(block);
      if (state_.ShouldStop()) return;
    }
  }

  // Reports an earlier bad index than the one at or after `end`: for a walk
  // from the last position to the first, which has met that one.
  void CheckFromTheFirst(const Part& part, int64_t end) {
    int64_t rows[kListSize];
    for (int64_t at = part.position_begin; at < end; at += kListSize) {
      if (!FlattenRange(at, std::min(at + kListSize, end), rows)) return;
    }
  }

  // Points `block` at the part's updates among positions [at, at + count).
  // Reports a bad index and returns false.
  bool MakeList(const Part& part, const Updates& updates, int64_t at,
                int64_t count, bool reverse, RowList* list,
                UpdateBlock* block) {
    const int64_t* rows = list->rows;
    if (updates.rows != nullptr) {
      rows = updates.rows + at;
    } else {
      if (!FlattenRange(at, at + count, list->rows)) return false;
      block->next = {IndicesFrom(plan_, *operands_.indices, at + count),
                     LineAfter(plan_, updates.output, at)};
      block->is_near = block->next.data.memory != nullptr ||
                       output_.byte_size() <= kNearBytes;
    }
    block->updates = updates.updates + static_cast<size_t>(at) * row_bytes_;
    const bool skips = plan_.options.out_of_bounds == OutOfBounds::kSkip;
    if (part.all_rows && !skips && !reverse) {
      block->rows = rows;
      block->positions = nullptr;
      block->count = count;
      return true;
    }
    const int64_t owned =
        GetKernels().select(rows, count, part.row_begin, part.row_end,
                            list->owned_rows, list->positions);
    if (reverse) {
      std::reverse(list->owned_rows, list->owned_rows + owned);
      std::reverse(list->positions, list->positions + owned);
    }
    block->rows = list->owned_rows;
    block->positions = list->positions;
    block->count = owned;
    return true;
  }

  // Updates a list may hold so that it is done soon.
  int64_t ListLimit(const Part& part) const {
    const int64_t bytes = (part.column_end - part.column_begin) *
                          static_cast<int64_t>(ElementSize(plan_.dtype));
    return std::clamp<int64_t>(kBlockBytes / bytes, 1, kListSize);
  }

  // --- MEAN by counts -------------------------------------------------------

  absl::Status StartCounts() {
    if (!counts_mean_) return absl::OkStatus();
    SCATTERD_ASSIGN_OR_RETURN(
        counts_,
        Buffer::Allocate(static_cast<size_t>(num_rows_) * sizeof(uint32_t)));
    CopyBytes(pool_, state_, nullptr, counts_.mutable_data(), counts_.size());
    return absl::OkStatus();
  }

  void DivideByCounts() {
    const auto divide =
        GetKernels()
            .reduce(plan_.dtype, plan_.reduction, plan_.options.nan)
            .divide;
    const auto* counts = reinterpret_cast<const uint32_t*>(counts_.data());
    ForEachRange(
        pool_, state_, num_rows_,
        static_cast<int64_t>(row_bytes_ + sizeof(uint32_t)),
        [&](int64_t begin, int64_t end) {
          for (int64_t row = begin; row < end; ++row) {
            if (counts[row] == 0) continue;
            divide(
                output_.mutable_bytes() + static_cast<size_t>(row) * row_bytes_,
                row_elements_,
                int64_t{counts[row]} + (plan_.exclude_self ? 0 : 1));
          }
        });
  }

  // --- Grouped reductions --------------------------------------------------

  static std::vector<RowUpdate> Sorted(const Part& part,
                                       const Updates& updates) {
    return SortByRow({updates.rows, static_cast<size_t>(part.position_end)},
                     part.row_begin, part.row_end);
  }

  void DivideGroups(const Part& part, const Updates& updates,
                    const UpdateBlock& block, const ReduceKernels& kernels) {
    if (state_.ShouldStop()) return;
    const std::vector<RowUpdate> sorted = Sorted(part, updates);
    ForEachGroup(sorted, &state_, [&](absl::Span<const RowUpdate> group) {
      const int64_t element =
          group.front().row * row_elements_ + block.column_begin;
      kernels.divide(
          block.output +
              static_cast<size_t>(element) * ElementSize(plan_.dtype),
          block.columns(),
          static_cast<int64_t>(group.size()) + (plan_.exclude_self ? 0 : 1));
    });
  }

  void ReduceGroups(const Part& part, const Updates& updates) {
    if (state_.ShouldStop()) return;
    const std::vector<RowUpdate> sorted = Sorted(part, updates);
    const UpdateBlock block = Block(part, updates);
    if (KindOf(plan_.dtype) == DTypeKind::kHalf) {
      return ReduceWide(plan_, sorted, block, state_);
    }
    absl::StatusOr<Buffer> blob = ReduceStrings(plan_, sorted, block, state_);
    absl::MutexLock lock(&strings_->mutex);
    if (blob.ok()) {
      strings_->blobs.push_back(*std::move(blob));
    } else {
      strings_->status.Update(blob.status());
    }
  }

  absl::Status FinishStrings() {
    if (strings_ == nullptr) return absl::OkStatus();
    absl::MutexLock lock(&strings_->mutex);
    SCATTERD_RETURN_IF_ERROR(strings_->status);
    for (Buffer& blob : strings_->blobs) output_.AddBlob(std::move(blob));
    return absl::OkStatus();
  }

  const Plan& plan_;
  const PlanOperands& operands_;
  Tensor& output_;
  ThreadPool& pool_;
  RunState state_;
  const int64_t row_elements_;
  const int64_t num_rows_;
  const size_t row_bytes_;
  const bool counts_mean_;
  const bool grouped_;
  int64_t num_outer_ = 1;
  int64_t rows_per_outer_ = 0;
  int64_t positions_per_batch_ = 1;
  int64_t num_positions_ = 0;
  RowScratch rows_;

  Buffer counts_;                     // of each row's updates, if counts_mean_
  std::unique_ptr<Strings> strings_;  // null for other dtypes
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
