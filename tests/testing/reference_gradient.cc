#include "tests/testing/reference_gradient.h"

#include <algorithm>
#include <map>
#include <type_traits>
#include <vector>

#include "core/status_macros.h"
#include "tests/testing/reference_arithmetic.h"
#include "tests/testing/reference_ops.h"
#include "tests/testing/tensor_literals.h"

namespace scatterd::test {
namespace {

TensorSpec SpecOf(const Operand& operand) {
  if (const auto* zeros = std::get_if<ZerosSpec>(&operand)) return zeros->spec;
  return std::get<Tensor>(operand).spec();
}

Tensor ElementsOf(const Operand& operand) {
  if (const auto* zeros = std::get_if<ZerosSpec>(&operand)) {
    return ValueOrDie(Tensor::Zeros(zeros->spec));
  }
  return std::get<Tensor>(operand);
}

bool IsScatterCall(const OperatorCall& call) {
  return call.op == OperatorId::kScatterElements ||
         call.op == OperatorId::kScatterND;
}

// scatter_nd with empty tuples: each of a batch's tuples addresses all of the
// batch.
Tensor PartnersOfEmptyTuples(const OperatorCall& call) {
  const Shape data = SpecOf(call.data).shape;
  const Shape updates = SpecOf(call.updates).shape;
  const auto b = static_cast<int>(call.attributes.batch_dims);
  const int64_t slice = Product(data.dims(b, data.rank()));
  const int64_t per_batch = Product(updates.dims(b, updates.rank()));
  std::vector<int64_t> partners(updates.num_elements());
  for (size_t i = 0; i < partners.size(); ++i) {
    const auto at = static_cast<int64_t>(i);
    partners[i] = at / per_batch * slice + at % slice;
  }
  return Indices(updates, partners);
}

// --- Arithmetic in the type that gradients are computed in ------------------

template <typename T>
using Computed = std::conditional_t<kIsHalf<T>, float, T>;

template <typename T>
Computed<T> Load(T value) {
  if constexpr (kIsHalf<T>) {
    return static_cast<float>(ValueOf(value));
  } else {
    return value;
  }
}

template <typename T>
T Store(Computed<T> value) {
  if constexpr (kIsHalf<T>) {
    return RoundTo<T>(value);
  } else {
    return value;
  }
}

template <typename W>
W Conjugated(W value) {
  if constexpr (kIsComplex<W>) {
    return {value.re, -value.im};
  } else {
    return value;
  }
}

template <typename W>
W Times(W a, W b) {
  return Step(Reduction::kMul, a, b);
}

template <typename W>
W Negated(W value) {
  if constexpr (kIsComplex<W>) {
    return {Canonical(-value.re), Canonical(-value.im)};
  } else {
    return Canonical(-value);
  }
}

template <typename W>
W TimesReal(W value, double scale) {
  if constexpr (kIsComplex<W>) {
    return {TimesReal(value.re, scale), TimesReal(value.im, scale)};
  } else {
    return Canonical(value * static_cast<W>(scale));
  }
}

template <typename T>
T Scaled(T value, double scale) {
  if (scale == 1) return value;
  if (scale == 0) return T{};
  return Store<T>(TimesReal(Load(value), scale));
}

// The same of a result that is not rounded yet.
template <typename T>
T RoundScaled(Computed<T> value, double scale) {
  if (scale == 1) return Store<T>(value);
  if (scale == 0) return T{};
  return Store<T>(TimesReal(value, scale));
}

// --- One destination --------------------------------------------------------

// An element of data that updates meet, and its gradients.
template <typename T>
struct Meeting {
  T data;
  T grad;
  std::vector<T> updates;
  T grad_data{};
  std::vector<T> grad_updates;
};

struct Rule {
  Reduction reduction;
  bool exclude_self;
  Duplicates duplicates;
  NanPolicy nan;
  Receivers receivers;
  double scale;
};

template <typename T>
void DifferentiateNone(const Rule& rule, Meeting<T>& meeting) {
  const size_t n = meeting.updates.size();
  const size_t winner = rule.duplicates == Duplicates::kFirstWins ? 0 : n - 1;
  for (size_t j = 0; j < n; ++j) {
    const bool receives =
        rule.receivers == Receivers::kAllDuplicates || j == winner;
    meeting.grad_updates[j] = Scaled(receives ? meeting.grad : T{}, rule.scale);
  }
  meeting.grad_data = Scaled(T{}, rule.scale);
}

template <typename T>
void DifferentiateSum(const Rule& rule, Meeting<T>& meeting) {
  for (T& grad : meeting.grad_updates) {
    grad = rule.reduction == Reduction::kAdd
               ? Scaled(meeting.grad, rule.scale)
               : RoundScaled<T>(Negated(Load(meeting.grad)), rule.scale);
  }
  meeting.grad_data =
      Scaled(rule.exclude_self ? T{} : meeting.grad, rule.scale);
}

template <typename T>
void DifferentiateMean(const Rule& rule, Meeting<T>& meeting) {
  const auto n = static_cast<int64_t>(meeting.updates.size()) +
                 (rule.exclude_self ? 0 : 1);
  const T share =
      RoundScaled<T>(DivideByCount(Load(meeting.grad), n), rule.scale);
  for (T& grad : meeting.grad_updates) grad = share;
  meeting.grad_data = rule.exclude_self ? Scaled(T{}, rule.scale) : share;
}

template <typename T>
void DifferentiateProduct(const Rule& rule, Meeting<T>& meeting) {
  using W = Computed<T>;
  const W one = FromInteger<W>(1);
  const size_t n = meeting.updates.size();
  const auto behind = [&](size_t j) {
    W product = one;
    for (size_t i = n; i-- > j;) {
      product = Times(Load(meeting.updates[i]), product);
    }
    return product;
  };
  const auto before = [&](size_t j) {
    W product = rule.exclude_self ? one : Load(meeting.data);
    for (size_t i = 0; i < j; ++i) {
      product = Times(product, Load(meeting.updates[i]));
    }
    return product;
  };
  const W grad = Load(meeting.grad);
  for (size_t j = 0; j < n; ++j) {
    const W others = Times(before(j), behind(j + 1));
    meeting.grad_updates[j] =
        RoundScaled<T>(Times(grad, Conjugated(others)), rule.scale);
  }
  meeting.grad_data =
      rule.exclude_self
          ? Scaled(T{}, rule.scale)
          : RoundScaled<T>(Times(grad, Conjugated(behind(0))), rule.scale);
}

template <typename T>
void DifferentiateQuotient(const Rule& rule, Meeting<T>& meeting) {
  using W = Computed<T>;
  const W one = FromInteger<W>(1);
  W divisor = one;
  W output = rule.exclude_self ? one : Load(meeting.data);
  for (const T update : meeting.updates) {
    divisor = Times(divisor, Load(update));
    output = Step(Reduction::kDiv, output, Load(update));
  }
  const W grad = Load(meeting.grad);
  for (size_t j = 0; j < meeting.updates.size(); ++j) {
    const W ratio = Step(Reduction::kDiv, output, Load(meeting.updates[j]));
    meeting.grad_updates[j] =
        RoundScaled<T>(Negated(Times(grad, Conjugated(ratio))), rule.scale);
  }
  meeting.grad_data =
      rule.exclude_self
          ? Scaled(T{}, rule.scale)
          : RoundScaled<T>(Step(Reduction::kDiv, grad, Conjugated(divisor)),
                           rule.scale);
}

template <typename T>
void DifferentiateSelection(const Rule& rule, Meeting<T>& meeting) {
  T output = rule.exclude_self ? Identity<T>(rule.reduction) : meeting.data;
  for (const T update : meeting.updates) {
    output = Pick(rule.reduction, rule.nan, output, update);
  }
  const double selected = RealValue(output);
  const bool is_nan = std::isnan(selected);
  const auto ties = [&](T value) { return RealValue(value) == selected; };
  const bool data_ties = !rule.exclude_self && ties(meeting.data);
  const int64_t n =
      std::count_if(meeting.updates.begin(), meeting.updates.end(), ties) +
      data_ties;
  using W = Computed<T>;
  const W share = is_nan   ? Canonical(static_cast<W>(NAN))
                  : n == 0 ? W{}
                           : DivideByCount(Load(meeting.grad), n);
  const auto gradient = [&](bool selected_one) {
    return RoundScaled<T>(is_nan || selected_one ? share : W{}, rule.scale);
  };
  for (size_t j = 0; j < meeting.updates.size(); ++j) {
    meeting.grad_updates[j] = gradient(ties(meeting.updates[j]));
  }
  meeting.grad_data =
      rule.exclude_self ? Scaled(T{}, rule.scale) : gradient(data_ties);
}

template <typename T>
void Differentiate(const Rule& rule, Meeting<T>& meeting) {
  meeting.grad_updates.resize(meeting.updates.size());
  switch (rule.reduction) {
    case Reduction::kNone:
      return DifferentiateNone(rule, meeting);
    case Reduction::kAdd:
    case Reduction::kSub:
      return DifferentiateSum(rule, meeting);
    case Reduction::kMean:
      return DifferentiateMean(rule, meeting);
    case Reduction::kMul:
      return DifferentiateProduct(rule, meeting);
    case Reduction::kDiv:
      return DifferentiateQuotient(rule, meeting);
    default:
      if constexpr (!kIsComplex<T>) DifferentiateSelection(rule, meeting);
  }
}

// --- The call ---------------------------------------------------------------

template <typename T>
GradientResult OfScatter(const GradientCall& call, const Rule& rule) {
  const Tensor data = ElementsOf(call.forward.data);
  const Tensor updates = ElementsOf(call.forward.updates);
  const Tensor grad = ElementsOf(call.grad_output);
  const Tensor partners = PartnersOf(call.forward);
  std::map<int64_t, std::vector<int64_t>> hits;
  for (int64_t j = 0; j < partners.num_elements(); ++j) {
    const int64_t p = partners.values<int64_t>()[j];
    if (p >= 0) hits[p].push_back(j);
  }
  std::vector<T> grad_data(data.num_elements());
  for (size_t p = 0; p < grad_data.size(); ++p) {
    grad_data[p] = Scaled(grad.values<T>()[p], rule.scale);
  }
  std::vector<T> grad_updates(updates.num_elements(), Scaled(T{}, rule.scale));
  for (const auto& [p, positions] : hits) {
    Meeting<T> meeting{data.values<T>()[p], grad.values<T>()[p], {}, {}, {}};
    for (const int64_t j : positions) {
      meeting.updates.push_back(updates.values<T>()[j]);
    }
    Differentiate(rule, meeting);
    grad_data[p] = meeting.grad_data;
    for (size_t i = 0; i < positions.size(); ++i) {
      grad_updates[positions[i]] = meeting.grad_updates[i];
    }
  }
  GradientResult result;
  result.grad_data = TensorOf<T>(data.shape(), grad_data);
  result.grad_updates = TensorOf<T>(updates.shape(), grad_updates);
  return result;
}

// Sums from zero, in row-major order.
template <typename T>
GradientResult OfGather(const GradientCall& call, double scale) {
  const Shape shape = SpecOf(call.forward.data).shape;
  const Tensor grad = ElementsOf(call.grad_output);
  const Tensor partners = PartnersOf(call.forward);
  const bool wide = call.forward.options.accumulation == Accumulation::kWide;
  std::vector<T> native(shape.num_elements());
  std::vector<Computed<T>> exact(shape.num_elements());
  for (int64_t j = 0; j < partners.num_elements(); ++j) {
    const int64_t p = partners.values<int64_t>()[j];
    if (p < 0) continue;
    const T term = grad.values<T>()[j];
    native[p] = Step(Reduction::kAdd, native[p], term);
    exact[p] = Step(Reduction::kAdd, exact[p], Load(term));
  }
  for (size_t p = 0; p < native.size(); ++p) {
    native[p] = Scaled(wide ? Store<T>(exact[p]) : native[p], scale);
  }
  GradientResult result;
  result.grad_data = TensorOf<T>(shape, native);
  return result;
}

template <typename T>
GradientResult OfCall(const GradientCall& call, Receivers receivers) {
  const OperatorCall& forward = call.forward;
  const double scale = call.scale.value_or(1);
  if (!IsScatterCall(forward)) return OfGather<T>(call, scale);
  return OfScatter<T>(
      call,
      {forward.attributes.reduction, forward.attributes.exclude_self,
       forward.options.duplicates.value_or(Duplicates::kLastWins),
       forward.options.nan.value_or(NanPolicy::kPropagate), receivers, scale});
}

}  // namespace

Tensor PartnersOf(const OperatorCall& forward) {
  OperatorCall gather = forward;
  gather.op = forward.op == OperatorId::kScatterElements
                  ? OperatorId::kGatherElements
              : forward.op == OperatorId::kScatterND ? OperatorId::kGatherND
                                                     : forward.op;
  const Shape indices = SpecOf(forward.indices).shape;
  if (forward.op == OperatorId::kScatterND &&
      indices[indices.rank() - 1] == 0) {
    return PartnersOfEmptyTuples(forward);
  }
  gather.data = Iota<int64_t>(SpecOf(forward.data).shape);
  gather.updates = std::monostate();
  gather.options.fill_value = Indices({}, {-1});
  return ValueOrDie(ReferenceCall(gather));
}

absl::StatusOr<GradientResult> ReferenceGradient(const GradientCall& call,
                                                 Receivers receivers) {
  SCATTERD_ASSIGN_OR_RETURN(const Tensor output, ReferenceCall(call.forward));
  const Reduction reduction = call.forward.attributes.reduction;
  const bool is_complex = KindOf(output.dtype()) == DTypeKind::kComplex;
  if (is_complex &&
      (reduction == Reduction::kMax || reduction == Reduction::kMin)) {
    return absl::InvalidArgumentError("complex numbers are not ordered");
  }
  if (SpecOf(call.grad_output) != output.spec()) {
    return absl::InvalidArgumentError("grad_output is not like the output");
  }
  switch (output.dtype()) {
    case DType::kFloat:
      return OfCall<float>(call, receivers);
    case DType::kDouble:
      return OfCall<double>(call, receivers);
    case DType::kFloat16:
      return OfCall<Float16>(call, receivers);
    case DType::kBFloat16:
      return OfCall<BFloat16>(call, receivers);
    case DType::kComplex64:
      return OfCall<Complex64>(call, receivers);
    case DType::kComplex128:
      return OfCall<Complex128>(call, receivers);
    default:
      return absl::InvalidArgumentError("the dtype has no gradient");
  }
}

}  // namespace scatterd::test
