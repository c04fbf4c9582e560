#ifndef SCATTERD_CLIENT_CTL_NPY_HEADER_H_
#define SCATTERD_CLIENT_CTL_NPY_HEADER_H_

#include <cstddef>
#include <string>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "core/shape.h"

namespace scatterd::internal {

// What stands before the elements of a .npy file.
struct NpyHeader {
  char kind = 0;         // 'b', 'i', 'u', 'f', 'c', 'S', 'U', ...
  size_t item_size = 0;  // bytes of one element
  bool big_endian = false;
  bool fortran_order = false;
  Shape shape;             // extents not checked yet
  size_t data_offset = 0;  // where the elements begin
};

// INVALID_ARGUMENT if `file` does not begin with a .npy header.
absl::StatusOr<NpyHeader> ParseNpyHeader(absl::string_view file);

// The header of a version 1 file in C order, with `descr` such as "<f4".
std::string FormatNpyHeader(absl::string_view descr, const Shape& shape);

}  // namespace scatterd::internal

#endif  // SCATTERD_CLIENT_CTL_NPY_HEADER_H_
