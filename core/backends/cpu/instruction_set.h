// Which instructions the CPU backend's kernels use.

#ifndef SCATTERD_CORE_BACKENDS_CPU_INSTRUCTION_SET_H_
#define SCATTERD_CORE_BACKENDS_CPU_INSTRUCTION_SET_H_

#include "absl/status/status.h"

namespace scatterd {

// There are kernels for each (core/backends/cpu/kernels); all give the same
// bits.
enum class InstructionSet {
  kAuto,      // the best that this machine has
  kBaseline,  // what every processor of the architecture has
  kAvx2,      // x86-64 with AVX2, F16C and BMI
  kAvx512,    // the same and AVX-512 F, BW, CD, DQ and VL
};

// Uses `set` from the next run on; until the first call, kAuto.
// FAILED_PRECONDITION names the sets that there are if this machine or build
// has it not, and nothing changes.  Thread-safe.
absl::Status SelectInstructionSet(InstructionSet set);

// "baseline", "avx2" or "avx512": what is in use.
const char* InstructionSetInUse();

}  // namespace scatterd

#endif  // SCATTERD_CORE_BACKENDS_CPU_INSTRUCTION_SET_H_
