#include "core/dialect.h"

#include <limits>

#include "core/arithmetic.h"

namespace scatterd {
namespace {

struct Row {
  Dialect dialect;
  OperatorId op;
  ResolvedOptions defaults;
};

constexpr Row kRows[] = {
#define SCATTERD_DIALECT(dialect, op, negative, bounds, fill_rule, dup, accu, \
                         shape_rule, empty, vector, batch, order, grad)       \
  {Dialect::dialect,                                                          \
   OperatorId::op,                                                            \
   {.out_of_bounds = OutOfBounds::bounds,                                     \
    .negative_indices = NegativeIndices::negative,                            \
    .duplicates = Duplicates::dup,                                            \
    .accumulation = Accumulation::accu,                                       \
    .fill = FillRule::fill_rule,                                              \
    .shapes = ShapeRule::shape_rule,                                          \
    .empty_tuple = EmptyTuple::empty,                                         \
    .index_vector = IndexVector::vector,                                      \
    .negative_batch_dims = NegativeBatchDims::batch,                          \
    .complex_order = ComplexOrder::order,                                     \
    .duplicate_gradient = DuplicateGradient::grad}},
#include "core/dialects.inc"
};

ResolvedOptions DefaultsOf(Dialect dialect, OperatorId op) {
  for (const Row& row : kRows) {
    if (row.dialect == dialect && row.op == op) return row.defaults;
  }
  return {};
}

template <typename T>
std::optional<Tensor> Scalar(DType dtype, T value) {
  absl::StatusOr<Tensor> tensor =
      Tensor::CopyFrom({dtype, Shape()}, &value, sizeof(value));
  if (!tensor.ok()) return std::nullopt;
  return *std::move(tensor);
}

// NaN of the 8-bit floats.
uint8_t Float8Nan(DType dtype) {
  switch (dtype) {
    case DType::kFloat8E4M3FN:
      return 0x7f;
    case DType::kFloat8E5M2:
      return 0x7e;
    case DType::kFloat8E8M0:
      return 0xff;
    default:
      return 0x80;  // the FNUZ types
  }
}

// NaN; the lowest signed and the highest unsigned integer; true.
template <typename T>
std::optional<Tensor> Limit(DType dtype) {
  if constexpr (Floating<T>) {
    return Scalar(dtype, std::numeric_limits<T>::quiet_NaN());
  } else if constexpr (Half<T>) {
    return Scalar(dtype, RoundTo<T>(std::numeric_limits<float>::quiet_NaN()));
  } else if constexpr (Complex<T>) {
    return Scalar(dtype,
                  T{std::numeric_limits<decltype(T::re)>::quiet_NaN(), 0});
  } else if constexpr (std::same_as<T, Bool8>) {
    return Scalar(dtype, Bool8{1});
  } else if constexpr (std::same_as<T, StringRef>) {
    return std::nullopt;
  } else {
    return Scalar(dtype, std::is_signed_v<T> ? std::numeric_limits<T>::min()
                                             : std::numeric_limits<T>::max());
  }
}

}  // namespace

absl::string_view DialectName(Dialect dialect) {
  switch (dialect) {
    case Dialect::kOnnx:
      return "ONNX";
    case Dialect::kTensorflow:
      return "TENSORFLOW";
    case Dialect::kTensorflowGpu:
      return "TENSORFLOW_GPU";
    case Dialect::kMindspore:
      return "MINDSPORE";
    case Dialect::kPytorch:
      return "PYTORCH";
    case Dialect::kJax:
      return "JAX";
    case Dialect::kNumpy:
      return "NUMPY";
  }
  return "";
}

ResolvedOptions ResolveOptions(OperatorId id, const ExecutionOptions& options) {
  ResolvedOptions resolved =
      DefaultsOf(options.dialect.value_or(Dialect::kOnnx), id);
  const auto override_with = [](auto& value, const auto& set) {
    if (set) value = *set;
  };
  override_with(resolved.out_of_bounds, options.out_of_bounds);
  override_with(resolved.negative_indices, options.negative_indices);
  override_with(resolved.duplicates, options.duplicates);
  override_with(resolved.nan, options.nan);
  override_with(resolved.accumulation, options.accumulation);
  return resolved;
}

ExecutionOptions OverlayOptions(ExecutionOptions base,
                                const ExecutionOptions& over) {
  const auto overlay = [](auto& value, const auto& set) {
    if (set) value = set;
  };
  overlay(base.dialect, over.dialect);
  overlay(base.out_of_bounds, over.out_of_bounds);
  overlay(base.negative_indices, over.negative_indices);
  overlay(base.duplicates, over.duplicates);
  overlay(base.nan, over.nan);
  overlay(base.accumulation, over.accumulation);
  overlay(base.fill_value, over.fill_value);
  if (!over.device.empty()) base.device = over.device;
  if (!over.idempotency_key.empty()) {
    base.idempotency_key = over.idempotency_key;
  }
  return base;
}

std::optional<Tensor> DefaultFill(FillRule rule, DType dtype) {
  if (rule == FillRule::kZero) return std::nullopt;
  if (KindOf(dtype) == DTypeKind::kOpaque) {
    return Scalar(dtype, Float8Nan(dtype));
  }
  switch (dtype) {
#define SCATTERD_DTYPE(name, onnx, number, lower, storage, kind) \
  case DType::name:                                              \
    return Limit<storage>(dtype);
#include "core/dtypes.inc"
    case DType::kUnspecified:
      break;
  }
  return std::nullopt;
}

}  // namespace scatterd
