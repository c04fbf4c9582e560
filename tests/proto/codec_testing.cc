#include "tests/proto/codec_testing.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <optional>
#include <variant>

#include "absl/strings/str_cat.h"
#include "tests/testing/tensor_matchers.h"

namespace scatterd::test {
namespace {

std::string SpecDifference(const TensorSpec& a, const TensorSpec& b) {
  return a == b ? "" : absl::StrCat(a.ToString(), " vs ", b.ToString());
}

// What differs between two sources of the same kind.
struct SourceDifference {
  std::string operator()(const std::monostate&, const std::monostate&) {
    return "";
  }
  std::string operator()(const Tensor& a, const Tensor& b) {
    if (a.name() != b.name()) return "name";
    return Difference(a, b);
  }
  std::string operator()(const ResidentRef& a, const ResidentRef& b) {
    return a.name == b.name && a.if_version == b.if_version ? "" : "resident";
  }
  std::string operator()(const ZerosSpec& a, const ZerosSpec& b) {
    return SpecDifference(a.spec, b.spec);
  }
  std::string operator()(const SharedMemoryRef& a, const SharedMemoryRef& b) {
    const bool same = a.region == b.region && a.offset == b.offset &&
                      a.byte_size == b.byte_size;
    return same ? SpecDifference(a.spec, b.spec) : "shared_memory";
  }
  std::string operator()(const ResidentTarget& a, const ResidentTarget& b) {
    const bool same = a.name == b.name && a.if_version == b.if_version &&
                      a.if_absent == b.if_absent &&
                      a.return_tensor == b.return_tensor;
    return same ? "" : "resident target";
  }
  template <typename A, typename B>
  std::string operator()(const A&, const B&) {
    return "kind";
  }
};

template <typename Variant>
std::string VariantDifference(absl::string_view name, const Variant& a,
                              const Variant& b) {
  const std::string difference = std::visit(SourceDifference(), a, b);
  return difference.empty() ? "" : absl::StrCat(name, ": ", difference, "\n");
}

template <typename T>
std::string ValueDifference(absl::string_view name, const T& a, const T& b) {
  return a == b ? "" : absl::StrCat(name, " differs\n");
}

Operand OperandOf(const std::optional<Tensor>& tensor) {
  return tensor ? Operand(*tensor) : Operand();
}

std::string OptionsDifference(const ExecutionOptions& a,
                              const ExecutionOptions& b) {
  return absl::StrCat(
      ValueDifference("dialect", a.dialect, b.dialect),
      ValueDifference("out_of_bounds", a.out_of_bounds, b.out_of_bounds),
      ValueDifference("negative_indices", a.negative_indices,
                      b.negative_indices),
      ValueDifference("duplicates", a.duplicates, b.duplicates),
      ValueDifference("nan", a.nan, b.nan),
      ValueDifference("accumulation", a.accumulation, b.accumulation),
      VariantDifference("fill_value", OperandOf(a.fill_value),
                        OperandOf(b.fill_value)),
      ValueDifference("device", a.device, b.device),
      ValueDifference("idempotency_key", a.idempotency_key, b.idempotency_key));
}

}  // namespace

const std::vector<DType> kAllDTypes = {
#define SCATTERD_DTYPE(name, onnx, number, lower, storage, kind) DType::name,
#include "core/dtypes.inc"
};

const std::vector<OperatorId> kAllOperators = {
#define SCATTERD_OPERATOR(id, rpc, name, is_scatter) OperatorId::id,
#include "core/ops/ops.inc"
};

CutMessage::CutMessage(const std::string& bytes,
                       const std::vector<size_t>& cuts) {
  size_t begin = 0;
  for (const size_t cut : cuts) {
    Add({bytes.data() + begin, cut - begin});
    begin = cut;
  }
  Add({bytes.data() + begin, bytes.size() - begin});
}

CutMessage CutMessage::AtRandom(const std::string& bytes, size_t max_cuts,
                                std::mt19937_64& engine) {
  std::vector<size_t> cuts(engine() % (max_cuts + 1));
  for (size_t& cut : cuts) cut = engine() % (bytes.size() + 1);
  std::sort(cuts.begin(), cuts.end());
  return CutMessage(bytes, cuts);
}

void CutMessage::Add(absl::string_view piece) {
  storage_.push_back(std::make_unique<char[]>(piece.size()));
  std::copy(piece.begin(), piece.end(), storage_.back().get());
  pieces_.emplace_back(storage_.back().get(), piece.size());
}

absl::StatusOr<Tensor> DecodeTensorBytes(const std::string& bytes) {
  return DecodeTensor(CutMessage(bytes, {}).pieces(), ReserveAnything);
}

absl::StatusOr<OperatorCall> DecodeCallBytes(OperatorId op,
                                             const std::string& bytes) {
  return DecodeCall(op, CutMessage(bytes, {}).pieces(), ReserveAnything);
}

absl::StatusOr<OperatorResult> DecodeResultBytes(const std::string& bytes) {
  return DecodeResult(CutMessage(bytes, {}).pieces(), ReserveAnything);
}

absl::StatusOr<GradientCall> DecodeGradientCallBytes(const std::string& bytes) {
  return DecodeGradientCall(CutMessage(bytes, {}).pieces(), ReserveAnything);
}

absl::StatusOr<GradientResult> DecodeGradientResultBytes(
    const std::string& bytes) {
  return DecodeGradientResult(CutMessage(bytes, {}).pieces(), ReserveAnything);
}

std::string GradientCallDifference(const GradientCall& actual,
                                   const GradientCall& expected) {
  const auto bits = [](const std::optional<double>& scale) {
    return scale ? std::optional(std::bit_cast<uint64_t>(*scale))
                 : std::nullopt;
  };
  return absl::StrCat(
      CallDifference(actual.forward, expected.forward),
      VariantDifference("grad_output", actual.grad_output,
                        expected.grad_output),
      ValueDifference("scale", bits(actual.scale), bits(expected.scale)),
      OptionsDifference(actual.options, expected.options));
}

std::string CallDifference(const OperatorCall& actual,
                           const OperatorCall& expected) {
  const OperatorAttributes& a = actual.attributes;
  const OperatorAttributes& b = expected.attributes;
  return absl::StrCat(
      ValueDifference("op", actual.op, expected.op),
      VariantDifference("data", actual.data, expected.data),
      VariantDifference("indices", actual.indices, expected.indices),
      VariantDifference("updates", actual.updates, expected.updates),
      ValueDifference("axis", a.axis, b.axis),
      ValueDifference("batch_dims", a.batch_dims, b.batch_dims),
      ValueDifference("reduction", a.reduction, b.reduction),
      ValueDifference("exclude_self", a.exclude_self, b.exclude_self),
      OptionsDifference(actual.options, expected.options),
      VariantDifference("output", actual.output, expected.output));
}

std::unique_ptr<google::protobuf::Message> NewRequest(OperatorId op) {
  switch (op) {
#define SCATTERD_OPERATOR(id, rpc, name, is_scatter) \
  case OperatorId::id:                               \
    return std::make_unique<v1::rpc##Request>();
#include "core/ops/ops.inc"
  }
  return nullptr;
}

}  // namespace scatterd::test
