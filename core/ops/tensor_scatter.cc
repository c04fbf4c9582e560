// tensor_scatter: output is past_cache; along `axis`, the S entries of update
// of batch entry b go to positions write_indices[b], write_indices[b] + 1, ...
// (mode circular: modulo the axis's size).  Axis 0 is the batch (ONNX
// TensorScatter-24).
//
// C1 past_cache has at least two axes.
// C2 -rank(past_cache) <= axis < rank(past_cache), and axis is not the batch
//    axis 0.
// C3 update has the dtype of past_cache.
// C4 update has the shape of past_cache, except for the extent S on the axis.
// C5 write_indices is INT32 or INT64.
// C6 write_indices has one entry for each of the batch.
// C7 mode is linear or circular.
// C8 Every entry has a place: linear: 0 <= write_indices[b] and
//    write_indices[b] + S <= the axis's size; circular: the axis has a size
//    (OUT_OF_RANGE).
// C9 Under duplicates = REJECT, no place is written twice.

#include "core/ops/tensor_scatter.h"

#include <utility>

#include "absl/strings/str_cat.h"
#include "core/errors.h"
#include "core/index_rule.h"
#include "core/ops/checks.h"
#include "core/status_macros.h"

namespace scatterd {
namespace {

constexpr absl::string_view kOp = "tensor_scatter";

absl::Status CheckSequenceAxis(int axis) {
  if (axis != 0) return absl::OkStatus();
  return ConstraintError(kOp, 2, "axis",
                         "axis is the batch axis (0 vs another)");
}

absl::Status CheckUpdate(const TensorScatterInputs& inputs, int axis) {
  const TensorSpec& cache = inputs.past_cache;
  const TensorSpec& update = inputs.update;
  if (update.dtype != cache.dtype) {
    return ConstraintError(
        kOp, 3, "update",
        absl::StrCat("update must have the dtype of past_cache (",
                     DTypeName(update.dtype), " vs ", DTypeName(cache.dtype),
                     ")"));
  }
  bool fits = update.shape.rank() == cache.shape.rank();
  for (int d = 0; fits && d < cache.shape.rank(); ++d) {
    fits = d == axis || update.shape[d] == cache.shape[d];
  }
  if (fits) return absl::OkStatus();
  return ConstraintError(
      kOp, 4, "update",
      absl::StrCat("update has the wrong shape (", update.shape.ToString(),
                   " vs ", cache.shape.ToString(), " off axis ", axis, ")"));
}

absl::Status CheckWriteIndicesSpec(const TensorScatterInputs& inputs) {
  if (!inputs.write_indices) return absl::OkStatus();
  const TensorSpec& spec = *inputs.write_indices;
  if (spec.dtype != DType::kInt32 && spec.dtype != DType::kInt64) {
    return ConstraintError(
        kOp, 5, "write_indices",
        absl::StrCat("write_indices has the wrong dtype (",
                     DTypeName(spec.dtype), " vs INT32 or INT64)"));
  }
  const Shape expected{inputs.past_cache.shape[0]};
  if (spec.shape == expected) return absl::OkStatus();
  return ConstraintError(
      kOp, 6, "write_indices",
      absl::StrCat("write_indices has the wrong shape (", spec.shape.ToString(),
                   " vs ", expected.ToString(), ")"));
}

absl::Status CheckMode(absl::string_view mode) {
  if (mode == "linear" || mode == "circular") return absl::OkStatus();
  return ConstraintError(kOp, 7, "mode",
                         "unknown mode (expected linear or circular)");
}

const SliceAddressing& Slices(const TensorScatterPlan& plan) {
  return std::get<SliceAddressing>(plan.plan.addressing);
}

int64_t WriteIndex(const Tensor* write_indices, int64_t batch) {
  if (write_indices == nullptr) return 0;
  return write_indices->dtype() == DType::kInt32
             ? write_indices->values<int32_t>()[static_cast<size_t>(batch)]
             : write_indices->values<int64_t>()[static_cast<size_t>(batch)];
}

// Whether `count` entries have a place from `begin` on.
bool Fits(int64_t begin, int64_t count, int64_t size, bool circular) {
  if (circular) return size > 0 || count == 0;
  return begin >= 0 && begin <= size && count <= size - begin;
}

absl::Status WriteIndexError(const TensorScatterPlan& plan, int64_t batch,
                             int64_t begin) {
  const SliceAddressing& slices = Slices(plan);
  return WithReason(
      WithField(absl::OutOfRangeError(absl::StrCat(
                    kOp, ": C8: ", slices.tuples_per_batch,
                    " entries of batch entry ", batch, " do not fit axis ",
                    slices.tuple[0].axis, " of size ", slices.rows, " (from ",
                    begin, " on vs [0, ", slices.rows, "))")),
                "write_indices"),
      "INDEX_OUT_OF_RANGE");
}

}  // namespace

absl::StatusOr<TensorScatterPlan> PlanTensorScatter(
    const TensorScatterInputs& inputs) {
  const Shape& cache = inputs.past_cache.shape;
  if (cache.rank() < 2) {
    return ConstraintError(kOp, 1, "past_cache",
                           absl::StrCat("past_cache has too few axes (",
                                        cache.rank(), " vs at least 2)"));
  }
  SCATTERD_ASSIGN_OR_RETURN(
      const int axis,
      internal::CheckAxis(kOp, 2, inputs.axis, inputs.past_cache));
  SCATTERD_RETURN_IF_ERROR(CheckSequenceAxis(axis));
  SCATTERD_RETURN_IF_ERROR(CheckUpdate(inputs, axis));
  SCATTERD_RETURN_IF_ERROR(CheckWriteIndicesSpec(inputs));
  SCATTERD_RETURN_IF_ERROR(CheckMode(inputs.mode));

  SliceAddressing slices;
  slices.num_batches = cache[0];
  slices.num_outer = Product(cache.dims(1, axis));
  slices.tuples_per_batch = inputs.update.shape[axis];
  slices.tuple = {IndexAxis{cache[axis], 1, axis}};
  slices.rows = cache[axis];
  slices.slice_elements = Product(cache.dims(axis + 1, cache.rank()));

  TensorScatterPlan result;
  result.circular = inputs.mode == "circular";
  Plan& plan = result.plan;
  plan.op = kOp;
  plan.is_scatter = true;
  plan.indices_shape = {slices.num_batches, slices.tuples_per_batch, 1};
  plan.addressing = std::move(slices);
  plan.dtype = inputs.past_cache.dtype;
  plan.indices_are_tuples = true;
  plan.options = inputs.options;
  plan.output = inputs.past_cache;
  plan.index_constraint = 8;
  plan.duplicates_constraint = 9;
  return result;
}

absl::Status CheckWriteIndices(const TensorScatterPlan& plan,
                               const Tensor* write_indices) {
  const SliceAddressing& slices = Slices(plan);
  // Without write_indices all entries of the batch are alike.
  const int64_t batches = write_indices == nullptr
                              ? std::min<int64_t>(slices.num_batches, 1)
                              : slices.num_batches;
  for (int64_t b = 0; b < batches; ++b) {
    const int64_t begin = WriteIndex(write_indices, b);
    if (!Fits(begin, slices.tuples_per_batch, slices.rows, plan.circular)) {
      return WriteIndexError(plan, b, begin);
    }
  }
  return absl::OkStatus();
}

TensorSpec TensorScatterIndicesSpec(const TensorScatterPlan& plan) {
  return {DType::kInt64, plan.plan.indices_shape};
}

absl::StatusOr<Tensor> MakeTensorScatterIndices(const TensorScatterPlan& plan,
                                                const Tensor* write_indices) {
  SCATTERD_ASSIGN_OR_RETURN(Tensor indices,
                            Tensor::Allocate(TensorScatterIndicesSpec(plan)));
  const SliceAddressing& slices = Slices(plan);
  auto* next = reinterpret_cast<int64_t*>(indices.mutable_bytes());
  for (int64_t b = 0; b < slices.num_batches; ++b) {
    // Before the addition, which would overflow.
    const int64_t begin =
        slices.rows == 0
            ? 0
            : ResolveIndex(WriteIndex(write_indices, b), slices.rows,
                           NegativeIndices::kOutOfBounds, OutOfBounds::kWrap);
    for (int64_t s = 0; s < slices.tuples_per_batch; ++s) {
      *next++ = (begin + s) % slices.rows;
    }
  }
  return indices;
}

}  // namespace scatterd
