#include "core/backends/cpu/gather.h"

#include <algorithm>
#include <cstring>

#include "core/backends/cpu/copy.h"
#include "core/backends/cpu/flatten.h"
#include "core/backends/cpu/kernels/kernels.h"
#include "core/backends/cpu/parallel.h"
#include "core/backends/cpu/rows.h"
#include "core/backends/cpu/scratch.h"
#include "core/backends/cpu/tiles.h"

namespace scatterd::cpu {
namespace {

// Index positions whose rows are held at once, on the stack.
constexpr int64_t kBlock = 1024;

class GatherRun {
 public:
  GatherRun(const Plan& plan, const PlanOperands& operands, Tensor& output,
            const RunContext& context)
      : plan_(plan),
        operands_(operands),
        output_(output),
        pool_(context.pool),
        state_(context.cancellation),
        positions_(NumPositions(plan)),
        element_bytes_(ElementSize(plan.dtype)),
        slice_bytes_(static_cast<size_t>(RowElements(plan)) * element_bytes_) {
    if (const auto* slices = std::get_if<SliceAddressing>(&plan.addressing)) {
      num_outer_ = slices->num_outer;
      outer_bytes_ = static_cast<size_t>(slices->rows) * slice_bytes_;
      positions_per_batch_ = slices->tuples_per_batch;
    }
  }

  absl::Status Run() {
    if (output_.num_elements() == 0) {
      CheckOnly();
    } else if (num_outer_ > 1 || slice_bytes_ > kBlockBytes) {
      SCATTERD_RETURN_IF_ERROR(FlattenFirst());
    } else if (!GatherByTiles(plan_, operands_, output_, pool_, state_)) {
      Fused();
    }
    return IndexStatus(plan_, *operands_.indices, state_);
  }

 private:
  // Calls work(begin, end) for ranges of index positions, each of which costs
  // what it takes to move `bytes_each`.
  void ForEachPosition(size_t bytes_each,
                       absl::FunctionRef<void(int64_t, int64_t)> work) {
    const auto bytes = static_cast<int64_t>(bytes_each + sizeof(int64_t));
    ForEachRange(pool_, state_, positions_, bytes, work);
  }

  bool FlattenRange(int64_t begin, int64_t end, int64_t* rows) {
    return cpu::FlattenRange(plan_, *operands_.indices, begin, end, rows,
                             state_);
  }

  // An empty output still has its indices checked.
  void CheckOnly() {
    if (operands_.indices->num_elements() == 0) return;
    ForEachPosition(0, [this](int64_t begin, int64_t end) {
      int64_t rows[kBlock];
      for (int64_t at = begin; at < end; at += kBlock) {
        if (!FlattenRange(at, std::min(at + kBlock, end), rows)) return;
      }
    });
  }

  // Output slices lie in the order of index positions.
  void Fused() {
    ForEachPosition(
        slice_bytes_ + kRandomAccessBytes, [this](int64_t begin, int64_t end) {
          int64_t rows[kBlock];
          for (int64_t at = begin; at < end; at += kBlock) {
            const int64_t count = std::min(kBlock, end - at);
            if (!FlattenRange(at, at + count, rows)) return;
            const std::byte* data = operands_.data->bytes();
            Copy(at, count, rows, data,
                 {IndicesFrom(plan_, *operands_.indices, at + count),
                  LineAfter(plan_, data, at)});
          }
        });
  }

  // Each row is used once for every outer block, or is too large for one go.
  absl::Status FlattenFirst() {
    RowScratch rows;
    SCATTERD_RETURN_IF_ERROR(
        FlattenAll(plan_, *operands_.indices, pool_, state_, rows).status());
    if (slice_bytes_ <= kBlockBytes) {
      CopyOuterBlocks(rows.data());
    } else {
      CopyLargeSlices(rows.data());
    }
    return absl::OkStatus();
  }

  // Output is batch x outer x position slices.
  void CopyOuterBlocks(const int64_t* rows) {
    const int64_t slices = positions_ * num_outer_;
    const auto bytes = static_cast<int64_t>(slice_bytes_);
    ForEachRange(
        pool_, state_, slices, bytes, [this, rows](int64_t begin, int64_t end) {
          for (int64_t slice = begin; slice < end;) {
            const int64_t block = slice / positions_per_batch_;
            const int64_t in_block = slice % positions_per_batch_;
            const int64_t count =
                std::min(positions_per_batch_ - in_block, end - slice);
            const int64_t batch = block / num_outer_;
            Copy(slice, count, rows + batch * positions_per_batch_ + in_block,
                 OuterBlock(block % num_outer_));
            slice += count;
          }
        });
  }

  // Pieces of slices, so that few slices keep all threads busy and a
  // cancelled call ends soon.
  void CopyLargeSlices(const int64_t* rows) {
    const auto size = static_cast<int64_t>(slice_bytes_);
    const int64_t pieces = (size + kBlockBytes - 1) / kBlockBytes;
    ForEachRange(pool_, state_, positions_ * num_outer_ * pieces, kBlockBytes,
                 [&](int64_t begin, int64_t end) {
                   for (int64_t unit = begin; unit < end; ++unit) {
                     const int64_t slice = unit / pieces;
                     const int64_t block = slice / positions_per_batch_;
                     CopyPiece(slice,
                               rows[block / num_outer_ * positions_per_batch_ +
                                    slice % positions_per_batch_],
                               unit % pieces);
                   }
                 });
  }

  void CopyPiece(int64_t slice, int64_t row, int64_t piece) {
    const auto at = static_cast<size_t>(piece * kBlockBytes);
    const size_t bytes = std::min<size_t>(kBlockBytes, slice_bytes_ - at);
    std::byte* output = OutputSlice(slice) + at;
    if (row < 0) return FillElements(output, bytes, fill(), element_bytes_);
    const int64_t outer = slice / positions_per_batch_ % num_outer_;
    GetKernels().stream(
        output,
        OuterBlock(outer) + static_cast<size_t>(row) * slice_bytes_ + at,
        bytes);
  }

  void Copy(int64_t first_slice, int64_t count, const int64_t* rows,
            const std::byte* source, const Next& next = {}) {
    const bool skips = plan_.options.out_of_bounds == OutOfBounds::kSkip;
    GetKernels().copy_slices(
        {.source = source,
         .output = OutputSlice(first_slice),
         .rows = rows,
         .count = count,
         .slice_bytes = slice_bytes_,
         .fill = skips ? fill() : nullptr,
         .fill_bytes = element_bytes_,
         .streams = output_.byte_size() >= kStreamBytes,
         .is_near = operands_.data->byte_size() <= kNearBytes ||
                    next.data.memory != nullptr,
         .next = next});
  }

  std::byte* OutputSlice(int64_t slice) {
    return output_.mutable_bytes() + static_cast<size_t>(slice) * slice_bytes_;
  }

  const std::byte* OuterBlock(int64_t outer) const {
    return operands_.data->bytes() + static_cast<size_t>(outer) * outer_bytes_;
  }

  const std::byte* fill() const {
    static constexpr std::byte kZero[16] = {};
    return operands_.fill_value == nullptr ? kZero
                                           : operands_.fill_value->bytes();
  }

  const Plan& plan_;
  const PlanOperands& operands_;
  Tensor& output_;
  ThreadPool& pool_;
  RunState state_;
  const int64_t positions_;
  const size_t element_bytes_;
  const size_t slice_bytes_;
  int64_t num_outer_ = 1;
  size_t outer_bytes_ = 0;
  int64_t positions_per_batch_ = 1;
};

}  // namespace

absl::Status RunGather(const Plan& plan, const PlanOperands& operands,
                       Tensor& output, const RunContext& context) {
  output.ShareBlobs(*operands.data);
  if (operands.fill_value != nullptr) output.ShareBlobs(*operands.fill_value);
  return GatherRun(plan, operands, output, context).Run();
}

}  // namespace scatterd::cpu
