#include <algorithm>
#include <bit>
#include <cstdint>
#include <cstring>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/functional/function_ref.h"
#include "absl/strings/str_cat.h"
#include "client/ctl/literal_string.h"
#include "client/ctl/npy.h"
#include "client/ctl/npy_header.h"
#include "core/status_macros.h"

namespace scatterd {
namespace {

using ::scatterd::internal::NpyHeader;

absl::Status Malformed(absl::string_view what) {
  return absl::InvalidArgumentError(absl::StrCat("npy: ", what));
}

struct DTypeRow {
  char kind;
  size_t item_size;
  DType dtype;
};

constexpr DTypeRow kDTypes[] = {
    {'b', 1, DType::kBool},      {'i', 1, DType::kInt8},
    {'i', 2, DType::kInt16},     {'i', 4, DType::kInt32},
    {'i', 8, DType::kInt64},     {'u', 1, DType::kUInt8},
    {'u', 2, DType::kUInt16},    {'u', 4, DType::kUInt32},
    {'u', 8, DType::kUInt64},    {'f', 2, DType::kFloat16},
    {'f', 4, DType::kFloat},     {'f', 8, DType::kDouble},
    {'c', 8, DType::kComplex64}, {'c', 16, DType::kComplex128},
};

absl::StatusOr<DType> FindDType(const NpyHeader& header) {
  if (header.kind == 'S' || header.kind == 'U') return DType::kString;
  for (const DTypeRow& row : kDTypes) {
    if (row.kind == header.kind && row.item_size == header.item_size) {
      return row.dtype;
    }
  }
  const std::string descr =
      absl::StrCat(std::string(1, header.kind), header.item_size);
  if (header.kind == 'V') {
    return Malformed(absl::StrCat("dtype ", descr,
                                  " is opaque; bfloat16 and float8 need an "
                                  "ONNX .pb file"));
  }
  return Malformed(absl::StrCat("dtype ", descr, " is not supported"));
}

// The elements as the file has them, with what places them.
struct Payload {
  NpyHeader header;
  TensorSpec spec;
  const std::byte* bytes;
  int64_t num_elements;
};

absl::StatusOr<Payload> FindPayload(const Buffer& file) {
  const absl::string_view view(reinterpret_cast<const char*>(file.data()),
                               file.size());
  SCATTERD_ASSIGN_OR_RETURN(const NpyHeader header,
                            internal::ParseNpyHeader(view));
  SCATTERD_ASSIGN_OR_RETURN(const DType dtype, FindDType(header));
  SCATTERD_ASSIGN_OR_RETURN(
      const int64_t num_elements,
      CheckedNumElements(header.shape,
                         std::max(header.item_size, ElementSize(dtype))));
  // With an item of no bytes a short file could claim any number of elements.
  if (header.item_size == 0 && num_elements > 0) {
    return Malformed("elements of no bytes");
  }
  const size_t expected = num_elements * header.item_size;
  const size_t found = file.size() - header.data_offset;
  if (found != expected) {
    return Malformed(absl::StrCat("the file's elements do not fill its shape (",
                                  found, " vs ", expected, " bytes)"));
  }
  return Payload{header,
                 {dtype, header.shape},
                 file.data() + header.data_offset,
                 num_elements};
}

// Bytes that are reversed together in the other byte order.
size_t ComponentSize(const NpyHeader& header) {
  return header.kind == 'c' ? header.item_size / 2 : header.item_size;
}

bool IsOtherByteOrder(const NpyHeader& header) {
  return header.big_endian != (std::endian::native == std::endian::big) &&
         ComponentSize(header) > 1;
}

bool IsUsableAsIs(const Payload& payload) {
  const auto address = reinterpret_cast<uintptr_t>(payload.bytes);
  return payload.spec.dtype != DType::kString &&
         payload.spec.dtype != DType::kBool &&
         !IsOtherByteOrder(payload.header) &&
         (!payload.header.fortran_order || payload.header.shape.rank() < 2) &&
         address % ComponentSize(payload.header) == 0;
}

// Calls visit(position in the file) for every element in row-major order.
void VisitRowMajor(const NpyHeader& header, int64_t num_elements,
                   absl::FunctionRef<void(int64_t)> visit) {
  if (!header.fortran_order) {
    for (int64_t i = 0; i < num_elements; ++i) visit(i);
    return;
  }
  const int rank = header.shape.rank();
  std::vector<int64_t> index(rank), stride(rank, 1);
  for (int axis = 1; axis < rank; ++axis) {
    stride[axis] = stride[axis - 1] * header.shape[axis - 1];
  }
  int64_t position = 0;
  for (int64_t i = 0; i < num_elements; ++i) {
    visit(position);
    for (int axis = rank; axis-- > 0;) {
      position += stride[axis];
      if (++index[axis] < header.shape[axis]) break;
      position -= stride[axis] * header.shape[axis];
      index[axis] = 0;
    }
  }
}

void ReverseComponents(std::byte* bytes, size_t size, size_t component_size) {
  for (size_t i = 0; i < size; i += component_size) {
    std::reverse(bytes + i, bytes + i + component_size);
  }
}

absl::StatusOr<Tensor> CopyNumbers(const Payload& payload) {
  SCATTERD_ASSIGN_OR_RETURN(Tensor tensor, Tensor::Allocate(payload.spec));
  const size_t size = payload.header.item_size;
  std::byte* next = tensor.mutable_bytes();
  VisitRowMajor(payload.header, payload.num_elements, [&](int64_t position) {
    std::memcpy(next, payload.bytes + position * size, size);
    next += size;
  });
  if (IsOtherByteOrder(payload.header)) {
    ReverseComponents(tensor.mutable_bytes(), tensor.byte_size(),
                      ComponentSize(payload.header));
  }
  if (payload.spec.dtype == DType::kBool) {
    std::byte* bytes = tensor.mutable_bytes();
    std::transform(bytes, bytes + tensor.byte_size(), bytes,
                   [](std::byte b) { return std::byte{b != std::byte{0}}; });
  }
  return tensor;
}

// Without the zero bytes that fill an S element up.
std::string BytesElement(const std::byte* bytes, size_t size) {
  while (size > 0 && bytes[size - 1] == std::byte{0}) --size;
  return std::string(reinterpret_cast<const char*>(bytes), size);
}

// A U element: code points of four bytes, filled up with zeros; nullopt if one
// of them is none.
std::optional<std::string> TextElement(const std::byte* bytes, size_t size,
                                       bool reverse) {
  std::string text;
  size_t used = 0;  // of `text`, up to the last non-zero code point
  for (size_t i = 0; i < size; i += 4) {
    std::byte unit[4];
    std::memcpy(unit, bytes + i, sizeof(unit));
    if (reverse) std::reverse(unit, unit + sizeof(unit));
    const uint32_t code_point = std::bit_cast<uint32_t>(unit);
    if (!internal::AppendUtf8(code_point, text)) return std::nullopt;
    if (code_point != 0) used = text.size();
  }
  text.resize(used);
  return text;
}

absl::StatusOr<Tensor> CopyStrings(const Payload& payload) {
  const NpyHeader& header = payload.header;
  const bool reverse = IsOtherByteOrder(header);
  std::vector<std::string> strings;
  strings.reserve(payload.num_elements);
  bool valid = true;
  VisitRowMajor(header, payload.num_elements, [&](int64_t position) {
    const std::byte* item = payload.bytes + position * header.item_size;
    if (header.kind == 'S') {
      strings.push_back(BytesElement(item, header.item_size));
      return;
    }
    std::optional<std::string> text =
        TextElement(item, header.item_size, reverse);
    valid = valid && text;
    strings.push_back(std::move(text).value_or(""));
  });
  if (!valid) return Malformed("a string holds what is no Unicode character");
  return Tensor::FromStrings(payload.spec.shape, strings);
}

}  // namespace

absl::StatusOr<Tensor> ParseNpy(const Buffer& file) {
  SCATTERD_ASSIGN_OR_RETURN(const Payload payload, FindPayload(file));
  if (payload.spec.dtype == DType::kString) return CopyStrings(payload);
  if (!IsUsableAsIs(payload)) return CopyNumbers(payload);
  return Tensor::FromBuffer(
      payload.spec,
      Buffer::Wrap(payload.bytes, file.size() - payload.header.data_offset,
                   [file] {}));
}

}  // namespace scatterd
