// NumPy's .npy files.
//
// Read: versions 1, 2 and 3; C and Fortran order; either byte order; dtypes b1,
// i1-i8, u1-u8, f2, f4, f8, c8, c16, S (bytes) and U (text, to UTF-8).
// Written: version 1, C order, host byte order; STRING as U where every string
// is valid UTF-8, else as S.  .npy has no bfloat16 and no float8.

#ifndef SCATTERD_CLIENT_CTL_NPY_H_
#define SCATTERD_CLIENT_CTL_NPY_H_

#include <string>

#include "absl/status/statusor.h"
#include "core/buffer.h"
#include "core/tensor.h"

namespace scatterd {

// The tensor of a whole .npy file.  Where the file's elements can be used as
// they are, the tensor shares `file`'s memory.  INVALID_ARGUMENT for anything
// that is no such file, also one that is longer or shorter than its header
// says; safe on hostile bytes.
absl::StatusOr<Tensor> ParseNpy(const Buffer& file);

// A file's bytes: header, then elements.
struct NpyFile {
  std::string header;
  Buffer elements;
};

// INVALID_ARGUMENT for a dtype that .npy has not, and for strings that it
// cannot hold (NumPy takes trailing zero bytes for padding).
absl::StatusOr<NpyFile> FormatNpy(const Tensor& tensor);

}  // namespace scatterd

#endif  // SCATTERD_CLIENT_CTL_NPY_H_
