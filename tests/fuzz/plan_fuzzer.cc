// Bytes as a call: planned, and run where it is small.
//
// Whatever dtypes, shapes, attributes, options and index values are, planning
// and running must touch no memory but the tensors', answer only with the codes
// that the contract lists, and agree with the oracle
// (tests/testing/reference_ops.h) bit for bit.

#include <fuzzer/FuzzedDataProvider.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "core/backends/backend.h"
#include "core/backends/cpu/cpu_backend.h"
#include "core/call.h"
#include "core/cancellation.h"
#include "core/operator.h"
#include "core/thread_pool.h"
#include "tests/testing/reference_ops.h"
#include "tests/testing/tensor_literals.h"
#include "tests/testing/tensor_matchers.h"

namespace scatterd::test {
namespace {

constexpr int64_t kMaxElements = 2048;

constexpr DType kDTypes[] = {
#define SCATTERD_DTYPE(name, onnx, number, lower, storage, kind) DType::name,
#include "core/dtypes.inc"
};

constexpr OperatorId kOperators[] = {
#define SCATTERD_OPERATOR(id, rpc, name, is_scatter) OperatorId::id,
#include "core/ops/ops.inc"
};

constexpr Reduction kReductions[] = {
#define SCATTERD_REDUCTION(name, upper, number, lower) Reduction::name,
#include "core/reductions.inc"
};

void Check(bool condition, const std::string& what) {
  if (condition) return;
  std::fprintf(stderr, "FAILED: %s\n", what.c_str());
  std::abort();
}

void CheckCode(const absl::Status& status) {
  Check(status.ok() || status.code() == absl::StatusCode::kInvalidArgument ||
            status.code() == absl::StatusCode::kOutOfRange,
        status.ToString());
}

// Mostly small extents; sometimes none that a tensor can have.
int64_t TakeExtent(FuzzedDataProvider& bytes) {
  const uint8_t byte = bytes.ConsumeIntegral<uint8_t>();
  return byte < 250 ? byte % 6 : bytes.ConsumeIntegral<int64_t>();
}

Shape TakeShape(FuzzedDataProvider& bytes) {
  Shape shape;
  const int rank = bytes.ConsumeIntegralInRange(0, 5);
  for (int i = 0; i < rank; ++i) shape.Append(TakeExtent(bytes));
  return shape;
}

// The shape that scatters expect, if the others are right; else some shape.
Shape UpdatesShape(OperatorId op, const OperatorInputs& inputs) {
  const Shape& data = inputs.data.shape;
  const Shape& indices = inputs.indices.shape;
  if (op == OperatorId::kScatterElements || indices.rank() == 0) return indices;
  const int64_t depth = indices[indices.rank() - 1];
  Shape shape(indices.dims(0, indices.rank() - 1));
  if (depth >= 0 && depth <= data.rank()) {
    const int64_t begin = depth + inputs.attributes.batch_dims;
    if (begin >= 0 && begin <= data.rank()) {
      shape.Append(data.dims(static_cast<int>(begin), data.rank()));
    }
  }
  return shape;
}

OperatorInputs TakeInputs(OperatorId op, FuzzedDataProvider& bytes) {
  OperatorInputs inputs;
  inputs.data = {bytes.PickValueInArray(kDTypes), TakeShape(bytes)};
  inputs.indices = {bytes.ConsumeBool() ? DType::kInt64 : DType::kInt32,
                    TakeShape(bytes)};
  OperatorAttributes& attributes = inputs.attributes;
  attributes.axis = bytes.ConsumeIntegralInRange<int64_t>(-6, 6);
  attributes.batch_dims = std::max(bytes.ConsumeIntegralInRange(-4, 3), -1);
  if (attributes.batch_dims < 0 && bytes.ConsumeBool()) {
    attributes.batch_dims = 0;
  }
  attributes.reduction = bytes.PickValueInArray(kReductions);
  attributes.exclude_self = bytes.ConsumeBool();
  ResolvedOptions& options = inputs.options;
  options.out_of_bounds =
      static_cast<OutOfBounds>(bytes.ConsumeIntegralInRange(1, 4));
  options.negative_indices =
      static_cast<NegativeIndices>(bytes.ConsumeIntegralInRange(1, 2));
  options.duplicates =
      static_cast<Duplicates>(bytes.ConsumeIntegralInRange(1, 3));
  options.nan = static_cast<NanPolicy>(bytes.ConsumeIntegralInRange(1, 2));
  options.accumulation =
      static_cast<Accumulation>(bytes.ConsumeIntegralInRange(1, 2));
  if (IsScatter(op)) {
    const bool fits = bytes.ConsumeIntegral<uint8_t>() < 240;
    inputs.updates.dtype =
        fits ? inputs.data.dtype : bytes.PickValueInArray(kDTypes);
    inputs.updates.shape = fits ? UpdatesShape(op, inputs) : TakeShape(bytes);
  }
  return inputs;
}

// True if also the extents beside a 0 are few enough for the oracle's loops.
bool IsSmallWithoutZeros(const Operand& operand) {
  const Tensor* tensor = std::get_if<Tensor>(&operand);
  if (tensor == nullptr) return true;
  int64_t product = 1;
  for (const int64_t dim : tensor->shape().dims()) {
    if (dim > kMaxElements) return false;
    product *= std::max<int64_t>(dim, 1);
    if (product > kMaxElements) return false;
  }
  return true;
}

bool IsSmall(const TensorSpec& spec) {
  if (spec.dtype == DType::kUnspecified) return true;  // a gather's updates
  const absl::StatusOr<int64_t> count =
      CheckedNumElements(spec.shape, ElementSize(spec.dtype));
  return count.ok() && *count <= kMaxElements;
}

Tensor TakeStrings(const Shape& shape, FuzzedDataProvider& bytes) {
  std::vector<std::string> values(shape.num_elements());
  for (std::string& value : values) {
    value = bytes.ConsumeRandomLengthString(3);
  }
  return Strings(shape, values);
}

// Elements of any bits; zeros once the input is used up.
Tensor TakeTensor(const TensorSpec& spec, FuzzedDataProvider& bytes) {
  if (spec.dtype == DType::kString) return TakeStrings(spec.shape, bytes);
  Tensor tensor = ValueOrDie(Tensor::Zeros(spec));
  if (tensor.byte_size() == 0) return tensor;
  bytes.ConsumeData(tensor.mutable_bytes(), tensor.byte_size());
  if (spec.dtype == DType::kBool) {
    std::byte* begin = tensor.mutable_bytes();
    for (std::byte* b = begin; b != begin + tensor.byte_size(); ++b) {
      *b &= std::byte{1};
    }
  }
  return tensor;
}

template <typename Index>
Tensor TakeIndices(const Shape& shape, FuzzedDataProvider& bytes) {
  std::vector<Index> values(shape.num_elements());
  for (Index& value : values) {
    const uint8_t byte = bytes.ConsumeIntegral<uint8_t>();
    value = byte < 250 ? static_cast<Index>(byte % 9) - 3
                       : bytes.ConsumeIntegral<Index>();
  }
  return TensorOf<Index>(shape, values);
}

// The call that has these inputs.
OperatorCall TakeCall(OperatorId op, const OperatorInputs& inputs,
                      FuzzedDataProvider& bytes) {
  OperatorCall call;
  call.op = op;
  call.indices = inputs.indices.dtype == DType::kInt64
                     ? TakeIndices<int64_t>(inputs.indices.shape, bytes)
                     : TakeIndices<int32_t>(inputs.indices.shape, bytes);
  call.data = TakeTensor(inputs.data, bytes);
  if (IsScatter(op)) call.updates = TakeTensor(inputs.updates, bytes);
  call.attributes = inputs.attributes;
  call.options.out_of_bounds = inputs.options.out_of_bounds;
  call.options.negative_indices = inputs.options.negative_indices;
  call.options.duplicates = inputs.options.duplicates;
  call.options.nan = inputs.options.nan;
  call.options.accumulation = inputs.options.accumulation;
  return call;
}

absl::StatusOr<Tensor> Run(const Plan& plan, const OperatorCall& call) {
  static const std::unique_ptr<Backend> backend = MakeCpuBackend();
  static ThreadPool pool(2, Pinning::kOff);
  const Cancellation cancellation;
  Tensor output = ValueOrDie(Tensor::Allocate(plan.output));
  PlanOperands operands;
  operands.data = std::get_if<Tensor>(&call.data);
  operands.indices = std::get_if<Tensor>(&call.indices);
  operands.updates = std::get_if<Tensor>(&call.updates);
  const absl::Status status =
      backend->Run(plan, operands, output, {pool, cancellation});
  if (!status.ok()) return status;
  return output;
}

std::string SpecText(const Operand& operand) {
  const Tensor* tensor = std::get_if<Tensor>(&operand);
  return tensor == nullptr ? "none" : tensor->spec().ToString();
}

// For whoever reads a failure.
std::string Describe(const OperatorCall& call) {
  const OperatorAttributes& attributes = call.attributes;
  const ExecutionOptions& options = call.options;
  return absl::StrCat(
      OperatorName(call.op), " data ", SpecText(call.data), " indices ",
      SpecText(call.indices), " updates ", SpecText(call.updates), " axis ",
      attributes.axis, " batch_dims ", attributes.batch_dims, " reduction ",
      ReductionName(attributes.reduction), " exclude_self ",
      attributes.exclude_self, " out_of_bounds ",
      static_cast<int>(*options.out_of_bounds), " negative_indices ",
      static_cast<int>(*options.negative_indices), " duplicates ",
      static_cast<int>(*options.duplicates), " nan ",
      static_cast<int>(*options.nan), " accumulation ",
      static_cast<int>(*options.accumulation), ": ");
}

// The contract does not say whether tuples that address one empty slice are
// duplicates.
bool RejectsEmptyDuplicates(const OperatorCall& call) {
  const Tensor* updates = std::get_if<Tensor>(&call.updates);
  return call.options.duplicates == Duplicates::kReject && updates != nullptr &&
         updates->num_elements() == 0;
}

void CompareWithOracle(const OperatorCall& call,
                       const absl::StatusOr<Tensor>& actual) {
  CheckCode(actual.status());
  if (RejectsEmptyDuplicates(call) || !IsSmallWithoutZeros(call.data) ||
      !IsSmallWithoutZeros(call.indices) ||
      !IsSmallWithoutZeros(call.updates)) {
    return;
  }
  const absl::StatusOr<Tensor> expected = ReferenceCall(call);
  Check(actual.ok() == expected.ok(), Describe(call) +
                                          actual.status().ToString() + " vs " +
                                          expected.status().ToString());
  if (!actual.ok()) return;
  const std::string difference = Difference(*actual, *expected);
  Check(difference.empty(), Describe(call) + difference);
}

void FuzzOne(FuzzedDataProvider& bytes) {
  const OperatorId op = bytes.PickValueInArray(kOperators);
  const OperatorInputs inputs = TakeInputs(op, bytes);
  const absl::StatusOr<Plan> plan = MakePlan(op, inputs);
  CheckCode(plan.status());
  if (!IsSmall(inputs.data) || !IsSmall(inputs.indices) ||
      !IsSmall(inputs.updates)) {
    return;
  }
  if (plan.ok() && !IsSmall(plan->output)) return;
  const OperatorCall call = TakeCall(op, inputs, bytes);
  CompareWithOracle(call, plan.ok() ? Run(*plan, call) : plan.status());
}

}  // namespace
}  // namespace scatterd::test

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  FuzzedDataProvider bytes(data, size);
  scatterd::test::FuzzOne(bytes);
  return 0;
}
