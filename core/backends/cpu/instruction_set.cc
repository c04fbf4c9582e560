#include "core/backends/cpu/instruction_set.h"

#if defined(SCATTERD_X86_KERNELS)
#include <cpuid.h>
#endif

#include <atomic>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "core/backends/cpu/kernels/kernels.h"

namespace scatterd {
namespace cpu {

#define SCATTERD_DECLARE_TABLE(name) \
  namespace name {                   \
  const Kernels& Table();            \
  }
SCATTERD_DECLARE_TABLE(baseline)
#if defined(SCATTERD_X86_KERNELS)
SCATTERD_DECLARE_TABLE(avx2)
SCATTERD_DECLARE_TABLE(avx512)
#endif
#undef SCATTERD_DECLARE_TABLE

namespace {

struct Table {
  InstructionSet set;
  const Kernels* kernels;
};

#if defined(SCATTERD_X86_KERNELS)
// Not every compiler's __builtin_cpu_supports knows it.  That AVX2 is there
// says that the operating system saves the registers.
bool HasF16c() {
  unsigned eax, ebx, ecx, edx;
  return __get_cpuid(1, &eax, &ebx, &ecx, &edx) != 0 && (ecx & bit_F16C) != 0;
}
#endif

// The tables that this machine can run, the best last.
std::vector<Table> SupportedTables() {
  std::vector<Table> tables = {{InstructionSet::kBaseline, &baseline::Table()}};
#if defined(SCATTERD_X86_KERNELS)
  if (!__builtin_cpu_supports("avx2") || !__builtin_cpu_supports("bmi") ||
      !__builtin_cpu_supports("bmi2") || !HasF16c()) {
    return tables;
  }
  tables.push_back({InstructionSet::kAvx2, &avx2::Table()});
  if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
      __builtin_cpu_supports("avx512cd") &&
      __builtin_cpu_supports("avx512dq") &&
      __builtin_cpu_supports("avx512vl")) {
    tables.push_back({InstructionSet::kAvx512, &avx512::Table()});
  }
#endif
  return tables;
}

std::atomic<const Kernels*>& InUse() {
  static std::atomic<const Kernels*> kernels{SupportedTables().back().kernels};
  return kernels;
}

}  // namespace

const Kernels& GetKernels() { return *InUse().load(std::memory_order_relaxed); }

}  // namespace cpu

absl::Status SelectInstructionSet(InstructionSet set) {
  const std::vector<cpu::Table> tables = cpu::SupportedTables();
  if (set == InstructionSet::kAuto) set = tables.back().set;
  std::string names;
  for (const cpu::Table& table : tables) {
    if (table.set == set) {
      cpu::InUse().store(table.kernels, std::memory_order_relaxed);
      return absl::OkStatus();
    }
    absl::StrAppend(&names, names.empty() ? "" : ", ", table.kernels->isa);
  }
  return absl::FailedPreconditionError(absl::StrCat(
      "this machine or build has no such instruction set (vs ", names, ")"));
}

const char* InstructionSetInUse() { return cpu::GetKernels().isa; }

}  // namespace scatterd
