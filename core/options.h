// What a caller may choose about an operator's edge semantics.
//
// Enumerator numbers are proto/scatterd/v1/operators.proto's; the first value
// of each is ONNX's behaviour and the default.

#ifndef SCATTERD_CORE_OPTIONS_H_
#define SCATTERD_CORE_OPTIONS_H_

#include <cstdint>
#include <optional>
#include <string>

#include "core/reduction.h"
#include "core/tensor.h"

namespace scatterd {

// Whose defaults apply to the options that are not set.
enum class Dialect : int32_t {
  kOnnx = 1,
  kTensorflow = 2,
  kTensorflowGpu = 3,
  kMindspore = 4,
  kPytorch = 5,
  kJax = 6,
  kNumpy = 7,
};

// What an index outside its axis does, after NegativeIndices was applied.
enum class OutOfBounds : int32_t {
  kError = 1,  // the call fails with OUT_OF_RANGE
  kSkip = 2,   // a scatter drops the update, a gather writes the fill value
  kClamp = 3,  // the nearest valid index, per component
  kWrap = 4,   // Euclidean modulo, per component
};

enum class NegativeIndices : int32_t {
  kFromEnd = 1,      // counts once from the end of the axis
  kOutOfBounds = 2,  // a negative index is out of bounds
};

// Which update stays where several meet under Reduction::kNone.  The order is
// the row-major order of `indices`.
enum class Duplicates : int32_t {
  kLastWins = 1,
  kFirstWins = 2,
  kReject = 3,  // the call fails with INVALID_ARGUMENT
};

// NaN under MAX and MIN.
enum class NanPolicy : int32_t {
  kPropagate = 1,
  kIgnore = 2,  // the other operand
};

// ADD, SUB, MUL, DIV and MEAN of FLOAT16 and BFLOAT16.
enum class Accumulation : int32_t {
  kNative = 1,  // rounds after every update
  kWide = 2,    // float, rounded once
};

// Attributes that ONNX gives the operators.  Each operator reads its own (see
// core/operator.h); the others keep their defaults.
struct OperatorAttributes {
  int64_t axis = 0;
  int64_t batch_dims = 0;
  Reduction reduction = Reduction::kNone;
  bool exclude_self = false;
};

// Options as a caller sends them: what is not set has the dialect's value.
struct ExecutionOptions {
  std::optional<Dialect> dialect;
  std::optional<OutOfBounds> out_of_bounds;
  std::optional<NegativeIndices> negative_indices;
  std::optional<Duplicates> duplicates;
  std::optional<NanPolicy> nan;
  std::optional<Accumulation> accumulation;
  std::optional<Tensor> fill_value;  // rank 0, dtype of data
  std::string device;                // "", "cpu", "cuda:0"
  std::string idempotency_key;
};

// Options with every value decided.
struct ResolvedOptions {
  OutOfBounds out_of_bounds = OutOfBounds::kError;
  NegativeIndices negative_indices = NegativeIndices::kFromEnd;
  Duplicates duplicates = Duplicates::kLastWins;
  NanPolicy nan = NanPolicy::kPropagate;
  Accumulation accumulation = Accumulation::kNative;
};

}  // namespace scatterd

#endif  // SCATTERD_CORE_OPTIONS_H_
