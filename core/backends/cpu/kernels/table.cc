#include "core/backends/cpu/kernels/tables.h"

#define SCATTERD_QUOTE_NAME(name) #name
#define SCATTERD_QUOTE(macro) SCATTERD_QUOTE_NAME(macro)

namespace scatterd::cpu::SCATTERD_ISA {

const Kernels& Table() {
  static constexpr Kernels kTable = {
      .isa = SCATTERD_QUOTE(SCATTERD_ISA),
      .flatten_int32 = &FlattenInt32,
      .flatten_int64 = &FlattenInt64,
      .select = &Select,
      .copy_slices = &CopySlices,
      .copy_rows = &CopyRows,
      .stream = &Stream,
      .reduce = &GetReduceKernels,
      .assign = &GetAssignKernel,
  };
  return kTable;
}

}  // namespace scatterd::cpu::SCATTERD_ISA
