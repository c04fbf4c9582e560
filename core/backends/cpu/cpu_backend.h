// The CPU backend.

#ifndef SCATTERD_CORE_BACKENDS_CPU_CPU_BACKEND_H_
#define SCATTERD_CORE_BACKENDS_CPU_CPU_BACKEND_H_

#include <memory>

#include "core/backends/backend.h"

namespace scatterd {

// Holds no state; device() is "cpu".
std::unique_ptr<Backend> MakeCpuBackend();

}  // namespace scatterd

#endif  // SCATTERD_CORE_BACKENDS_CPU_CPU_BACKEND_H_
