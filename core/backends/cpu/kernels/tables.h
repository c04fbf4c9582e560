// The parts of one instruction set's table.
//
// Included by the kernels' files only, which are compiled with SCATTERD_ISA
// defined as the name of their instruction set.

#ifndef SCATTERD_CORE_BACKENDS_CPU_KERNELS_TABLES_H_
#define SCATTERD_CORE_BACKENDS_CPU_KERNELS_TABLES_H_

#include "core/backends/cpu/kernels/kernels.h"

namespace scatterd::cpu::SCATTERD_ISA {

bool FlattenInt32(const FlattenBlock& block);
bool FlattenInt64(const FlattenBlock& block);
int64_t Select(const int64_t* rows, int64_t count, int64_t begin, int64_t end,
               int64_t* selected_rows, int64_t* selected);
void CopySlices(const CopyBlock& block);
void CopyRows(const CopyRowsBlock& block);
void Stream(std::byte* output, const std::byte* source, size_t bytes);
ReduceKernels GetReduceKernels(DType dtype, Reduction reduction, NanPolicy nan);
ReduceKernels GetComplexReduceKernels(DType dtype, Reduction reduction,
                                      NanPolicy nan);
AssignKernel GetAssignKernel(size_t slice_bytes);

const Kernels& Table();

}  // namespace scatterd::cpu::SCATTERD_ISA

#endif  // SCATTERD_CORE_BACKENDS_CPU_KERNELS_TABLES_H_
