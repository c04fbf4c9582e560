#include "core/dialect.h"

namespace scatterd {
namespace {

struct Row {
  Dialect dialect;
  OperatorId op;
  ResolvedOptions defaults;
};

constexpr Row kRows[] = {
#define SCATTERD_DIALECT(dialect, op, negative, bounds, fill_rule, dup, \
                         shape_rule, empty, vector, batch, order, grad) \
  {Dialect::dialect,                                                    \
   OperatorId::op,                                                      \
   {.out_of_bounds = OutOfBounds::bounds,                               \
    .negative_indices = NegativeIndices::negative,                      \
    .duplicates = Duplicates::dup,                                      \
    .fill = FillRule::fill_rule,                                        \
    .shapes = ShapeRule::shape_rule,                                    \
    .empty_tuple = EmptyTuple::empty,                                   \
    .index_vector = IndexVector::vector,                                \
    .negative_batch_dims = NegativeBatchDims::batch,                    \
    .complex_order = ComplexOrder::order,                               \
    .duplicate_gradient = DuplicateGradient::grad}},
#include "core/dialects.inc"
};

ResolvedOptions DefaultsOf(Dialect dialect, OperatorId op) {
  for (const Row& row : kRows) {
    if (row.dialect == dialect && row.op == op) return row.defaults;
  }
  return {};
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

}  // namespace scatterd
