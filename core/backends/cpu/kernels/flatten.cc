// Index tuples to rows, with the range check folded in: no branch per index,
// so the compiler makes vectors of the loops.

#include "core/backends/cpu/kernels/tables.h"

namespace scatterd::cpu::SCATTERD_ISA {
namespace {

// One component.  Returns a negative number if it is out of range.
struct Axis {
  uint64_t last;  // size - 1
  int64_t from_end;
  int64_t stride;

  Axis(const IndexAxis& axis, bool wraps)
      : last(static_cast<uint64_t>(axis.size) - 1),
        from_end(wraps ? axis.size : 0),
        stride(axis.stride) {}

  // Adds the component's share to `row`.  The sign of what is returned says
  // whether it was out of range: of the value, or of its distance to the last.
  [[gnu::always_inline]] uint64_t Add(int64_t value, uint64_t* row) const {
    value += (value >> 63) & from_end;
    const auto at = static_cast<uint64_t>(value);
    *row += at * static_cast<uint64_t>(stride);
    return at | (last - at);
  }
};

bool IsNegative(uint64_t bits) { return (bits >> 63) != 0; }

template <typename Index>
bool Singles(const FlattenBlock& block) {
  const auto* values = static_cast<const Index*>(block.values);
  int64_t* rows = block.rows;
  const Axis axis(block.axes[0], block.from_end);
  const auto base = static_cast<uint64_t>(block.base);
  const auto step = static_cast<uint64_t>(block.step);
  uint64_t bad = 0;
  for (int64_t i = 0; i < block.count; ++i) {
    uint64_t row = base + static_cast<uint64_t>(i) * step;
    bad |= axis.Add(values[i], &row);
    rows[i] = static_cast<int64_t>(row);
  }
  return IsNegative(bad);
}

template <typename Index>
bool Pairs(const FlattenBlock& block) {
  const auto* values = static_cast<const Index*>(block.values);
  int64_t* rows = block.rows;
  const Axis first(block.axes[0], block.from_end);
  const Axis second(block.axes[1], block.from_end);
  uint64_t bad = 0;
  for (int64_t i = 0; i < block.count; ++i) {
    auto row = static_cast<uint64_t>(block.base);
    bad |= first.Add(values[2 * i], &row);
    bad |= second.Add(values[2 * i + 1], &row);
    rows[i] = static_cast<int64_t>(row);
  }
  return IsNegative(bad);
}

// One component after the other, for tuples of any other depth.
template <typename Index>
bool Tuples(const FlattenBlock& block) {
  for (int64_t i = 0; i < block.count; ++i) block.rows[i] = block.base;
  uint64_t bad = 0;
  for (int64_t c = 0; c < block.depth; ++c) {
    const auto* values = static_cast<const Index*>(block.values) + c;
    const Axis axis(block.axes[c], block.from_end);
    for (int64_t i = 0; i < block.count; ++i) {
      auto row = static_cast<uint64_t>(block.rows[i]);
      bad |= axis.Add(values[i * block.depth], &row);
      block.rows[i] = static_cast<int64_t>(row);
    }
  }
  return IsNegative(bad);
}

template <typename Index>
bool Flatten(const FlattenBlock& block) {
  switch (block.depth) {
    case 1:
      return Singles<Index>(block);
    case 2:
      return Pairs<Index>(block);
    default:
      return Tuples<Index>(block);
  }
}

}  // namespace

bool FlattenInt32(const FlattenBlock& block) { return Flatten<int32_t>(block); }
bool FlattenInt64(const FlattenBlock& block) { return Flatten<int64_t>(block); }

}  // namespace scatterd::cpu::SCATTERD_ISA
