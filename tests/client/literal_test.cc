#include "client/ctl/literal.h"

#include <cmath>
#include <cstdint>
#include <limits>
#include <random>
#include <string>
#include <vector>

#include "absl/strings/match.h"
#include "client/ctl/tensor_spec_text.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/testing/status_matchers.h"
#include "tests/testing/tensor_literals.h"
#include "tests/testing/tensor_matchers.h"

namespace scatterd {
namespace {

using ::scatterd::test::Bools;
using ::scatterd::test::EqualsTensor;
using ::scatterd::test::Halves;
using ::scatterd::test::Indices;
using ::scatterd::test::IsOkAndHolds;
using ::scatterd::test::StatusIs;
using ::scatterd::test::Strings;
using ::scatterd::test::TensorOf;
using ::testing::HasSubstr;

constexpr float kInf = std::numeric_limits<float>::infinity();

absl::StatusOr<Tensor> Parse(absl::string_view text) {
  return ParseLiteral(text, std::nullopt);
}

TEST(Literal, IntegersAreInt64) {
  EXPECT_THAT(Parse("[[1, 2], [3, -4]]"),
              IsOkAndHolds(EqualsTensor(Indices({2, 2}, {1, 2, 3, -4}))));
}

TEST(Literal, ABareValueIsAScalar) {
  EXPECT_THAT(Parse(" 7 "), IsOkAndHolds(EqualsTensor(Indices({}, {7}))));
}

TEST(Literal, OneDecimalMakesAllFloat) {
  EXPECT_THAT(Parse("[1, 2.5, -inf, .5, 1e3, +2]"),
              IsOkAndHolds(EqualsTensor(TensorOf<float>(
                  {6}, {1.0f, 2.5f, -kInf, 0.5f, 1000.0f, 2.0f}))));
}

TEST(Literal, NanIsANumber) {
  const absl::StatusOr<Tensor> tensor = Parse("[nan, 1]");
  ASSERT_THAT(tensor, test::IsOk());
  EXPECT_EQ(tensor->dtype(), DType::kFloat);
  EXPECT_TRUE(std::isnan(tensor->values<float>()[0]));
}

TEST(Literal, StringsKeepTheirBytes) {
  EXPECT_THAT(Parse(R"(["a", 'it\'s', "tab\t", "\x00\xff", ""])"),
              IsOkAndHolds(EqualsTensor(Strings(
                  {5}, {"a", "it's", "tab\t", std::string("\0\xff", 2), ""}))));
}

TEST(Literal, UnicodeEscapesBecomeUtf8) {
  EXPECT_THAT(
      Parse(R"(["\u00e9", "\u20ac", "\ud83d\ude00", "é"])"),
      IsOkAndHolds(EqualsTensor(Strings(
          {4}, {"\xc3\xa9", "\xe2\x82\xac", "\xf0\x9f\x98\x80", "\xc3\xa9"}))));
}

TEST(Literal, TrueAndFalseAreBool) {
  EXPECT_THAT(Parse("[true, False]"),
              IsOkAndHolds(EqualsTensor(Bools({2}, {true, false}))));
}

TEST(Literal, AComplexNumberMakesAllComplex64) {
  EXPECT_THAT(
      Parse("[1+2j, -0.5j, 3, 1e-2-1e+2j, -inf+infj]"),
      IsOkAndHolds(EqualsTensor(TensorOf<Complex64>(
          {5}, {{1, 2}, {0, -0.5f}, {3, 0}, {0.01f, -100}, {-kInf, kInf}}))));
}

TEST(Literal, EmptyListsHaveTheirLengths) {
  EXPECT_THAT(Parse("[]"),
              IsOkAndHolds(EqualsTensor(TensorOf<float>({0}, {}))));
  EXPECT_THAT(Parse("[[], []]"),
              IsOkAndHolds(EqualsTensor(TensorOf<float>({2, 0}, {}))));
  EXPECT_THAT(ParseLiteral("[[[]]]", DType::kInt64),
              IsOkAndHolds(EqualsTensor(Indices({1, 1, 0}, {}))));
}

TEST(Literal, ASpecIsAnEmptyTensor) {
  EXPECT_THAT(Parse("int64[0,3]"),
              IsOkAndHolds(EqualsTensor(Indices({0, 3}, {}))));
  EXPECT_THAT(Parse("int64[2,3]"),
              StatusIs(absl::StatusCode::kInvalidArgument,
                       HasSubstr("only of an empty tensor")));
  EXPECT_THAT(ParseLiteral("int64[0]", DType::kFloat),
              StatusIs(absl::StatusCode::kInvalidArgument,
                       HasSubstr("INT64 vs FLOAT")));
}

TEST(Literal, DTypeDecidesHowValuesAreRead) {
  EXPECT_THAT(ParseLiteral("[1, 2]", DType::kDouble),
              IsOkAndHolds(EqualsTensor(TensorOf<double>({2}, {1, 2}))));
  EXPECT_THAT(ParseLiteral("[0, 255]", DType::kUInt8),
              IsOkAndHolds(EqualsTensor(TensorOf<uint8_t>({2}, {0, 255}))));
  EXPECT_THAT(ParseLiteral("[1, 0, true]", DType::kBool),
              IsOkAndHolds(EqualsTensor(Bools({3}, {true, false, true}))));
  EXPECT_THAT(
      ParseLiteral("[18446744073709551615]", DType::kUInt64),
      IsOkAndHolds(EqualsTensor(TensorOf<uint64_t>({1}, {UINT64_MAX}))));
}

TEST(Literal, HalvesAreRoundedToNearestOnce) {
  EXPECT_THAT(
      ParseLiteral("[1, 0.1, 65504]", DType::kFloat16),
      IsOkAndHolds(EqualsTensor(Halves<Float16>({3}, {1, 0.1, 65504}))));
  // 1 + 2^-11 is a tie that goes to 1; the least bit more goes up.  Rounding
  // to float first would lose that bit.
  EXPECT_THAT(
      ParseLiteral("[1.00048828125, 1.000488281250001]", DType::kFloat16),
      IsOkAndHolds(EqualsTensor(Halves<Float16>({2}, {1.0, 1.0009765625}))));
}

struct RefusedCase {
  const char* text;
  DType dtype;  // kUnspecified: not given
  const char* message;
};

TEST(Literal, RefusesAndNamesThePosition) {
  const RefusedCase kCases[] = {
      {"", {}, "position 1: a value is missing at the end"},
      {"[1, 2", {}, "position 6: expected , or ]"},
      {"[1,, 2]", {}, "position 4: a value is missing"},
      {"[1,]", {}, "position 4: a value is missing"},
      {"[1] 2", {}, "position 5: unexpected text"},
      {"[[1, 2], [3]]", {}, "position 10: lists of one depth differ"},
      {"[1, [2]]", {}, "position 5: a list among elements"},
      {"[[1], 2]", {}, "position 7: an element among lists"},
      {"[[], 1]", {}, "position 6: an element among lists"},
      {"[1, \"a\"]", {}, "position 5: strings, bools and numbers are mixed"},
      {"[true, 1]", {}, "position 8: strings, bools and numbers are mixed"},
      {"[1, abc]", {}, "position 5: abc is no value of FLOAT"},
      {"[1, +-2]", {}, "position 5: +-2 is no value of FLOAT"},
      {"[1j2]", {}, "position 2: 1j2 is no value of FLOAT"},
      {"[j]", {}, "position 2: j is no value of COMPLEX64"},
      {"[1, 300]", DType::kInt8, "position 5: 300 is no value of INT8"},
      {"[-1]", DType::kUInt8, "position 2: -1 is no value of UINT8"},
      {"[1.5]", DType::kInt64, "position 2: 1.5 is no value of INT64"},
      {"[true]", DType::kFloat, "position 2: true is no value of FLOAT"},
      {"[2]", DType::kBool, "position 2: 2 is no value of BOOL"},
      {"[1e999]", DType::kFloat, "position 2: 1e999 is no value of FLOAT"},
      {"[70000]", DType::kFloat16, "position 2: 70000 is no value of FLOAT16"},
      {"[1]", DType::kString, "position 2: 1 is no value of STRING"},
      {"['a']", DType::kFloat, "position 2: a string is no value of FLOAT"},
      {"['abc]", {}, "position 2: the string does not end"},
      {"['\\q']", {}, "unknown or incomplete escape"},
      {"['\\x1']", {}, "unknown or incomplete escape"},
      {"['\\ud800']", {}, "unknown or incomplete escape"},
      {"['\\udc00']", {}, "unknown or incomplete escape"},
      {"['\\", {}, "unknown or incomplete escape"},
      {"[1]", DType::kFloat8E4M3FN, "FLOAT8E4M3FN has no literals"},
  };
  for (const RefusedCase& c : kCases) {
    SCOPED_TRACE(c.text);
    std::optional<DType> dtype;
    if (c.dtype != DType::kUnspecified) dtype = c.dtype;
    EXPECT_THAT(
        ParseLiteral(c.text, dtype),
        StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr(c.message)));
  }
}

TEST(Literal, RefusesMoreThan32Lists) {
  const std::string deepest = std::string(32, '[') + "1" + std::string(32, ']');
  EXPECT_THAT(Parse(deepest), test::IsOk());
  EXPECT_THAT(Parse(std::string(100'000, '[')),
              StatusIs(absl::StatusCode::kInvalidArgument,
                       HasSubstr("nested too deep")));
}

TEST(Literal, FormatsOneInnerListPerLine) {
  EXPECT_THAT(FormatLiteral(Indices({2, 2}, {1, 2, 3, 4})),
              IsOkAndHolds(std::string("[[1, 2],\n [3, 4]]")));
  EXPECT_THAT(FormatLiteral(Indices({2, 1, 2}, {1, 2, 3, 4})),
              IsOkAndHolds(std::string("[[[1, 2]],\n [[3, 4]]]")));
  EXPECT_THAT(FormatLiteral(Indices({}, {5})), IsOkAndHolds(std::string("5")));
}

TEST(Literal, FormatsDecimalsAsDecimals) {
  EXPECT_THAT(
      FormatLiteral(TensorOf<float>({5}, {4, 0.1f, -0.0f, kInf, 1e30f})),
      IsOkAndHolds(std::string("[4.0, 0.1, -0.0, inf, 1e+30]")));
}

TEST(Literal, FormatsStringsQuotedAndEscaped) {
  EXPECT_THAT(
      FormatLiteral(Strings({3}, {"say \"hi\"\n", "\xc3\xa9", "\xff\x01"})),
      IsOkAndHolds(std::string(R"(["say \"hi\"\n", "é", "\xff\x01"])")));
}

TEST(Literal, RefusesToFormatFloat8) {
  EXPECT_THAT(FormatLiteral(test::Bytes(DType::kFloat8E5M2, {1}, {0})),
              StatusIs(absl::StatusCode::kInvalidArgument,
                       HasSubstr("write an ONNX .pb file")));
}

TEST(Literal, WhatIsFormattedReadsBackBitForBit) {
  using Float = std::numeric_limits<float>;
  using Double = std::numeric_limits<double>;
  const std::vector<Tensor> tensors = {
      TensorOf<float>({2, 3}, {0.1f, -0.0f, Float::denorm_min(), Float::max(),
                               -kInf, 16777216.0f}),
      TensorOf<double>({3}, {0.1, Double::denorm_min(), Double::lowest()}),
      TensorOf<int64_t>({2}, {INT64_MIN, INT64_MAX}),
      TensorOf<uint64_t>({2}, {0, UINT64_MAX}),
      TensorOf<int8_t>({2}, {-128, 127}),
      Halves<Float16>({4}, {0.1, 65504, 5.9604644775390625e-08, -0.0}),
      Halves<BFloat16>({3}, {0.1, 3e38, -1e-40}),
      Bools({2, 1}, {true, false}),
      TensorOf<Complex64>({3}, {{1, -2}, {-0.0f, kInf}, {0, -0.0f}}),
      TensorOf<Complex128>({1}, {{0.1, -1e-300}}),
      Strings({2, 2}, {"", "a,b]", "\"'\\", std::string("\0z\x80", 3)}),
      TensorOf<float>({}, {2.5f}),
      TensorOf<float>({3, 0}, {}),
      TensorOf<float>({0, 3}, {}),
      TensorOf<double>({2, 0, 4}, {}),
  };
  for (const Tensor& tensor : tensors) {
    const absl::StatusOr<std::string> text = FormatLiteral(tensor);
    ASSERT_THAT(text, test::IsOk());
    SCOPED_TRACE(*text);
    EXPECT_THAT(ParseLiteral(*text, tensor.dtype()),
                IsOkAndHolds(EqualsTensor(tensor)));
  }
}

TEST(Literal, RandomTextIsRefusedOrReadsBack) {
  constexpr absl::string_view kAlphabet = "[[[]]],,, 012.-+ejnaif\"'\\xu";
  std::minstd_rand random(1);
  int num_read = 0;
  for (int i = 0; i < 200'000; ++i) {
    std::string text;
    for (int length = random() % 12; length > 0; --length) {
      text += kAlphabet[random() % kAlphabet.size()];
    }
    const absl::StatusOr<Tensor> tensor = Parse(text);
    // A NaN's sign is not kept.
    if (!tensor.ok() || absl::StrContains(text, "nan")) continue;
    ++num_read;
    SCOPED_TRACE(text);
    const absl::StatusOr<std::string> formatted = FormatLiteral(*tensor);
    ASSERT_THAT(formatted, test::IsOk());
    EXPECT_THAT(ParseLiteral(*formatted, tensor->dtype()),
                IsOkAndHolds(EqualsTensor(*tensor)));
  }
  EXPECT_GT(num_read, 0);
}

TEST(TensorSpecText, ReadsBothSpellings) {
  EXPECT_THAT(ParseTensorSpec("float32[8]"),
              IsOkAndHolds(TensorSpec{DType::kFloat, {8}}));
  EXPECT_THAT(ParseTensorSpec("INT64[2,0,3]"),
              IsOkAndHolds(TensorSpec{DType::kInt64, {2, 0, 3}}));
  EXPECT_THAT(ParseTensorSpec("bool[]"),
              IsOkAndHolds(TensorSpec{DType::kBool, {}}));
}

TEST(TensorSpecText, RefusesWhatIsNoSpec) {
  for (const char* text :
       {"", "float32", "float32[", "[8]", "float33[8]", "float32[8]x",
        "float32[-1]", "float32[1,]", "float32[a]",
        "float32[9223372036854775807,9223372036854775807]"}) {
    SCOPED_TRACE(text);
    EXPECT_THAT(ParseTensorSpec(text),
                StatusIs(absl::StatusCode::kInvalidArgument));
  }
}

}  // namespace
}  // namespace scatterd
