#include "core/backends/cpu/gradient.h"

#include <algorithm>
#include <vector>

#include "core/backends/cpu/copy.h"
#include "core/backends/cpu/flatten.h"
#include "core/backends/cpu/gather.h"
#include "core/backends/cpu/gradient_kernels.h"
#include "core/backends/cpu/grouped.h"
#include "core/backends/cpu/parallel.h"
#include "core/backends/cpu/rows.h"
#include "core/backends/cpu/scatter.h"
#include "core/backends/cpu/scatter_checks.h"
#include "core/backends/cpu/scratch.h"

namespace scatterd::cpu {
namespace {

absl::Status Zero(Tensor& tensor, const RunContext& context) {
  RunState state(context.cancellation);
  CopyBytes(context.pool, state, nullptr, tensor.mutable_bytes(),
            tensor.byte_size());
  return state.StopStatus();
}

absl::Status Copy(const Tensor& source, Tensor& output,
                  const RunContext& context) {
  RunState state(context.cancellation);
  CopyBytes(context.pool, state, source.bytes(), output.mutable_bytes(),
            output.byte_size());
  return state.StopStatus();
}

absl::Status Scale(Tensor& tensor, double scale, const RunContext& context) {
  if (scale == 1) return absl::OkStatus();
  RunState state(context.cancellation);
  const ScaleKernel kernel = GetScaleKernel(tensor.dtype());
  const size_t element_bytes = ElementSize(tensor.dtype());
  const int64_t count = tensor.num_elements();
  const auto bytes = static_cast<int64_t>(element_bytes);
  ForEachRange(
      context.pool, state, count, bytes, [&](int64_t begin, int64_t end) {
        kernel(
            tensor.mutable_bytes() + static_cast<size_t>(begin) * element_bytes,
            end - begin, scale);
      });
  return state.StopStatus();
}

// The gradient of a gather: a scatter-add of grad_output onto zeros.
absl::Status GatherGradient(const GradientPlan& plan,
                            const GradientOperands& operands,
                            const GradientOutputs& outputs,
                            const RunContext& context) {
  const PlanOperands scatter{.data = nullptr,
                             .indices = operands.indices,
                             .updates = operands.grad_output};
  SCATTERD_RETURN_IF_ERROR(
      RunScatter(plan.transposed, scatter, *outputs.grad_data, context));
  return Scale(*outputs.grad_data, operands.scale, context);
}

// -1 times which is the +0 that a skipped update receives.
absl::StatusOr<Tensor> NegativeZero(DType dtype) {
  SCATTERD_ASSIGN_OR_RETURN(Tensor zero, Tensor::Zeros({dtype, Shape()}));
  GetScaleKernel(dtype)(zero.mutable_bytes(), 1, -1);
  return zero;
}

// ADD and SUB: grad_output itself, and a gather of it.
absl::Status SumGradient(const GradientPlan& plan,
                         const GradientOperands& operands,
                         const GradientOutputs& outputs,
                         const RunContext& context) {
  const bool subtracts = plan.forward.reduction == Reduction::kSub;
  SCATTERD_ASSIGN_OR_RETURN(const Tensor fill,
                            NegativeZero(plan.forward.dtype));
  const PlanOperands gather{.data = operands.grad_output,
                            .indices = operands.indices,
                            .fill_value = subtracts ? &fill : nullptr};
  SCATTERD_RETURN_IF_ERROR(
      RunGather(plan.transposed, gather, *outputs.grad_updates, context));
  if (subtracts) {
    SCATTERD_RETURN_IF_ERROR(Scale(*outputs.grad_updates, -1, context));
  }
  SCATTERD_RETURN_IF_ERROR(
      Scale(*outputs.grad_updates, operands.scale, context));
  SCATTERD_RETURN_IF_ERROR(
      Copy(*operands.grad_output, *outputs.grad_data, context));
  return Scale(*outputs.grad_data, operands.scale, context);
}

// Destinations with all their updates, each on one thread.
class GroupedGradient {
 public:
  GroupedGradient(const GradientPlan& plan, const GradientOperands& operands,
                  const GradientOutputs& outputs, const RunContext& context)
      : plan_(plan),
        operands_(operands),
        outputs_(outputs),
        context_(context),
        state_(context.cancellation) {}

  absl::Status Run() {
    SCATTERD_ASSIGN_OR_RETURN(
        count_, FlattenAll(plan_.forward, *operands_.indices, context_.pool,
                           state_, rows_));
    SCATTERD_RETURN_IF_ERROR(CheckDuplicates());
    // What no update meets, and updates that SKIP dropped.
    SCATTERD_RETURN_IF_ERROR(
        Copy(*operands_.grad_output, *outputs_.grad_data, context_));
    SCATTERD_RETURN_IF_ERROR(
        Scale(*outputs_.grad_data, operands_.scale, context_));
    SCATTERD_RETURN_IF_ERROR(Zero(*outputs_.grad_updates, context_));
    SCATTERD_RETURN_IF_ERROR(
        Scale(*outputs_.grad_updates, operands_.scale, context_));
    if (outputs_.grad_updates->num_elements() != 0) ApplyGroups();
    return state_.StopStatus();
  }

 private:
  absl::Status CheckDuplicates() const {
    const Plan& forward = plan_.forward;
    if (forward.reduction != Reduction::kNone ||
        forward.options.duplicates != Duplicates::kReject) {
      return absl::OkStatus();
    }
    const int64_t columns = RowElements(forward);
    return CheckNoDuplicates(
        forward, {rows_.data(), static_cast<size_t>(count_)},
        columns == 0 ? 0 : outputs_.grad_data->num_elements() / columns);
  }

  void ApplyGroups() {
    const int64_t columns = RowElements(plan_.forward);
    const int64_t num_rows = outputs_.grad_data->num_elements() / columns;
    const int64_t parts = std::min<int64_t>(
        num_rows, count_ < kSerialUpdates ? 1 : context_.pool.num_threads());
    context_.pool.ParallelFor(parts, [&](int64_t i) {
      ApplyPart(num_rows / parts * i,
                i + 1 == parts ? num_rows : num_rows / parts * (i + 1));
    });
  }

  void ApplyPart(int64_t row_begin, int64_t row_end) {
    const std::vector<RowUpdate> sorted = SortByRow(
        {rows_.data(), static_cast<size_t>(count_)}, row_begin, row_end);
    const GradientKernel kernel =
        GetGradientKernel(plan_.forward.dtype, plan_.forward.reduction,
                          plan_.forward.options.nan);
    const GradientArguments arguments = Arguments();
    for (size_t begin = 0; begin < sorted.size() && !state_.ShouldStop();) {
      const size_t end = BlockEnd(sorted, begin);
      kernel(plan_.forward, arguments,
             absl::MakeConstSpan(sorted).subspan(begin, end - begin));
      begin = end;
    }
  }

  // Where a block of whole rows that begins at `begin` ends.
  size_t BlockEnd(const std::vector<RowUpdate>& sorted, size_t begin) const {
    const auto row_bytes =
        static_cast<int64_t>(ElementSize(plan_.forward.dtype)) *
        RowElements(plan_.forward);
    size_t end = begin + static_cast<size_t>(kBlockBytes / (row_bytes + 16));
    end = std::min(end, sorted.size() - 1);
    while (end + 1 < sorted.size() && sorted[end + 1].row == sorted[end].row) {
      ++end;
    }
    return end + 1;
  }

  GradientArguments Arguments() const {
    return {
        .data = operands_.data == nullptr ? nullptr : operands_.data->bytes(),
        .updates =
            operands_.updates == nullptr ? nullptr : operands_.updates->bytes(),
        .grad_output = operands_.grad_output->bytes(),
        .grad_data = outputs_.grad_data->mutable_bytes(),
        .grad_updates = outputs_.grad_updates->mutable_bytes(),
        .columns = RowElements(plan_.forward),
        .scale = operands_.scale};
  }

  static constexpr int64_t kSerialUpdates = 4096;

  const GradientPlan& plan_;
  const GradientOperands& operands_;
  const GradientOutputs& outputs_;
  const RunContext& context_;
  RunState state_;
  int64_t count_ = 0;
  RowScratch rows_;
};

}  // namespace

absl::Status RunGradient(const GradientPlan& plan,
                         const GradientOperands& operands,
                         const GradientOutputs& outputs,
                         const RunContext& context) {
  if (!plan.forward.is_scatter) {
    SCATTERD_RETURN_IF_ERROR(GatherGradient(plan, operands, outputs, context));
  } else if (plan.forward.reduction == Reduction::kAdd ||
             plan.forward.reduction == Reduction::kSub) {
    if (plan.forward.exclude_self) {
      SCATTERD_RETURN_IF_ERROR(
          GroupedGradient(plan, operands, outputs, context).Run());
    } else {
      SCATTERD_RETURN_IF_ERROR(SumGradient(plan, operands, outputs, context));
    }
  } else {
    SCATTERD_RETURN_IF_ERROR(
        GroupedGradient(plan, operands, outputs, context).Run());
  }
  return absl::OkStatus();
}

}  // namespace scatterd::cpu
