#include "core/backends/cpu/gradient_kernels.h"

#include <vector>

#include "core/arithmetic.h"

namespace scatterd::cpu {
namespace {

// --- Numbers to compute with: halves become floats -------------------------

template <typename T>
auto Widen(T value) {
  if constexpr (Half<T>) {
    return ToFloat(value);
  } else {
    return value;
  }
}

template <typename T>
using Wide = decltype(Widen(T{}));

template <typename T>
T Narrow(Wide<T> value) {
  if constexpr (Half<T>) {
    return RoundTo<T>(value);
  } else {
    return value;
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
  return SubOp::Apply(W{}, value);
}

// scale * value; exact zero for scale 0.
template <typename W>
W Scaled(W value, double scale) {
  if (scale == 1) return value;
  if (scale == 0) return W{};
  if constexpr (Complex<W>) {
    return {Scaled(value.re, scale), Scaled(value.im, scale)};
  } else {
    return MulOp::Apply(value, static_cast<W>(scale));
  }
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

template <typename W>
void SumFormula(Column<W>& column) {
  const bool subtracts = column.plan.reduction == Reduction::kSub;
  if (column.with_data()) column.grad_data = column.grad;
  for (W& grad : column.grad_updates) {
    grad = subtracts ? Negate(column.grad) : column.grad;
  }
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

template <typename T, void (*kFormula)(Column<Wide<T>>&)>
void Differentiate(const Plan& forward, const GradientArguments& arguments,
                   absl::Span<const RowUpdate> group) {
  using W = Wide<T>;
  const auto at = [columns = arguments.columns](auto* base, int64_t row) {
    return base + row * columns;
  };
  const auto* data = reinterpret_cast<const T*>(arguments.data);
  const auto* updates = reinterpret_cast<const T*>(arguments.updates);
  const auto* grad_output = reinterpret_cast<const T*>(arguments.grad_output);
  auto* grad_data = reinterpret_cast<T*>(arguments.grad_data);
  auto* grad_updates = reinterpret_cast<T*>(arguments.grad_updates);
  const int64_t row = group.front().row;
  std::vector<W> values(group.size());
  std::vector<W> grads(group.size());
  for (int64_t c = 0; c < arguments.columns; ++c) {
    for (size_t i = 0; updates != nullptr && i < group.size(); ++i) {
      values[i] = Widen(at(updates, group[i].position)[c]);
    }
    Column<W> column{.plan = forward,
                     .data = data == nullptr ? W{} : Widen(at(data, row)[c]),
                     .grad = Widen(at(grad_output, row)[c]),
                     .updates = values,
                     .grad_updates = grads};
    kFormula(column);
    at(grad_data, row)[c] =
        Narrow<T>(Scaled(column.grad_data, arguments.scale));
    for (size_t i = 0; i < group.size(); ++i) {
      at(grad_updates, group[i].position)[c] =
          Narrow<T>(Scaled(grads[i], arguments.scale));
    }
  }
}

template <typename T>
GradientKernel KernelFor(Reduction reduction, bool ignore_nan) {
  using W = Wide<T>;
  switch (reduction) {
    case Reduction::kNone:
      return &Differentiate<T, NoneFormula<W>>;
    case Reduction::kAdd:
    case Reduction::kSub:
      return &Differentiate<T, SumFormula<W>>;
    case Reduction::kMean:
      return &Differentiate<T, MeanFormula<W>>;
    case Reduction::kMul:
      return &Differentiate<T, MulFormula<W>>;
    case Reduction::kDiv:
      return &Differentiate<T, DivFormula<W>>;
    case Reduction::kMax:
    case Reduction::kMin:
      break;
  }
  if constexpr (Complex<T>) {
    return nullptr;  // planning refuses it
  } else if (reduction == Reduction::kMax) {
    return ignore_nan ? &Differentiate<T, SelectFormula<MaxOp<true>, W>>
                      : &Differentiate<T, SelectFormula<MaxOp<false>, W>>;
  } else {
    return ignore_nan ? &Differentiate<T, SelectFormula<MinOp<true>, W>>
                      : &Differentiate<T, SelectFormula<MinOp<false>, W>>;
  }
}

template <typename T>
void Scale(std::byte* elements, int64_t n, double scale) {
  T* values = reinterpret_cast<T*>(elements);
  for (int64_t i = 0; i < n; ++i) {
    values[i] = Narrow<T>(Scaled(Widen(values[i]), scale));
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
