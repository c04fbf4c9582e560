#include "core/backends/cpu/gradient_kernels.h"

#include <type_traits>
#include <vector>

#include "core/arithmetic.h"

namespace scatterd::cpu {
namespace {

// --- Numbers to compute with: halves become floats -------------------------

template <typename T>
using Wide = std::conditional_t<Half<T>, float, T>;

template <typename To, typename From>
To Convert(From value) {
  if constexpr (std::same_as<To, From>) {
    return value;
  } else if constexpr (Half<From>) {
    return ToFloat(value);
  } else {
    return RoundTo<To>(value);
  }
}

template <typename W>
W One() {
  return Identity<MulOp, W>();
}

template <typename W>
W Conjugate(W value) {
  if constexpr (Complex<W>) {
    return {value.re, -value.im};
  } else {
    return value;
  }
}

template <typename W>
W Negate(W value) {
  if constexpr (Complex<W>) {
    return {Negate(value.re), Negate(value.im)};
  } else {
    return CanonicalNan(-value);
  }
}

template <typename W>
W Times(W value, double scale) {
  if constexpr (Complex<W>) {
    return {Times(value.re, scale), Times(value.im, scale)};
  } else {
    return MulOp::Apply(value, static_cast<W>(scale));
  }
}

// scale * value: exact zero for scale 0, the value's own bits for scale 1.
template <typename T, typename W>
T Scaled(W value, double scale) {
  if (scale == 1) return Convert<T>(value);
  if (scale == 0) return T{};
  return Convert<T>(Times(Convert<Wide<T>>(value), scale));
}

// --- One column of a group -------------------------------------------------

// What a formula sees: the operands of one destination element.
template <typename W>
struct Column {
  const Plan& plan;
  W data;
  W grad;
  const std::vector<W>& updates;
  // Results.
  W grad_data{};
  std::vector<W>& grad_updates;

  size_t size() const { return updates.size(); }
  bool with_data() const { return !plan.exclude_self; }
};

// One update got through, the last or the first; some dialects credit all.
template <typename W>
void NoneFormula(Column<W>& column) {
  if (column.plan.options.duplicate_gradient == DuplicateGradient::kAll) {
    for (W& grad : column.grad_updates) grad = column.grad;
    return;
  }
  const bool first = column.plan.options.duplicates == Duplicates::kFirstWins;
  for (W& grad : column.grad_updates) grad = W{};
  column.grad_updates[first ? 0 : column.size() - 1] = column.grad;
}

// ADD and SUB are grouped only under exclude_self: data receives nothing.
template <typename W>
void AddFormula(Column<W>& column) {
  for (W& grad : column.grad_updates) grad = column.grad;
}

template <typename W>
void SubFormula(Column<W>& column) {
  for (W& grad : column.grad_updates) grad = Negate(column.grad);
}

template <typename W>
void MeanFormula(Column<W>& column) {
  const auto count =
      static_cast<int64_t>(column.size()) + (column.with_data() ? 1 : 0);
  const W share = MeanOf(column.grad, count);
  if (column.with_data()) column.grad_data = share;
  for (W& grad : column.grad_updates) grad = share;
}

template <typename W>
void MulFormula(Column<W>& column) {
  // grad_updates first holds the product of the updates behind each.
  W behind = One<W>();
  for (size_t i = column.size(); i-- > 0;) {
    column.grad_updates[i] = behind;
    behind = MulOp::Apply(column.updates[i], behind);
  }
  if (column.with_data()) {
    column.grad_data = MulOp::Apply(column.grad, Conjugate(behind));
  }
  W before = column.with_data() ? column.data : One<W>();
  for (size_t i = 0; i < column.size(); ++i) {
    const W others = MulOp::Apply(before, column.grad_updates[i]);
    column.grad_updates[i] = MulOp::Apply(column.grad, Conjugate(others));
    before = MulOp::Apply(before, column.updates[i]);
  }
}

template <typename W>
void DivFormula(Column<W>& column) {
  W product = One<W>();
  W output = column.with_data() ? column.data : One<W>();
  for (const W& update : column.updates) {
    product = MulOp::Apply(product, update);
    output = DivOp::Apply(output, update);
  }
  if (column.with_data()) {
    column.grad_data = DivOp::Apply(column.grad, Conjugate(product));
  }
  for (size_t i = 0; i < column.size(); ++i) {
    const W ratio = DivOp::Apply(output, column.updates[i]);
    column.grad_updates[i] =
        Negate(MulOp::Apply(column.grad, Conjugate(ratio)));
  }
}

template <typename Op, typename W>
void SelectFormula(Column<W>& column) {
  W output = column.with_data() ? column.data : Identity<Op, W>();
  for (const W& update : column.updates) output = Op::Apply(output, update);
  int64_t ties = column.with_data() && column.data == output ? 1 : 0;
  for (const W& update : column.updates) ties += update == output;
  // A NaN output equals nothing, and 0 / 0 is the NaN that is due.
  const bool is_nan = output != output;
  const W share = is_nan      ? std::numeric_limits<W>::quiet_NaN()
                  : ties == 0 ? W{}
                              : MeanOf(column.grad, ties);
  if (column.with_data() && (is_nan || column.data == output)) {
    column.grad_data = share;
  }
  for (size_t i = 0; i < column.size(); ++i) {
    const bool selected = is_nan || column.updates[i] == output;
    column.grad_updates[i] = selected ? share : W{};
  }
}

// --- Groups ----------------------------------------------------------------

// One row of the tensors; null where the tensor is not there.
template <typename T, typename Byte>
auto* RowOf(Byte* tensor, const GradientArguments& arguments, int64_t row) {
  using Element = std::conditional_t<std::is_const_v<Byte>, const T, T>;
  return tensor == nullptr
             ? nullptr
             : reinterpret_cast<Element*>(tensor) + row * arguments.columns;
}

// The updates of one row.  `values` and `grads` are scratch.
template <typename T, typename W, void (*kFormula)(Column<W>&)>
void DifferentiateRow(const Plan& forward, const GradientArguments& arguments,
                      absl::Span<const RowUpdate> group, std::vector<W>& values,
                      std::vector<W>& grads) {
  const int64_t row = group.front().row;
  const T* data = RowOf<T>(arguments.data, arguments, row);
  const T* grad_output = RowOf<T>(arguments.grad_output, arguments, row);
  T* grad_data = RowOf<T>(arguments.grad_data, arguments, row);
  values.assign(group.size(), W{});
  grads.assign(group.size(), W{});
  for (int64_t c = 0; c < arguments.columns; ++c) {
    for (size_t i = 0; arguments.updates != nullptr && i < group.size(); ++i) {
      values[i] = Convert<W>(
          RowOf<T>(arguments.updates, arguments, group[i].position)[c]);
    }
    Column<W> column{.plan = forward,
                     .data = data == nullptr ? W{} : Convert<W>(data[c]),
                     .grad = Convert<W>(grad_output[c]),
                     .updates = values,
                     .grad_updates = grads};
    kFormula(column);
    grad_data[c] = Scaled<T>(column.grad_data, arguments.scale);
    for (size_t i = 0; i < group.size(); ++i) {
      RowOf<T>(arguments.grad_updates, arguments, group[i].position)[c] =
          Scaled<T>(grads[i], arguments.scale);
    }
  }
}

// Elements are T; the formula computes in W.
template <typename T, typename W, void (*kFormula)(Column<W>&)>
void Differentiate(const Plan& forward, const GradientArguments& arguments,
                   absl::Span<const RowUpdate> updates) {
  std::vector<W> values;
  std::vector<W> grads;
  ForEachGroup(updates, nullptr, [&](absl::Span<const RowUpdate> group) {
    DifferentiateRow<T, W, kFormula>(forward, arguments, group, values, grads);
  });
}

template <typename T>
GradientKernel KernelFor(Reduction reduction, bool ignore_nan) {
  using W = Wide<T>;
  switch (reduction) {
    case Reduction::kNone:
      return &Differentiate<T, T, NoneFormula<T>>;  // moves, NaNs and all
    case Reduction::kAdd:
      return &Differentiate<T, T, AddFormula<T>>;
    case Reduction::kSub:
      return &Differentiate<T, W, SubFormula<W>>;
    case Reduction::kMean:
      return &Differentiate<T, W, MeanFormula<W>>;
    case Reduction::kMul:
      return &Differentiate<T, W, MulFormula<W>>;
    case Reduction::kDiv:
      return &Differentiate<T, W, DivFormula<W>>;
    case Reduction::kMax:
    case Reduction::kMin:
      break;
  }
  if constexpr (Complex<T>) {
    return nullptr;  // planning refuses it
  } else if (reduction == Reduction::kMax) {
    return ignore_nan ? &Differentiate<T, W, SelectFormula<MaxOp<true>, W>>
                      : &Differentiate<T, W, SelectFormula<MaxOp<false>, W>>;
  } else {
    return ignore_nan ? &Differentiate<T, W, SelectFormula<MinOp<true>, W>>
                      : &Differentiate<T, W, SelectFormula<MinOp<false>, W>>;
  }
}

template <typename T>
void Scale(std::byte* elements, int64_t n, double scale) {
  T* values = reinterpret_cast<T*>(elements);
  for (int64_t i = 0; i < n; ++i) {
    values[i] = Scaled<T>(values[i], scale);
  }
}

}  // namespace

GradientKernel GetGradientKernel(DType dtype, Reduction reduction,
                                 NanPolicy nan) {
  const bool ignore = nan == NanPolicy::kIgnore;
  switch (dtype) {
    case DType::kFloat:
      return KernelFor<float>(reduction, ignore);
    case DType::kDouble:
      return KernelFor<double>(reduction, ignore);
    case DType::kFloat16:
      return KernelFor<Float16>(reduction, ignore);
    case DType::kBFloat16:
      return KernelFor<BFloat16>(reduction, ignore);
    case DType::kComplex64:
      return KernelFor<Complex64>(reduction, ignore);
    case DType::kComplex128:
      return KernelFor<Complex128>(reduction, ignore);
    default:
      return nullptr;
  }
}

ScaleKernel GetScaleKernel(DType dtype) {
  switch (dtype) {
    case DType::kFloat:
      return &Scale<float>;
    case DType::kDouble:
      return &Scale<double>;
    case DType::kFloat16:
      return &Scale<Float16>;
    case DType::kBFloat16:
      return &Scale<BFloat16>;
    case DType::kComplex64:
      return &Scale<Complex64>;
    case DType::kComplex128:
      return &Scale<Complex128>;
    default:
      return nullptr;
  }
}

}  // namespace scatterd::cpu
