#include "tests/testing/reference_fold.h"

#include <cstring>
#include <string>
#include <type_traits>

#include "core/status_macros.h"
#include "tests/testing/half_oracle.h"
#include "tests/testing/reference_arithmetic.h"

namespace scatterd::test {
namespace {

// --- One position -----------------------------------------------------------

template <typename T>
T Meet(const FoldRule& rule, T current, T update) {
  if constexpr (!kIsComplex<T> && !std::is_same_v<T, Bool8>) {
    if (rule.reduction == Reduction::kMax ||
        rule.reduction == Reduction::kMin) {
      return Pick(rule.reduction, rule.nan, current, update);
    }
  }
  return Step(rule.reduction, current, update);
}

// `updates` in order, at least one.
template <typename T>
T FoldPosition(const FoldRule& rule, T self, const std::vector<T>& updates) {
  T current = rule.exclude_self ? Identity<T>(rule.reduction) : self;
  for (const T& update : updates) current = Meet(rule, current, update);
  if constexpr (!std::is_same_v<T, Bool8>) {
    if (rule.reduction == Reduction::kMean) {
      const int64_t count = updates.size() + (rule.exclude_self ? 0 : 1);
      return DivideByCount(current, count);
    }
  }
  return current;
}

// A half's updates in float, rounded once.
template <typename T>
T FoldWide(const FoldRule& rule, T self, const std::vector<T>& updates) {
  std::vector<float> wide;
  for (const T update : updates) {
    wide.push_back(static_cast<float>(ValueOf(update)));
  }
  return RoundTo<T>(
      FoldPosition(rule, static_cast<float>(ValueOf(self)), wide));
}

bool IsSelection(Reduction reduction) {
  return reduction == Reduction::kMax || reduction == Reduction::kMin;
}

template <typename T>
absl::Status CheckDivisors(const FoldRule& rule,
                           const std::vector<T>& updates) {
  if constexpr (std::is_integral_v<T>) {
    for (const T update : updates) {
      if (rule.reduction == Reduction::kDiv && update == 0) {
        return absl::InvalidArgumentError("integer division by zero");
      }
    }
  }
  return absl::OkStatus();
}

template <typename T>
absl::StatusOr<Tensor> FoldNumbers(const Tensor& data, const Tensor& updates,
                                   const Hits& hits, const FoldRule& rule) {
  const absl::Span<const T> start = data.values<T>();
  std::vector<T> result(start.begin(), start.end());
  for (const auto& [position, sources] : hits) {
    std::vector<T> meeting;
    for (const int64_t source : sources) {
      meeting.push_back(updates.values<T>()[source]);
    }
    SCATTERD_RETURN_IF_ERROR(CheckDivisors(rule, meeting));
    if constexpr (kIsHalf<T>) {
      if (rule.accumulation == Accumulation::kWide &&
          !IsSelection(rule.reduction)) {
        result[position] = FoldWide(rule, start[position], meeting);
        continue;
      }
    }
    result[position] = FoldPosition(rule, start[position], meeting);
  }
  return Tensor::FromValues<T>(data.shape(), result);
}

// --- Strings ----------------------------------------------------------------

std::string StringAt(const Tensor& tensor, int64_t position) {
  return std::string(tensor.values<StringRef>()[position].view());
}

bool BytesLess(const std::string& a, const std::string& b) {
  for (size_t i = 0; i < a.size() && i < b.size(); ++i) {
    const auto x = static_cast<unsigned char>(a[i]);
    const auto y = static_cast<unsigned char>(b[i]);
    if (x != y) return x < y;
  }
  return a.size() < b.size();
}

std::string MeetStrings(Reduction reduction, const std::string& current,
                        const std::string& update) {
  if (reduction == Reduction::kAdd) return current + update;
  const bool replaces = reduction == Reduction::kMax
                            ? BytesLess(current, update)
                            : BytesLess(update, current);
  return replaces ? update : current;
}

std::string FoldString(const FoldRule& rule, const std::string& self,
                       const std::vector<std::string>& updates) {
  std::string current = self;
  size_t first = 0;
  if (rule.exclude_self) {
    // ADD starts from "", which is what replacing by the first update gives.
    current = updates[first++];
  }
  for (size_t i = first; i < updates.size(); ++i) {
    current = MeetStrings(rule.reduction, current, updates[i]);
  }
  return current;
}

absl::StatusOr<Tensor> FoldStrings(const Tensor& data, const Tensor& updates,
                                   const Hits& hits, const FoldRule& rule) {
  std::vector<std::string> result;
  for (int64_t i = 0; i < data.num_elements(); ++i) {
    result.push_back(StringAt(data, i));
  }
  for (const auto& [position, sources] : hits) {
    std::vector<std::string> meeting;
    for (const int64_t source : sources) {
      meeting.push_back(StringAt(updates, source));
    }
    result[position] = FoldString(rule, result[position], meeting);
  }
  return Tensor::FromStrings(data.shape(), result);
}

// --- NONE: elements move ----------------------------------------------------

absl::StatusOr<Tensor> AssignHits(const Tensor& data, const Tensor& updates,
                                  const Hits& hits, Duplicates duplicates) {
  SCATTERD_ASSIGN_OR_RETURN(Tensor result, Tensor::Zeros(data.spec()));
  const size_t size = ElementSize(data.dtype());
  if (data.byte_size() != 0) {
    std::memcpy(result.mutable_bytes(), data.bytes(), data.byte_size());
  }
  for (const auto& [position, sources] : hits) {
    if (duplicates == Duplicates::kReject && sources.size() > 1) {
      return absl::InvalidArgumentError("duplicate indices");
    }
    const int64_t winner =
        duplicates == Duplicates::kFirstWins ? sources.front() : sources.back();
    std::memcpy(result.mutable_bytes() + position * size,
                updates.bytes() + winner * size, size);
  }
  result.ShareBlobs(data);
  result.ShareBlobs(updates);
  return result;
}

}  // namespace

absl::StatusOr<Tensor> FoldHits(const Tensor& data, const Tensor& updates,
                                const Hits& hits, const FoldRule& rule) {
  if (rule.reduction == Reduction::kNone) {
    return AssignHits(data, updates, hits, rule.duplicates);
  }
  if (KindOf(data.dtype()) == DTypeKind::kString) {
    return FoldStrings(data, updates, hits, rule);
  }
  switch (data.dtype()) {
#define FOLD_CASE(dtype, type) \
  case DType::dtype:           \
    return FoldNumbers<type>(data, updates, hits, rule)
    FOLD_CASE(kFloat, float);
    FOLD_CASE(kDouble, double);
    FOLD_CASE(kInt8, int8_t);
    FOLD_CASE(kInt16, int16_t);
    FOLD_CASE(kInt32, int32_t);
    FOLD_CASE(kInt64, int64_t);
    FOLD_CASE(kUInt8, uint8_t);
    FOLD_CASE(kUInt16, uint16_t);
    FOLD_CASE(kUInt32, uint32_t);
    FOLD_CASE(kUInt64, uint64_t);
    FOLD_CASE(kBool, Bool8);
    FOLD_CASE(kFloat16, Float16);
    FOLD_CASE(kBFloat16, BFloat16);
    FOLD_CASE(kComplex64, Complex64);
    FOLD_CASE(kComplex128, Complex128);
#undef FOLD_CASE
    default:
      return absl::InvalidArgumentError("this dtype has no arithmetic");
  }
}

}  // namespace scatterd::test
