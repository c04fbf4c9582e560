// The kernels that apply updates to complex numbers.  This file is compiled
// without AVX-512, whose vectors GCC multiplies complex numbers in with fused
// operations even under -ffp-contract=off; those have other bits.

#include "core/backends/cpu/kernels/reduce.h"

namespace scatterd::cpu::SCATTERD_ISA {

ReduceKernels GetComplexReduceKernels(DType dtype, Reduction reduction,
                                      NanPolicy nan) {
  return dtype == DType::kComplex64 ? KernelsFor<Complex64>(reduction, nan)
                                    : KernelsFor<Complex128>(reduction, nan);
}

}  // namespace scatterd::cpu::SCATTERD_ISA
