// The inner loops of the CPU backend, compiled once for every instruction set.
//
// A kernel works on one block: plain pointers and counts, one thread, no
// errors but a flag.  Who calls it has checked shapes and cut the work so that
// no two threads touch the same element.  GetKernels() returns the table for
// the best instruction set of this machine; all tables give the same bits.
//
// The files beside this one are compiled with more than the baseline's
// instructions (SCATTERD_ISA names the set), so they define nothing outside
// namespace scatterd::cpu::SCATTERD_ISA that another file could share:
// kernel_symbols_test looks.

#ifndef SCATTERD_CORE_BACKENDS_CPU_KERNELS_KERNELS_H_
#define SCATTERD_CORE_BACKENDS_CPU_KERNELS_KERNELS_H_

#include <cstddef>
#include <cstdint>

#include "core/dtype.h"
#include "core/options.h"
#include "core/plan.h"
#include "core/reduction.h"

namespace scatterd::cpu {

// --- Indices ---------------------------------------------------------------

// Index tuples of `depth` int32_t or int64_t components:
// rows[i] = base + i * step + sum over c of component(i, c) * axes[c].stride.
struct FlattenBlock {
  const void* values;
  const IndexAxis* axes;
  int64_t depth;
  bool from_end;  // a negative component counts from the end of its axis
  int64_t count;
  int64_t base;
  int64_t step;
  int64_t* rows;
};

// Returns whether a component was out of range; `rows` then holds no meaning.
using FlattenKernel = bool (*)(const FlattenBlock& block);

// Entries that a list needs beyond its last: vectors are stored whole.
inline constexpr int64_t kListSlack = 8;

// Lists the i in [0, count) with begin <= rows[i] < end, in order, and their
// rows.  Returns how many.
using SelectKernel = int64_t (*)(const int64_t* rows, int64_t count,
                                 int64_t begin, int64_t end,
                                 int64_t* selected_rows, int64_t* selected);

// Memory that will be read after the block at hand: its next bytes_each for
// each position of the block, in order.  A kernel fetches it little by little
// while it waits for other memory; alone, reading it would take as long.
struct Upcoming {
  const std::byte* memory = nullptr;
  int64_t bytes_each = 0;
};

// What the block after the one at hand will read.
struct Next {
  Upcoming indices;
  Upcoming data;
};

// --- Moves -----------------------------------------------------------------

// output[i] = source[rows[i]] for i in [0, count), slices of `slice_bytes`.
struct CopyBlock {
  const std::byte* source;
  std::byte* output;
  const int64_t* rows;
  int64_t count;
  size_t slice_bytes;
  // What a negative row receives, an element repeated along the slice; null:
  // no row is negative.
  const std::byte* fill;
  size_t fill_bytes;
  bool streams;  // the output is too large for a cache to keep
  // Whether `source` is in a cache, or will be, so that nothing needs to fetch
  // its slices.
  bool is_near = false;
  Next next;
};
using CopySlicesKernel = void (*)(const CopyBlock& block);

// num_rows rows of row_bytes, which lie source_stride and output_stride bytes
// apart.
struct CopyRowsBlock {
  const std::byte* source;
  size_t source_stride;
  std::byte* output;
  size_t output_stride;
  size_t row_bytes;
  int64_t num_rows;
  bool streams;
};
using CopyRowsKernel = void (*)(const CopyRowsBlock& block);

// Copies bytes past the caches; zeros if `source` is null.
using StreamKernel = void (*)(std::byte* output, const std::byte* source,
                              size_t bytes);

// --- Updates ---------------------------------------------------------------

// Updates to apply, in order: for i in [0, count), elements [column_begin,
// column_end) of slice p of `updates`, p being positions[i], meet those of
// slice rows[i] of `output`.
struct UpdateBlock {
  std::byte* output;
  const std::byte* updates;
  const int64_t* rows;       // none negative
  const int64_t* positions;  // parallel to rows; null: p is i
  int64_t count;
  int64_t slice_elements;
  int64_t column_begin;
  int64_t column_end;
  bool is_near = false;  // as in CopyBlock, for `output`
  Next next;

  int64_t columns() const { return column_end - column_begin; }
};
using UpdateKernel = void (*)(const UpdateBlock& block);

// Element functions of one (dtype, reduction).  `apply` performs the
// reduction's update; MEAN's is ADD, followed once by `divide`.
struct ReduceKernels {
  UpdateKernel apply = nullptr;
  // Sets the columns of rows[i], for all i, to the reduction's identity.
  UpdateKernel set_identity = nullptr;
  // Divides n elements by `count` (MEAN only).
  void (*divide)(std::byte* elements, int64_t n, int64_t count) = nullptr;
};

// NONE: the update's bytes replace the row's.  For slices of 1, 2, 4, 8 or 16
// bytes slice_elements is 1 element of that width; otherwise elements are
// bytes.
struct AssignKernel {
  UpdateKernel apply;
  int64_t slice_elements;  // for UpdateBlock
};

// --- The table -------------------------------------------------------------

struct Kernels {
  const char* isa;  // "baseline", "avx2", "avx512"
  FlattenKernel flatten_int32;
  FlattenKernel flatten_int64;
  SelectKernel select;
  CopySlicesKernel copy_slices;
  CopyRowsKernel copy_rows;
  StreamKernel stream;
  // Kernels for a pair that planning allows, NONE excepted; `apply` is null
  // for STRING ADD (grouped.h), `set_identity` for STRING.
  ReduceKernels (*reduce)(DType dtype, Reduction reduction, NanPolicy nan);
  AssignKernel (*assign)(size_t slice_bytes);
};

// The table in use: see core/backends/cpu/instruction_set.h.
const Kernels& GetKernels();

}  // namespace scatterd::cpu

#endif  // SCATTERD_CORE_BACKENDS_CPU_KERNELS_KERNELS_H_
