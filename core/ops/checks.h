// Checks that several operators share.  `n` is the constraint's number in the
// operator's own list (see core/errors.h).

#ifndef SCATTERD_CORE_OPS_CHECKS_H_
#define SCATTERD_CORE_OPS_CHECKS_H_

#include <optional>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "core/operator.h"
#include "core/strided_view.h"

namespace scatterd::internal {

// The operand has at least one axis.
absl::Status CheckHasAxis(absl::string_view op, int n, absl::string_view field,
                          const TensorSpec& spec);

// INT32 or INT64.
absl::Status CheckIndexDType(absl::string_view op, int n,
                             const TensorSpec& indices);

// `axis`, which may count from the back, as an axis of data.
absl::StatusOr<int> CheckAxis(absl::string_view op, int n, int64_t axis,
                              const TensorSpec& data);

// 0 <= batch_dims <= limit; `limit_name` explains the limit.
absl::StatusOr<int> CheckBatchDims(absl::string_view op, int n,
                                   int64_t batch_dims, int limit,
                                   absl::string_view limit_name);

// The first batch_dims extents of data and indices are equal.
absl::Status CheckBatchExtents(absl::string_view op, int n, int batch_dims,
                               const OperatorInputs& inputs);

// indices has data's rank.
absl::Status CheckSameRank(absl::string_view op, int n,
                           const OperatorInputs& inputs);

// The shape that indices has for the loops, and how it is read as that.
struct FittedIndices {
  Shape shape;
  std::optional<StridedView> view;
};

// Off the axis, indices is nowhere longer than data; or the two broadcast, in
// dialects that do.
absl::StatusOr<FittedIndices> FitIndicesOffAxis(absl::string_view op, int n,
                                                int axis,
                                                const OperatorInputs& inputs);

// updates has the dtype of data.
absl::Status CheckUpdatesDType(absl::string_view op, int n,
                               const OperatorInputs& inputs);

// updates has exactly this shape, or one that the dialect reads as it.
absl::StatusOr<std::optional<StridedView>> FitUpdates(
    absl::string_view op, int n, const OperatorInputs& inputs,
    const Shape& expected);

// The reduction has a meaning for data's dtype.
absl::Status CheckReduction(absl::string_view op, int n,
                            const OperatorInputs& inputs);

// The output's rank and size can be expressed.
absl::Status CheckOutput(absl::string_view op, int n, const TensorSpec& output);

// The depth of the index tuples: the last extent of `indices`, from `least` to
// the number of data's axes after batch_dims.
absl::StatusOr<int> CheckDepth(absl::string_view op, int n, int least,
                               int batch_dims, const Shape& data,
                               const Shape& indices);

// Addressing that the two elements operators share; `indices` is fitted.
ElementAddressing AddressElements(const TensorSpec& data, const Shape& indices,
                                  int axis);

// Addressing that the two ND operators share: `depth` components after
// batch_dims.
SliceAddressing AddressTuples(const TensorSpec& data, const Shape& indices,
                              int batch_dims, int depth);

}  // namespace scatterd::internal

#endif  // SCATTERD_CORE_OPS_CHECKS_H_
