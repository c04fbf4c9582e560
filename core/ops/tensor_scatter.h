// ONNX's TensorScatter-24, which writes new entries of a key-value cache.
//
// It is no operator of its own on the wire: a graph's node lowers to the plan
// of a scatter over slices, with indices that are made from write_indices.

#ifndef SCATTERD_CORE_OPS_TENSOR_SCATTER_H_
#define SCATTERD_CORE_OPS_TENSOR_SCATTER_H_

#include <cstdint>
#include <optional>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "core/options.h"
#include "core/plan.h"
#include "core/tensor.h"

namespace scatterd {

struct TensorScatterInputs {
  TensorSpec past_cache;
  TensorSpec update;
  std::optional<TensorSpec> write_indices;  // none: zeros
  int64_t axis = -2;
  absl::string_view mode = "linear";
  ResolvedOptions options;
};

struct TensorScatterPlan {
  // Over past_cache as data and update as updates.
  Plan plan;
  bool circular = false;
};

// INVALID_ARGUMENT names the constraint.
absl::StatusOr<TensorScatterPlan> PlanTensorScatter(
    const TensorScatterInputs& inputs);

// Checks write_indices (null: zeros), whose spec was planned with.
// OUT_OF_RANGE names the batch entry.
absl::Status CheckWriteIndices(const TensorScatterPlan& plan,
                               const Tensor* write_indices);

// The plan's indices: TensorScatterIndicesSpec(plan).  write_indices have
// passed CheckWriteIndices.  Errors as Buffer::Allocate.
TensorSpec TensorScatterIndicesSpec(const TensorScatterPlan& plan);
absl::StatusOr<Tensor> MakeTensorScatterIndices(const TensorScatterPlan& plan,
                                                const Tensor* write_indices);

}  // namespace scatterd

#endif  // SCATTERD_CORE_OPS_TENSOR_SCATTER_H_
