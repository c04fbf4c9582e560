#include "client/ctl/npy_header.h"

#include <bit>
#include <cstdint>
#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/strip.h"
#include "core/status_macros.h"

namespace scatterd::internal {
namespace {

constexpr absl::string_view kMagic("\x93NUMPY", 6);
constexpr size_t kVersionSize = 2;
constexpr size_t kAlignment = 64;  // of the elements in the file

// NumPy's headers have a few hundred bytes; its own readers stop at 10000.
constexpr size_t kMaxHeaderSize = 65535;

absl::Status Malformed(absl::string_view what) {
  return absl::InvalidArgumentError(absl::StrCat("npy: ", what));
}

uint32_t LittleEndian(absl::string_view bytes) {
  uint32_t value = 0;
  for (size_t i = bytes.size(); i-- > 0;) {
    value = value << 8 | static_cast<unsigned char>(bytes[i]);
  }
  return value;
}

// Reads the header's text: a Python dictionary with three known keys.
class DictionaryReader {
 public:
  DictionaryReader(absl::string_view text, NpyHeader& header)
      : text_(text), header_(header) {}

  absl::Status Read() {
    if (!Consume('{')) return Malformed("the header is no dictionary");
    while (!Consume('}')) {
      SCATTERD_RETURN_IF_ERROR(ReadEntry());
      if (!Consume(',') && !Peek('}')) {
        return Malformed("the header is malformed");
      }
    }
    text_ = absl::StripAsciiWhitespace(text_);
    if (!text_.empty()) return Malformed("text after the header's dictionary");
    if (!has_descr_ || !has_order_ || !has_shape_) {
      return Malformed("descr, fortran_order or shape is missing");
    }
    return absl::OkStatus();
  }

 private:
  bool Peek(char c) {
    text_ = absl::StripLeadingAsciiWhitespace(text_);
    return absl::StartsWith(text_, absl::string_view(&c, 1));
  }

  bool Consume(char c) {
    if (!Peek(c)) return false;
    text_.remove_prefix(1);
    return true;
  }

  // The longest prefix of letters and digits.
  absl::string_view TakeWord() {
    text_ = absl::StripLeadingAsciiWhitespace(text_);
    size_t size = 0;
    while (size < text_.size() && absl::ascii_isalnum(text_[size])) ++size;
    const absl::string_view word = text_.substr(0, size);
    text_.remove_prefix(size);
    return word;
  }

  absl::StatusOr<absl::string_view> TakeString() {
    const char quote = Peek('"') ? '"' : '\'';
    const size_t end = Peek(quote) ? text_.find(quote, 1) : text_.npos;
    if (end == text_.npos) return Malformed("a string is missing");
    const absl::string_view string = text_.substr(1, end - 1);
    text_.remove_prefix(end + 1);
    return string;
  }

  absl::Status ReadEntry() {
    SCATTERD_ASSIGN_OR_RETURN(const absl::string_view key, TakeString());
    if (!Consume(':')) return Malformed("the header is malformed");
    if (key == "descr") return ReadDescr();
    if (key == "fortran_order") return ReadOrder();
    if (key == "shape") return ReadShape();
    return Malformed("the header has an unknown key");
  }

  absl::Status ReadDescr() {
    has_descr_ = true;
    if (Peek('[')) return Malformed("structured dtypes are not supported");
    SCATTERD_ASSIGN_OR_RETURN(absl::string_view descr, TakeString());
    const absl::string_view whole = descr;
    header_.big_endian = std::endian::native == std::endian::big;
    if (!descr.empty() && absl::StrContains("<>|=", descr[0])) {
      if (descr[0] == '<' || descr[0] == '>') {
        header_.big_endian = descr[0] == '>';
      }
      descr.remove_prefix(1);
    }
    uint64_t size;
    if (descr.size() < 2 || !absl::SimpleAtoi(descr.substr(1), &size) ||
        size > UINT32_MAX) {
      return Malformed(absl::StrCat("unknown dtype \"", whole, "\""));
    }
    header_.kind = descr[0];
    // U counts characters of four bytes.
    header_.item_size = descr[0] == 'U' ? 4 * size : size;
    return absl::OkStatus();
  }

  absl::Status ReadOrder() {
    has_order_ = true;
    const absl::string_view word = TakeWord();
    header_.fortran_order = word == "True";
    if (word == "True" || word == "False") return absl::OkStatus();
    return Malformed("fortran_order is neither True nor False");
  }

  absl::Status ReadShape() {
    has_shape_ = true;
    header_.shape = Shape();
    if (!Consume('(')) return Malformed("shape is no tuple");
    while (!Consume(')')) {
      int64_t extent;
      absl::string_view word = TakeWord();
      absl::ConsumeSuffix(&word, "L");  // as Python 2 wrote
      if (!absl::SimpleAtoi(word, &extent)) {
        return Malformed("shape has an extent that is no number");
      }
      if (header_.shape.rank() == kMaxRank) {
        return Malformed("shape has too many extents (33 vs 32)");
      }
      header_.shape.Append(extent);
      if (!Consume(',') && !Peek(')')) return Malformed("shape is malformed");
    }
    return absl::OkStatus();
  }

  absl::string_view text_;
  NpyHeader& header_;
  bool has_descr_ = false;
  bool has_order_ = false;
  bool has_shape_ = false;
};

}  // namespace

absl::StatusOr<NpyHeader> ParseNpyHeader(absl::string_view file) {
  if (!absl::ConsumePrefix(&file, kMagic) || file.size() < kVersionSize) {
    return Malformed("no .npy file");
  }
  const int version = static_cast<unsigned char>(file[0]);
  if (version < 1 || version > 3) {
    return Malformed(absl::StrCat("unknown version ", version));
  }
  file.remove_prefix(kVersionSize);
  const size_t length_size = version == 1 ? 2 : 4;
  const size_t header_size = LittleEndian(file.substr(0, length_size));
  if (file.size() < length_size || file.size() - length_size < header_size ||
      header_size > kMaxHeaderSize) {
    return Malformed("the header is cut off or too long");
  }
  NpyHeader header;
  header.data_offset = kMagic.size() + kVersionSize + length_size + header_size;
  SCATTERD_RETURN_IF_ERROR(
      DictionaryReader(file.substr(length_size, header_size), header).Read());
  return header;
}

std::string FormatNpyHeader(absl::string_view descr, const Shape& shape) {
  std::string text = absl::StrCat(
      "{'descr': '", descr, "', 'fortran_order': False, 'shape': (",
      absl::StrJoin(shape.dims(), ", "), shape.rank() == 1 ? "," : "", "), }");
  const size_t prefix = kMagic.size() + kVersionSize + 2;
  while ((prefix + text.size() + 1) % kAlignment != 0) text += ' ';
  text += '\n';
  const char preamble[] = {1, 0, static_cast<char>(text.size() & 0xff),
                           static_cast<char>(text.size() >> 8)};
  return absl::StrCat(kMagic, absl::string_view(preamble, sizeof(preamble)),
                      text);
}

}  // namespace scatterd::internal
