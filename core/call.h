// One operator call: what the wire, the client and the dispatcher exchange.

#ifndef SCATTERD_CORE_CALL_H_
#define SCATTERD_CORE_CALL_H_

#include <cstdint>
#include <optional>
#include <string>
#include <variant>

#include "core/operator_id.h"
#include "core/options.h"
#include "core/tensor.h"

namespace scatterd {

// A tensor that lives in the server.
struct ResidentRef {
  std::string name;
  uint64_t if_version = 0;  // 0 = any
};

// A dense tensor in a shared-memory region.
struct SharedMemoryRef {
  std::string region;
  uint64_t offset = 0;
  uint64_t byte_size = 0;
  TensorSpec spec;
};

// A zero-filled tensor that never travels.
struct ZerosSpec {
  TensorSpec spec;
};

// Where an input comes from; monostate = the request does not have it.
using Operand = std::variant<std::monostate, Tensor, ResidentRef, ZerosSpec,
                             SharedMemoryRef>;

// Where a result goes when it does not travel.
struct ResidentTarget {
  std::string name;
  uint64_t if_version = 0;
  bool if_absent = false;
  bool return_tensor = false;
};

// monostate = inline in the response.
using OutputTarget =
    std::variant<std::monostate, ResidentTarget, SharedMemoryRef>;

// A request.  Owns its operands' elements (or borrows them from the caller,
// see Tensor::Borrow).
struct OperatorCall {
  OperatorId op = OperatorId::kGather;
  Operand data;
  Operand indices;
  Operand updates;  // scatters only
  OperatorAttributes attributes;
  ExecutionOptions options;
  OutputTarget output;
};

// A request for gradients.
struct GradientCall {
  OperatorCall forward;         // its `output` is not used
  Operand grad_output;          // the gradient of the forward call's output
  std::optional<double> scale;  // multiplies both gradients; absent: 1
  ExecutionOptions options;     // what is set wins over forward.options
};

// How a call went; times in nanoseconds.
struct ExecutionStats {
  uint64_t queue_ns = 0;    // waiting for a thread
  uint64_t compute_ns = 0;  // planning, allocating and running
  std::string device;       // "cpu"
  uint64_t bytes_read = 0;
  uint64_t bytes_written = 0;
};

// A reply.
struct OperatorResult {
  std::optional<Tensor> output;
  ExecutionStats stats;
};

struct GradientResult {
  Tensor grad_data;
  std::optional<Tensor> grad_updates;  // scatters only
  ExecutionStats stats;
};

}  // namespace scatterd

#endif  // SCATTERD_CORE_CALL_H_
