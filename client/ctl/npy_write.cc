#include <algorithm>
#include <bit>
#include <cstdint>
#include <cstring>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "client/ctl/npy.h"
#include "client/ctl/npy_header.h"
#include "core/status_macros.h"
#include "proto/utf8.h"

namespace scatterd {
namespace {

constexpr char kHostOrder =
    std::endian::native == std::endian::little ? '<' : '>';

// NumPy's name of a numeric dtype's kind; 0 if it has none.
char KindLetter(DType dtype) {
  switch (KindOf(dtype)) {
    case DTypeKind::kInteger:
      return absl::StartsWith(DTypeName(dtype), "U") ? 'u' : 'i';
    case DTypeKind::kFloat:
      return 'f';
    case DTypeKind::kHalf:
      return dtype == DType::kFloat16 ? 'f' : 0;
    case DTypeKind::kComplex:
      return 'c';
    case DTypeKind::kBool:
      return 'b';
    case DTypeKind::kString:
    case DTypeKind::kOpaque:
      return 0;
  }
  return 0;
}

std::string Descr(char kind, size_t size) {
  const char order = kind == 'U' || size > 1 ? kHostOrder : '|';
  return absl::StrCat(std::string(1, kind == 'S' ? '|' : order),
                      std::string(1, kind), size);
}

// The code points of valid UTF-8.
std::vector<uint32_t> CodePoints(absl::string_view text) {
  std::vector<uint32_t> code_points;
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if ((byte & 0xc0) == 0x80) {
      code_points.back() = code_points.back() << 6 | (byte & 0x3f);
    } else {
      const uint32_t bits = byte < 0x80   ? byte
                            : byte < 0xe0 ? byte & 0x1f
                            : byte < 0xf0 ? byte & 0x0f
                                          : byte & 0x07;
      code_points.push_back(bits);
    }
  }
  return code_points;
}

absl::Status CheckNoTrailingZero(absl::Span<const StringRef> strings) {
  for (size_t i = 0; i < strings.size(); ++i) {
    if (absl::EndsWith(strings[i].view(), absl::string_view("\0", 1))) {
      return absl::InvalidArgumentError(
          absl::StrCat("npy: string ", i,
                       " ends with a zero byte, which .npy cannot hold; "
                       "write an ONNX .pb file"));
    }
  }
  return absl::OkStatus();
}

// Elements of `item_size` bytes, written by write(string, destination) over
// zeros.
template <typename Write>
absl::StatusOr<NpyFile> FixedWidth(const Tensor& tensor, char kind,
                                   size_t item_size, size_t unit_size,
                                   Write write) {
  SCATTERD_RETURN_IF_ERROR(
      CheckedNumElements(tensor.shape(), item_size).status());
  SCATTERD_ASSIGN_OR_RETURN(
      Buffer elements,
      Buffer::AllocateZeroed(tensor.num_elements() * item_size));
  std::byte* next = elements.mutable_data();
  for (const StringRef& string : tensor.values<StringRef>()) {
    write(string.view(), next);
    next += item_size;
  }
  return NpyFile{internal::FormatNpyHeader(Descr(kind, item_size / unit_size),
                                           tensor.shape()),
                 std::move(elements)};
}

absl::StatusOr<NpyFile> FormatBytes(const Tensor& tensor) {
  size_t longest = 1;
  for (const StringRef& string : tensor.values<StringRef>()) {
    longest = std::max(longest, string.size);
  }
  return FixedWidth(tensor, 'S', longest, 1,
                    [](absl::string_view string, std::byte* item) {
                      if (string.empty()) return;
                      std::memcpy(item, string.data(), string.size());
                    });
}

absl::StatusOr<NpyFile> FormatText(const Tensor& tensor) {
  size_t longest = 1;
  for (const StringRef& string : tensor.values<StringRef>()) {
    longest = std::max(longest, CodePoints(string.view()).size());
  }
  return FixedWidth(tensor, 'U', 4 * longest, 4,
                    [](absl::string_view string, std::byte* item) {
                      for (const uint32_t unit : CodePoints(string)) {
                        std::memcpy(item, &unit, sizeof(unit));
                        item += sizeof(unit);
                      }
                    });
}

absl::StatusOr<NpyFile> FormatStrings(const Tensor& tensor) {
  const absl::Span<const StringRef> strings = tensor.values<StringRef>();
  SCATTERD_RETURN_IF_ERROR(CheckNoTrailingZero(strings));
  const bool is_text =
      std::all_of(strings.begin(), strings.end(), [](const StringRef& string) {
        return internal::IsValidUtf8(string.view());
      });
  return is_text ? FormatText(tensor) : FormatBytes(tensor);
}

}  // namespace

absl::StatusOr<NpyFile> FormatNpy(const Tensor& tensor) {
  if (tensor.dtype() == DType::kString) return FormatStrings(tensor);
  const char kind = KindLetter(tensor.dtype());
  if (kind == 0) {
    return absl::InvalidArgumentError(absl::StrCat("npy: .npy has no ",
                                                   DTypeName(tensor.dtype()),
                                                   "; write an ONNX .pb file"));
  }
  return NpyFile{internal::FormatNpyHeader(
                     Descr(kind, ElementSize(tensor.dtype())), tensor.shape()),
                 tensor.elements()};
}

}  // namespace scatterd
