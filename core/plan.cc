#include "core/plan.h"

namespace scatterd {
namespace {

int64_t Positions(const absl::InlinedVector<Extent, 4>& extents) {
  int64_t positions = 1;
  for (const Extent& extent : extents) positions *= extent.size;
  return positions;
}

}  // namespace

int64_t ElementAddressing::outer_positions() const { return Positions(outer); }

int64_t ElementAddressing::inner_positions() const { return Positions(inner); }

}  // namespace scatterd
