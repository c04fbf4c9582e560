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

// --- What only a dialect decides ------------------------------------------

// What SKIP writes into a gather's output where the caller gives no value.
enum class FillRule {
  kZero,
  kLimit,  // NaN; the lowest signed and highest unsigned integer; true
};

// Which shapes of updates (and of gather_elements' operands off the axis) fit.
enum class ShapeRule {
  kExact,      // ONNX's shape
  kLeading,    // may be longer: only the leading corner is read
  kBroadcast,  // what broadcasts to ONNX's shape
};

// Index tuples of depth 0 in gather_nd and scatter_nd.
enum class EmptyTuple {
  kDefault,  // ONNX: gather_nd refuses them, for scatter_nd they are whole
  kRefuse,
  kWhole,  // the empty tuple addresses the whole (batch of the) tensor
};

// Indices of rank 1 in scatter_nd.
enum class IndexVector {
  kTuple,  // one tuple
  kRefuse,
};

// A negative batch_dims of gather.
enum class NegativeBatchDims {
  kRefuse,
  kFromEnd,  // counts from the rank of indices
};

// MAX and MIN of complex numbers.
enum class ComplexOrder {
  kRefuse,
  kLexicographic,  // real parts first, then imaginary parts
};

// Who receives gradient under reduction NONE.
enum class DuplicateGradient {
  kWinner,  // the update that stayed
  kAll,     // every update of the destination
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
  FillRule fill = FillRule::kZero;
  ShapeRule shapes = ShapeRule::kExact;
  EmptyTuple empty_tuple = EmptyTuple::kDefault;
  IndexVector index_vector = IndexVector::kTuple;
  NegativeBatchDims negative_batch_dims = NegativeBatchDims::kRefuse;
  ComplexOrder complex_order = ComplexOrder::kRefuse;
  DuplicateGradient duplicate_gradient = DuplicateGradient::kWinner;
};

}  // namespace scatterd

#endif  // SCATTERD_CORE_OPTIONS_H_
