// What the elements of a literal are worth in a dtype.

#ifndef SCATTERD_CLIENT_CTL_LITERAL_VALUES_H_
#define SCATTERD_CLIENT_CTL_LITERAL_VALUES_H_

#include <vector>

#include "absl/status/statusor.h"
#include "client/ctl/literal_parser.h"
#include "core/tensor.h"

namespace scatterd::internal {

// The dtype that the elements suggest; INVALID_ARGUMENT where strings, bools
// and numbers are mixed.
absl::StatusOr<DType> SuggestDType(const std::vector<LiteralElement>& elements);

// INVALID_ARGUMENT names the first element that is no value of `dtype`.
absl::StatusOr<Tensor> MakeTensor(DType dtype, const ParsedLiteral& literal);

}  // namespace scatterd::internal

#endif  // SCATTERD_CLIENT_CTL_LITERAL_VALUES_H_
