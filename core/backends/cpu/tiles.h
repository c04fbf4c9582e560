// gather_elements and scatter_elements tile by tile: a tile of data is copied
// to where a cache holds it, read or updated there, and an updated one goes to
// the output in whole lines.
//
// A tile is all of data that some positions can address: a few lines along the
// last axis, or a few neighbouring columns of one outer position.  No two
// tiles meet, so that each is one thread's and order needs no care.

#ifndef SCATTERD_CORE_BACKENDS_CPU_TILES_H_
#define SCATTERD_CORE_BACKENDS_CPU_TILES_H_

#include "core/backends/backend.h"
#include "core/backends/cpu/parallel.h"

namespace scatterd::cpu {

// Run a plan if its data falls into tiles and the positions are so many that
// moving every tile costs less than going to memory for each of them; else
// return false, with nothing done.  A bad index is reported to `state`.  A
// scatter must be one that can be applied update by update, without a look at
// all rows.
bool GatherByTiles(const Plan& plan, const PlanOperands& operands,
                   Tensor& output, ThreadPool& pool, RunState& state);
bool ScatterByTiles(const Plan& plan, const PlanOperands& operands,
                    Tensor& output, ThreadPool& pool, RunState& state);

}  // namespace scatterd::cpu

#endif  // SCATTERD_CORE_BACKENDS_CPU_TILES_H_
