#include "core/backends/cpu/tiles.h"

#include <algorithm>
#include <cstring>
#include <memory>

#include "core/backends/cpu/flatten.h"
#include "core/backends/cpu/kernels/kernels.h"

namespace scatterd::cpu {
namespace {

// Data below this size stays in a cache anyway.
constexpr int64_t kSmallData = int64_t{4} << 20;

// Tiles are about this large, so that half a core's cache holds one.
constexpr int64_t kTileBytes = int64_t{512} << 10;
constexpr int64_t kLinesBytes = int64_t{32} << 10;

// Fewer columns leave too much of each line of memory unused.
constexpr int64_t kLeastWidthBytes = 64;

// One position in this many elements of data at least.
constexpr int64_t kSparse = 8;

// Positions that are handled at once.
constexpr int64_t kBlock = 1024;

// Index runs that are fetched ahead of the one at hand.
constexpr int64_t kRunsAhead = 8;

// How data of a plan falls into tiles.  Data is outer x axis_size x inner
// elements, positions are outer x axis_positions x inner.
struct Tiling {
  int64_t outer;
  int64_t axis_size;
  int64_t axis_positions;
  int64_t inner;
  int64_t element_bytes;

  bool lines() const { return inner == 1; }

  // Outer positions in a tile of lines.
  int64_t lines_in_tile() const {
    return std::max<int64_t>(1, kLinesBytes / (axis_size * element_bytes));
  }

  // Elements across a tile of columns, whole lines of memory.
  int64_t width() const {
    const int64_t bytes = std::clamp<int64_t>(
        kTileBytes / axis_size / kLeastWidthBytes * kLeastWidthBytes,
        kLeastWidthBytes, 1024);
    return std::min(inner, bytes / element_bytes);
  }

  int64_t tiles_across() const { return (inner + width() - 1) / width(); }

  int64_t num_tiles() const {
    return lines() ? (outer + lines_in_tile() - 1) / lines_in_tile()
                   : outer * tiles_across();
  }

  int64_t tile_elements() const {
    return axis_size * (lines() ? lines_in_tile() : width());
  }
};

// Whether every element of data is in a tile, and tiles fit where they should.
bool MakeTiling(const Plan& plan, int64_t data_elements, Tiling* tiling) {
  const auto* elements = std::get_if<ElementAddressing>(&plan.addressing);
  if (elements == nullptr ||
      plan.options.out_of_bounds != OutOfBounds::kError) {
    return false;
  }
  *tiling = {.outer = elements->outer_positions(),
             .axis_size = elements->axis_size,
             .axis_positions = elements->axis_positions,
             .inner = elements->inner_positions(),
             .element_bytes = static_cast<int64_t>(ElementSize(plan.dtype))};
  const int64_t data_bytes = data_elements * tiling->element_bytes;
  // Extents of indices off the axis are data's: then no stride is skipped.
  const bool covers =
      elements->axis_stride == tiling->inner &&
      tiling->outer * tiling->axis_size * tiling->inner == data_elements;
  const int64_t positions = elements->num_positions();
  return covers && data_bytes >= kSmallData && positions > 0 &&
         positions >= data_elements / kSparse &&
         tiling->tile_elements() * tiling->element_bytes <= 2 * kTileBytes;
}

// Memory of one thread for one tile: for elements of data, and for a block of
// elements that lie apart in updates or output.
class TileScratch {
 public:
  explicit TileScratch(const Tiling& tiling)
      : tile_(Allocate(tiling.tile_elements() * tiling.element_bytes)),
        block_(Allocate(kBlock * tiling.element_bytes)) {}

  std::byte* tile() { return tile_.get(); }
  std::byte* block() { return block_.get(); }
  int64_t* rows() { return rows_; }

 private:
  struct Free {
    void operator()(std::byte* bytes) const {
      ::operator delete[](bytes, std::align_val_t{kBufferAlignment});
    }
  };
  using Bytes = std::unique_ptr<std::byte[], Free>;

  static Bytes Allocate(int64_t bytes) {
    return Bytes(new (std::align_val_t{kBufferAlignment})
                     std::byte[static_cast<size_t>(bytes)]);
  }

  Bytes tile_;
  Bytes block_;
  int64_t rows_[kBlock];
};

class TileRun {
 public:
  TileRun(const Plan& plan, const Tiling& tiling, const PlanOperands& operands,
          Tensor& output, RunState& state)
      : plan_(plan),
        tiling_(tiling),
        operands_(operands),
        output_(output),
        state_(state),
        kernels_(GetKernels()),
        streams_(output.byte_size() >= kStreamBytes) {
    if (plan.is_scatter && plan.reduction == Reduction::kNone) {
      apply_ = kernels_.assign(static_cast<size_t>(bytes(1))).apply;
    } else if (plan.is_scatter) {
      apply_ =
          kernels_.reduce(plan.dtype, plan.reduction, plan.options.nan).apply;
    }
  }

  void Run(ThreadPool& pool) {
    const int64_t tiles = tiling_.num_tiles();
    const int64_t positions =
        tiling_.axis_positions *
        (tiling_.lines() ? tiling_.lines_in_tile() : tiling_.width());
    const int64_t tile_bytes = bytes(tiling_.tile_elements() + positions) +
                               positions * int64_t{sizeof(int64_t)};
    ForEachRange(pool, state_, tiles, tile_bytes,
                 [this](int64_t begin, int64_t end) {
                   TileScratch scratch(tiling_);
                   for (int64_t tile = begin; tile < end; ++tile) {
                     // Lines lie one after the other: the first bad index is
                     // in this tile.  Columns do not.
                     if (!RunTile(tile, scratch) && tiling_.lines()) return;
                   }
                 });
  }

 private:
  int64_t bytes(int64_t elements) const {
    return elements * tiling_.element_bytes;
  }

  const std::byte* Source(int64_t element) const {
    return operands_.data == nullptr ? nullptr
                                     : operands_.data->bytes() + bytes(element);
  }
  std::byte* Output(int64_t element) {
    return output_.mutable_bytes() + bytes(element);
  }

  bool RunTile(int64_t tile, TileScratch& scratch) {
    if (!tiling_.lines()) return RunColumns(tile, scratch);
    const int64_t outer_begin = tile * tiling_.lines_in_tile();
    const int64_t outer_end =
        std::min(outer_begin + tiling_.lines_in_tile(), tiling_.outer);
    return ScatterLines(outer_begin, outer_end, scratch);
  }

  // --- Lines ---------------------------------------------------------------

  bool ScatterLines(int64_t outer_begin, int64_t outer_end,
                    TileScratch& scratch) {
    const int64_t first = outer_begin * tiling_.axis_size;
    const int64_t size = (outer_end - outer_begin) * tiling_.axis_size;
    Load(Source(first), 1, size, size, scratch.tile());
    const int64_t end = outer_end * tiling_.axis_positions;
    for (int64_t at = outer_begin * tiling_.axis_positions; at < end;) {
      if (state_.ShouldStop()) return false;
      const int64_t count = std::min(kBlock, end - at);
      int64_t* rows = scratch.rows();
      const int64_t bad =
          Flatten(plan_, *operands_.indices, at, at + count, rows);
      if (bad != kNoPosition) return Report(bad);
      for (int64_t i = 0; i < count; ++i) rows[i] -= first;
      Apply(
          operands_.updates->bytes() + bytes(at), count, scratch,
          {IndicesFrom(plan_, *operands_.indices, at + count), NextLines(at)});
      at += count;
    }
    Store(scratch.tile(), 1, size, size, Output(first));
    return true;
  }

  // The lines of the tile after this one, as far into them as `position` is
  // into this one.
  Upcoming NextLines(int64_t position) const {
    if (operands_.data == nullptr) return {};
    return LineAfter(plan_, operands_.data->bytes(),
                     std::min(position + (tiling_.lines_in_tile() - 1) *
                                             tiling_.axis_positions,
                              tiling_.outer * tiling_.axis_positions - 1));
  }

  // --- Columns -------------------------------------------------------------

  bool RunColumns(int64_t tile, TileScratch& scratch) {
    const int64_t outer = tile / tiling_.tiles_across();
    const int64_t column = tile % tiling_.tiles_across() * tiling_.width();
    const int64_t width = std::min(tiling_.width(), tiling_.inner - column);
    const int64_t first = outer * tiling_.axis_size * tiling_.inner + column;
    Load(Source(first), tiling_.axis_size, width, tiling_.inner,
         scratch.tile());
    const int64_t runs_in_block = kBlock / width;
    for (int64_t run = 0; run < tiling_.axis_positions;) {
      if (state_.ShouldStop()) return false;
      const int64_t runs =
          std::min(runs_in_block, tiling_.axis_positions - run);
      const int64_t at =
          (outer * tiling_.axis_positions + run) * tiling_.inner + column;
      if (!FlattenRuns(at, runs, width, scratch.rows())) return false;
      if (plan_.is_scatter) {
        Load(operands_.updates->bytes() + bytes(at), runs, width, tiling_.inner,
             scratch.block());
        Apply(scratch.block(), runs * width, scratch);
      } else {
        GatherBlock(at, runs, width, scratch);
      }
      run += runs;
    }
    if (plan_.is_scatter) {
      Store(scratch.tile(), tiling_.axis_size, width, tiling_.inner,
            Output(first));
    }
    return true;
  }

  // Rows in the tile for `runs` runs of `width` positions, the first at `at`.
  bool FlattenRuns(int64_t at, int64_t runs, int64_t width, int64_t* rows) {
    const bool narrow = operands_.indices->dtype() == DType::kInt32;
    const size_t index_bytes = narrow ? sizeof(int32_t) : sizeof(int64_t);
    const auto stride = static_cast<size_t>(tiling_.inner) * index_bytes;
    const std::byte* values =
        operands_.indices->bytes() + static_cast<size_t>(at) * index_bytes;
    const IndexAxis axis{tiling_.axis_size, width, 0};
    FlattenBlock block{
        .axes = &axis,
        .depth = 1,
        .from_end = plan_.options.negative_indices == NegativeIndices::kFromEnd,
        .count = width,
        .base = 0,
        .step = 1};
    for (int64_t run = 0; run < runs; ++run) {
      block.values = values;
      block.rows = rows + run * width;
      if (run + kRunsAhead < runs) {
        Prefetch(values + kRunsAhead * stride,
                 static_cast<size_t>(width) * index_bytes);
      }
      if (narrow ? kernels_.flatten_int32(block)
                 : kernels_.flatten_int64(block)) {
        const int64_t begin = at + run * tiling_.inner;
        return Report(Flatten(plan_, *operands_.indices, begin, begin + width,
                              block.rows));
      }
      values += stride;
    }
    return true;
  }

  static void Prefetch(const std::byte* run, size_t size) {
    for (size_t line = 0; line < size; line += 64) {
      __builtin_prefetch(run + line);
    }
  }

  void GatherBlock(int64_t at, int64_t runs, int64_t width,
                   TileScratch& scratch) {
    kernels_.copy_slices({.source = scratch.tile(),
                          .output = scratch.block(),
                          .rows = scratch.rows(),
                          .count = runs * width,
                          .slice_bytes = static_cast<size_t>(bytes(1)),
                          .fill = nullptr,
                          .fill_bytes = 0,
                          .streams = false,
                          .is_near = true});
    Store(scratch.block(), runs, width, tiling_.inner, Output(at));
  }

  // --- Both ----------------------------------------------------------------

  // Copies rows of `width` elements, `stride` apart, to where they are dense.
  void Load(const std::byte* source, int64_t rows, int64_t width,
            int64_t stride, std::byte* output) {
    const auto row_bytes = static_cast<size_t>(bytes(width));
    if (source == nullptr) {
      std::memset(output, 0, static_cast<size_t>(rows) * row_bytes);
      return;
    }
    kernels_.copy_rows({.source = source,
                        .source_stride = static_cast<size_t>(bytes(stride)),
                        .output = output,
                        .output_stride = row_bytes,
                        .row_bytes = row_bytes,
                        .num_rows = rows,
                        .streams = false});
  }

  // Copies dense rows to where they lie `stride` elements apart.
  void Store(const std::byte* source, int64_t rows, int64_t width,
             int64_t stride, std::byte* output) {
    const auto row_bytes = static_cast<size_t>(bytes(width));
    kernels_.copy_rows({.source = source,
                        .source_stride = row_bytes,
                        .output = output,
                        .output_stride = static_cast<size_t>(bytes(stride)),
                        .row_bytes = row_bytes,
                        .num_rows = rows,
                        .streams = streams_});
  }

  void Apply(const std::byte* updates, int64_t count, TileScratch& scratch,
             const Next& next = {}) {
    apply_({.output = scratch.tile(),
            .updates = updates,
            .rows = scratch.rows(),
            .positions = nullptr,
            .count = count,
            .slice_elements = 1,
            .column_begin = 0,
            .column_end = 1,
            .is_near = true,
            .next = next});
  }

  bool Report(int64_t position) {
    state_.ReportPosition(position);
    return false;
  }

  const Plan& plan_;
  const Tiling& tiling_;
  const PlanOperands& operands_;
  Tensor& output_;
  RunState& state_;
  const Kernels& kernels_;
  const bool streams_;
  UpdateKernel apply_ = nullptr;
};

}  // namespace

bool GatherByTiles(const Plan& plan, const PlanOperands& operands,
                   Tensor& output, ThreadPool& pool, RunState& state) {
  Tiling tiling;
  if (!MakeTiling(plan, operands.data->num_elements(), &tiling) ||
      tiling.lines()) {  // lines are read where they are
    return false;
  }
  TileRun(plan, tiling, operands, output, state).Run(pool);
  return true;
}

bool ScatterByTiles(const Plan& plan, const PlanOperands& operands,
                    Tensor& output, ThreadPool& pool, RunState& state) {
  Tiling tiling;
  if (plan.exclude_self || plan.reduction == Reduction::kMean ||
      plan.options.duplicates == Duplicates::kFirstWins ||
      !MakeTiling(plan, output.num_elements(), &tiling)) {
    return false;
  }
  const bool in_place =
      operands.data != nullptr && operands.data->bytes() == output.bytes();
  // One line, or lines in place, have nothing to gain.
  if (tiling.lines() && (in_place || tiling.num_tiles() == 1)) return false;
  TileRun(plan, tiling, operands, output, state).Run(pool);
  return true;
}

}  // namespace scatterd::cpu
