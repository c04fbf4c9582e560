#include "client/ctl/literal_string.h"

#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_format.h"
#include "client/ctl/literal_parser.h"
#include "core/status_macros.h"
#include "proto/utf8.h"

namespace scatterd::internal {
namespace {

// Reads the inside of one string.
class QuotedReader {
 public:
  QuotedReader(absl::string_view text, size_t& position)
      : text_(text), position_(position) {}

  absl::StatusOr<std::string> Read() {
    const size_t begin = position_;
    const char quote = text_[position_++];
    while (position_ < text_.size()) {
      const char c = text_[position_++];
      if (c == quote) return std::move(bytes_);
      if (c == '\\') {
        SCATTERD_RETURN_IF_ERROR(ReadEscape());
      } else {
        bytes_ += c;
      }
    }
    return LiteralError(begin, "the string does not end");
  }

 private:
  absl::Status ReadEscape() {
    if (position_ == text_.size()) return BadEscape();
    const char c = text_[position_++];
    switch (c) {
      case 'n':
        bytes_ += '\n';
        return absl::OkStatus();
      case 't':
        bytes_ += '\t';
        return absl::OkStatus();
      case 'r':
        bytes_ += '\r';
        return absl::OkStatus();
      case 'b':
        bytes_ += '\b';
        return absl::OkStatus();
      case 'f':
        bytes_ += '\f';
        return absl::OkStatus();
      case '\\':
      case '"':
      case '\'':
      case '/':
        bytes_ += c;
        return absl::OkStatus();
      case 'x':
        return ReadByte();
      case 'u':
        return ReadCodePoint();
      default:
        return BadEscape();
    }
  }

  absl::Status ReadByte() {
    uint32_t byte;
    if (!ReadHex(2, byte)) return BadEscape();
    bytes_ += static_cast<char>(byte);
    return absl::OkStatus();
  }

  // JSON writes what is above U+FFFF as two surrogates.
  absl::Status ReadCodePoint() {
    uint32_t code_point;
    if (!ReadHex(4, code_point)) return BadEscape();
    if (code_point >= 0xd800 && code_point < 0xdc00) {
      uint32_t low;
      if (text_.substr(position_, 2) != "\\u") return BadEscape();
      position_ += 2;
      if (!ReadHex(4, low) || low < 0xdc00 || low > 0xdfff) return BadEscape();
      code_point = 0x10000 + ((code_point - 0xd800) << 10) + (low - 0xdc00);
    }
    return AppendUtf8(code_point, bytes_) ? absl::OkStatus() : BadEscape();
  }

  bool ReadHex(size_t digits, uint32_t& value) {
    const absl::string_view hex = text_.substr(position_, digits);
    if (hex.size() != digits) return false;
    for (const char c : hex) {
      if (!absl::ascii_isxdigit(c)) return false;
    }
    position_ += digits;
    return absl::SimpleHexAtoi(hex, &value);
  }

  absl::Status BadEscape() const {
    return LiteralError(position_ == 0 ? 0 : position_ - 1,
                        "unknown or incomplete escape");
  }

  absl::string_view text_;
  size_t& position_;
  std::string bytes_;
};

std::string EscapeByte(unsigned char byte) {
  switch (byte) {
    case '"':
      return "\\\"";
    case '\\':
      return "\\\\";
    case '\n':
      return "\\n";
    case '\t':
      return "\\t";
    case '\r':
      return "\\r";
    default:
      return absl::StrFormat("\\x%02x", byte);
  }
}

bool NeedsEscape(unsigned char byte, bool is_utf8) {
  if (byte >= 0x80) return !is_utf8;
  return byte < 0x20 || byte == 0x7f || byte == '"' || byte == '\\';
}

}  // namespace

absl::StatusOr<std::string> ParseQuoted(absl::string_view text,
                                        size_t& position) {
  return QuotedReader(text, position).Read();
}

std::string Quote(absl::string_view bytes) {
  const bool is_utf8 = IsValidUtf8(bytes);
  std::string quoted = "\"";
  for (const char c : bytes) {
    const auto byte = static_cast<unsigned char>(c);
    if (NeedsEscape(byte, is_utf8)) {
      quoted += EscapeByte(byte);
    } else {
      quoted += c;
    }
  }
  return quoted + '"';
}

bool AppendUtf8(uint32_t code_point, std::string& out) {
  const auto append = [&out](uint32_t byte) { out += static_cast<char>(byte); };
  const auto tail = [](uint32_t bits) { return 0x80 | (bits & 0x3f); };
  if (code_point > 0x10ffff || (code_point >> 11) == 0x1b) return false;
  if (code_point < 0x80) {
    append(code_point);
  } else if (code_point < 0x800) {
    append(0xc0 | code_point >> 6);
    append(tail(code_point));
  } else if (code_point < 0x10000) {
    append(0xe0 | code_point >> 12);
    append(tail(code_point >> 6));
    append(tail(code_point));
  } else {
    append(0xf0 | code_point >> 18);
    append(tail(code_point >> 12));
    append(tail(code_point >> 6));
    append(tail(code_point));
  }
  return true;
}

}  // namespace scatterd::internal
