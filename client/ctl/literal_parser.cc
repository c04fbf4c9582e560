#include "client/ctl/literal_parser.h"

#include <optional>
#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "client/ctl/literal_string.h"
#include "core/status_macros.h"

namespace scatterd::internal {
namespace {

// Whether all of `text` is digits.
bool IsDigits(absl::string_view text) {
  for (const char c : text) {
    if (!absl::ascii_isdigit(c)) return false;
  }
  return !text.empty();
}

absl::string_view WithoutSign(absl::string_view text) {
  if (absl::StartsWith(text, "-") || absl::StartsWith(text, "+")) {
    text.remove_prefix(1);
  }
  return text;
}

LiteralKind KindOfWord(absl::string_view word) {
  if (absl::EqualsIgnoreCase(word, "true") ||
      absl::EqualsIgnoreCase(word, "false")) {
    return LiteralKind::kBool;
  }
  if (IsDigits(WithoutSign(word))) return LiteralKind::kInteger;
  if (absl::EndsWithIgnoreCase(word, "j")) return LiteralKind::kComplex;
  return LiteralKind::kDecimal;
}

// Recursive descent; depth is limited by the highest rank.
class Parser {
 public:
  explicit Parser(absl::string_view text) : text_(text) {}

  absl::StatusOr<ParsedLiteral> Parse() {
    SCATTERD_RETURN_IF_ERROR(ParseValue(0));
    SkipSpace();
    if (!AtEnd()) return Error("unexpected text after the literal");
    for (const std::optional<int64_t> extent : extents_) {
      literal_.shape.Append(*extent);
    }
    return std::move(literal_);
  }

 private:
  bool AtEnd() const { return position_ == text_.size(); }

  void SkipSpace() {
    while (!AtEnd() && absl::ascii_isspace(text_[position_])) ++position_;
  }

  bool Consume(char c) {
    SkipSpace();
    if (AtEnd() || text_[position_] != c) return false;
    ++position_;
    return true;
  }

  absl::Status Error(absl::string_view what) const {
    return LiteralError(position_, what);
  }

  absl::Status ParseValue(int depth) {
    SkipSpace();
    if (AtEnd()) return Error("a value is missing at the end");
    if (text_[position_] == '[') return ParseList(depth);
    return ParseElement(depth);
  }

  absl::Status ParseList(int depth) {
    if (depth == kMaxRank) return Error("lists nested too deep (33 vs 32)");
    if (leaf_depth_ && depth >= *leaf_depth_) {
      return Error("a list among elements");
    }
    const size_t begin = position_++;
    if (depth == static_cast<int>(extents_.size())) extents_.emplace_back();
    int64_t length = 0;
    if (!Consume(']')) {
      do {
        SCATTERD_RETURN_IF_ERROR(ParseValue(depth + 1));
        ++length;
      } while (Consume(','));
      if (!Consume(']')) return Error("expected , or ]");
    }
    return FinishList(depth, begin, length);
  }

  absl::Status FinishList(int depth, size_t begin, int64_t length) {
    if (!extents_[depth]) extents_[depth] = length;
    if (*extents_[depth] == length) return absl::OkStatus();
    return LiteralError(
        begin, absl::StrCat("lists of one depth differ in length (", length,
                            " vs ", *extents_[depth], ")"));
  }

  absl::Status ParseElement(int depth) {
    if (!leaf_depth_ && depth == static_cast<int>(extents_.size())) {
      leaf_depth_ = depth;
    }
    if (leaf_depth_ != depth) return Error("an element among lists");
    const char first = text_[position_];
    return first == '"' || first == '\'' ? ParseString() : ParseWord();
  }

  absl::Status ParseString() {
    const size_t begin = position_;
    SCATTERD_ASSIGN_OR_RETURN(std::string bytes, ParseQuoted(text_, position_));
    literal_.elements.push_back(
        {LiteralKind::kString, std::move(bytes), begin});
    return absl::OkStatus();
  }

  absl::Status ParseWord() {
    const size_t begin = position_;
    while (!AtEnd() && !absl::ascii_isspace(text_[position_]) &&
           !absl::StrContains(",[]\"'", text_[position_])) {
      ++position_;
    }
    const absl::string_view word = text_.substr(begin, position_ - begin);
    if (word.empty()) return Error("a value is missing");
    literal_.elements.push_back({KindOfWord(word), std::string(word), begin});
    return absl::OkStatus();
  }

  absl::string_view text_;
  size_t position_ = 0;
  ParsedLiteral literal_;
  // Lengths of the lists by depth, once the first of them has ended.
  std::vector<std::optional<int64_t>> extents_;
  std::optional<int> leaf_depth_;  // of all elements
};

}  // namespace

absl::Status LiteralError(size_t position, absl::string_view what) {
  return absl::InvalidArgumentError(
      absl::StrCat("position ", position + 1, ": ", what));
}

absl::StatusOr<ParsedLiteral> ParseLiteralSyntax(absl::string_view text) {
  return Parser(text).Parse();
}

}  // namespace scatterd::internal
