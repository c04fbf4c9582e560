// Tensors as text.
//
//   1.5                         a FLOAT scalar
//   [[1, 2], [3, 4]]            INT64[2,2]
//   [1, 2.5, -inf, nan]         FLOAT[4]: one decimal makes all of them FLOAT
//   ["a", 'b\n', "\u00e9\xff"]  STRING[3], with JSON's escapes and \xHH
//   [true, false]               BOOL[2]
//   [1+2j, -0.5j, 3]            COMPLEX64[3]
//   []                          FLOAT[0]
//   float32[2,0]                a spec, for empty tensors that nested lists
//                               cannot tell from others
//
// All lists of one depth have the same length.  Given a dtype, a literal is
// read as that dtype or refused where a value does not fit it.

#ifndef SCATTERD_CLIENT_CTL_LITERAL_H_
#define SCATTERD_CLIENT_CTL_LITERAL_H_

#include <optional>
#include <string>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "core/tensor.h"

namespace scatterd {

// nullopt: the dtype that the values suggest, see above.  INVALID_ARGUMENT
// names the place as a position in `text`, counted from 1.
absl::StatusOr<Tensor> ParseLiteral(absl::string_view text,
                                    std::optional<DType> dtype);

// The literal of a tensor: ParseLiteral with the tensor's dtype gives the same
// values back, except that every NaN is "nan".  INVALID_ARGUMENT for the
// float8 types, which have no literals.
absl::StatusOr<std::string> FormatLiteral(const Tensor& tensor);

}  // namespace scatterd

#endif  // SCATTERD_CLIENT_CTL_LITERAL_H_
