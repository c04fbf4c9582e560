// The one place that knows both sides: the assertions below allow casts
// everywhere else.

#include "proto/enums.h"

#include "core/dtype.h"
#include "scatterd/v1/operators.pb.h"
#include "scatterd/v1/tensor.pb.h"

namespace scatterd::internal {
namespace {

template <typename Core, typename Wire>
constexpr bool Same(Core core, Wire wire) {
  return static_cast<int>(core) == static_cast<int>(wire);
}

#define SCATTERD_DTYPE(name, onnx, number, lower, storage, kind) \
  static_assert(Same(DType::name, v1::DATA_TYPE_##onnx));
#include "core/dtypes.inc"

#define SCATTERD_REDUCTION(name, upper, number, lower) \
  static_assert(Same(Reduction::name, v1::REDUCTION_##upper));
#include "core/reductions.inc"

static_assert(Same(Dialect::kOnnx, v1::DIALECT_ONNX));
static_assert(Same(Dialect::kTensorflow, v1::DIALECT_TENSORFLOW));
static_assert(Same(Dialect::kTensorflowGpu, v1::DIALECT_TENSORFLOW_GPU));
static_assert(Same(Dialect::kMindspore, v1::DIALECT_MINDSPORE));
static_assert(Same(Dialect::kPytorch, v1::DIALECT_PYTORCH));
static_assert(Same(Dialect::kJax, v1::DIALECT_JAX));
static_assert(Same(Dialect::kNumpy, v1::DIALECT_NUMPY));
static_assert(Same(OutOfBounds::kError, v1::OUT_OF_BOUNDS_ERROR));
static_assert(Same(OutOfBounds::kSkip, v1::OUT_OF_BOUNDS_SKIP));
static_assert(Same(OutOfBounds::kClamp, v1::OUT_OF_BOUNDS_CLAMP));
static_assert(Same(OutOfBounds::kWrap, v1::OUT_OF_BOUNDS_WRAP));
static_assert(Same(NegativeIndices::kFromEnd, v1::NEGATIVE_INDICES_FROM_END));
static_assert(Same(NegativeIndices::kOutOfBounds,
                   v1::NEGATIVE_INDICES_OUT_OF_BOUNDS));
static_assert(Same(Duplicates::kLastWins, v1::DUPLICATES_LAST_WINS));
static_assert(Same(Duplicates::kFirstWins, v1::DUPLICATES_FIRST_WINS));
static_assert(Same(Duplicates::kReject, v1::DUPLICATES_REJECT));
static_assert(Same(NanPolicy::kPropagate, v1::NAN_POLICY_PROPAGATE));
static_assert(Same(NanPolicy::kIgnore, v1::NAN_POLICY_IGNORE));
static_assert(Same(Accumulation::kNative, v1::ACCUMULATION_NATIVE));
static_assert(Same(Accumulation::kWide, v1::ACCUMULATION_WIDE));

// A value that only the wire has would pass EnumFromWire unnoticed.
static_assert(v1::Dialect_MAX == v1::DIALECT_NUMPY);
static_assert(v1::OutOfBounds_MAX == v1::OUT_OF_BOUNDS_WRAP);
static_assert(v1::NegativeIndices_MAX == v1::NEGATIVE_INDICES_OUT_OF_BOUNDS);
static_assert(v1::Duplicates_MAX == v1::DUPLICATES_REJECT);
static_assert(v1::NanPolicy_MAX == v1::NAN_POLICY_IGNORE);
static_assert(v1::Accumulation_MAX == v1::ACCUMULATION_WIDE);
static_assert(v1::Reduction_MAX == v1::REDUCTION_MEAN);
static_assert(v1::DataType_MAX == v1::DATA_TYPE_FLOAT8E8M0);

template <typename Enum>
std::optional<Enum> Convert(int number, bool is_valid) {
  if (number == 0 || !is_valid) return std::nullopt;
  return static_cast<Enum>(number);
}

}  // namespace

#define SCATTERD_WIRE_ENUM(Enum)                              \
  template <>                                                 \
  std::optional<Enum> EnumFromWire<Enum>(int number) {        \
    return Convert<Enum>(number, v1::Enum##_IsValid(number)); \
  }
SCATTERD_WIRE_ENUM(Dialect)
SCATTERD_WIRE_ENUM(OutOfBounds)
SCATTERD_WIRE_ENUM(NegativeIndices)
SCATTERD_WIRE_ENUM(Duplicates)
SCATTERD_WIRE_ENUM(NanPolicy)
SCATTERD_WIRE_ENUM(Accumulation)
SCATTERD_WIRE_ENUM(Reduction)
#undef SCATTERD_WIRE_ENUM

}  // namespace scatterd::internal
