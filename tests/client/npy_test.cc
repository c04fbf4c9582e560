#include "client/ctl/npy.h"

#include <cstdint>
#include <cstring>
#include <random>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
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
using ::scatterd::test::IsOk;
using ::scatterd::test::IsOkAndHolds;
using ::scatterd::test::StatusIs;
using ::scatterd::test::Strings;
using ::scatterd::test::TensorOf;
using ::testing::HasSubstr;
using ::testing::StartsWith;

// Bytes with zeros among them.
template <size_t N>
std::string Bytes(const char (&text)[N]) {
  return std::string(text, N - 1);
}

Buffer ToBuffer(const std::string& bytes) {
  Buffer buffer = *Buffer::Allocate(bytes.size());
  if (!bytes.empty()) {
    std::memcpy(buffer.mutable_data(), bytes.data(), bytes.size());
  }
  return buffer;
}

absl::StatusOr<Tensor> Parse(const std::string& bytes) {
  return ParseNpy(ToBuffer(bytes));
}

// A file as the format describes it: magic, version, length, dictionary.
std::string File(const std::string& dictionary, const std::string& elements,
                 int version = 1) {
  std::string file = Bytes("\x93NUMPY");
  file += static_cast<char>(version);
  file += '\0';
  const int length_size = version == 1 ? 2 : 4;
  for (int i = 0; i < length_size; ++i) {
    file += static_cast<char>(dictionary.size() >> (8 * i));
  }
  return file + dictionary + elements;
}

std::string Dictionary(const std::string& descr, const std::string& shape,
                       bool fortran_order = false) {
  return absl::StrCat("{'descr': '", descr,
                      "', 'fortran_order': ", fortran_order ? "True" : "False",
                      ", 'shape': ", shape, ", }");
}

TEST(Npy, ReadsNumPysOwnFiles) {
  // Written by numpy 2 with numpy.save.
  const std::string spaces(58, ' ');
  EXPECT_THAT(
      Parse(Bytes("\x93NUMPY\x01\x00v\x00{'descr': '<i2', 'fortran_order': "
                  "False, 'shape': (2, 3), }") +
            spaces + Bytes("\n\x01\0\x02\0\x03\0\x04\0\x05\0\x06\0")),
      IsOkAndHolds(
          EqualsTensor(TensorOf<int16_t>({2, 3}, {1, 2, 3, 4, 5, 6}))));
  EXPECT_THAT(
      Parse(Bytes("\x93NUMPY\x01\x00v\x00{'descr': '>i4', 'fortran_order': "
                  "True, 'shape': (2, 3), } ") +
            spaces +
            Bytes("\n\0\0\0\x01\0\0\0\x04\0\0\0\x02\0\0\0\x05\0\0\0\x03"
                  "\0\0\0\x06")),
      IsOkAndHolds(
          EqualsTensor(TensorOf<int32_t>({2, 3}, {1, 2, 3, 4, 5, 6}))));
}

TEST(Npy, ReadsEveryDType) {
  struct Case {
    const char* descr;
    std::string elements;
    Tensor expected;
  };
  const std::vector<Case> cases = {
      {"|b1", Bytes("\x01\x00\x05"), Bools({3}, {true, false, true})},
      {"|i1", Bytes("\xff"), TensorOf<int8_t>({1}, {-1})},
      {"|u1", Bytes("\xff"), TensorOf<uint8_t>({1}, {255})},
      {"<u2", Bytes("\x34\x12"), TensorOf<uint16_t>({1}, {0x1234})},
      {">i2", Bytes("\x12\x34"), TensorOf<int16_t>({1}, {0x1234})},
      {"<u4", Bytes("\x04\x03\x02\x01"), TensorOf<uint32_t>({1}, {0x01020304})},
      {">u8", Bytes("\x01\x02\x03\x04\x05\x06\x07\x08"),
       TensorOf<uint64_t>({1}, {0x0102030405060708})},
      {"<i8", Bytes("\xfe\xff\xff\xff\xff\xff\xff\xff"),
       TensorOf<int64_t>({1}, {-2})},
      {"<f2", Bytes("\x00\x3c"), Halves<Float16>({1}, {1.0})},
      {">f2", Bytes("\x3c\x00"), Halves<Float16>({1}, {1.0})},
      {"<f4", Bytes("\x00\x00\x80\x3f"), TensorOf<float>({1}, {1.0f})},
      {">f8", Bytes("\x3f\xf0\0\0\0\0\0\0"), TensorOf<double>({1}, {1.0})},
      {"<c8", Bytes("\0\0\x80\x3f\0\0\0\x40"),
       TensorOf<Complex64>({1}, {{1, 2}})},
      {">c16", Bytes("\x3f\xf0\0\0\0\0\0\0\x40\0\0\0\0\0\0\0"),
       TensorOf<Complex128>({1}, {{1, 2}})},
      {"|S3", Bytes("abca\0b\0\0\0"), Strings({3}, {"abc", Bytes("a\0b"), ""})},
      {"<U2",
       Bytes("\xe9\0\0\0x\0\0\0"
             "\0\xf6\x01\0\0\0\0\0"),
       Strings({2}, {"\xc3\xa9x", "\xf0\x9f\x98\x80"})},
      {">U1", Bytes("\0\0\0a"), Strings({1}, {"a"})},
  };
  for (const Case& c : cases) {
    SCOPED_TRACE(c.descr);
    const std::string shape =
        absl::StrCat("(", c.expected.num_elements(), ",)");
    for (const int version : {1, 2, 3}) {
      EXPECT_THAT(Parse(File(Dictionary(c.descr, shape), c.elements, version)),
                  IsOkAndHolds(EqualsTensor(c.expected)));
    }
  }
}

TEST(Npy, ReadsFortranOrderAsRowMajor) {
  // data[i][j][k] = 100 i + 10 j + k, first axis fastest in the file.
  std::string elements;
  std::vector<int8_t> row_major;
  for (int k = 0; k < 2; ++k) {
    for (int j = 0; j < 3; ++j) {
      for (int i = 0; i < 2; ++i) {
        elements += static_cast<char>(100 * i + 10 * j + k);
      }
    }
  }
  for (int i = 0; i < 2; ++i) {
    for (int j = 0; j < 3; ++j) {
      for (int k = 0; k < 2; ++k) {
        row_major.push_back(static_cast<int8_t>(100 * i + 10 * j + k));
      }
    }
  }
  EXPECT_THAT(
      Parse(File(Dictionary("|i1", "(2, 3, 2)", true), elements)),
      IsOkAndHolds(EqualsTensor(TensorOf<int8_t>({2, 3, 2}, row_major))));
}

TEST(Npy, ReadsScalarsAndEmptyArrays) {
  EXPECT_THAT(Parse(File(Dictionary("|u1", "()"), "\x07")),
              IsOkAndHolds(EqualsTensor(TensorOf<uint8_t>({}, {7}))));
  EXPECT_THAT(Parse(File(Dictionary("<f4", "(0, 3)"), "")),
              IsOkAndHolds(EqualsTensor(TensorOf<float>({0, 3}, {}))));
  EXPECT_THAT(Parse(File(Dictionary("|S0", "(0,)"), "")),
              IsOkAndHolds(EqualsTensor(Strings({0}, {}))));
}

TEST(Npy, ReadsDictionariesInAnyLayout) {
  EXPECT_THAT(
      Parse(File("{\"shape\":(2L,),\"fortran_order\":False,\"descr\":\"|u1\"}",
                 "\x01\x02")),
      IsOkAndHolds(EqualsTensor(TensorOf<uint8_t>({2}, {1, 2}))));
}

// A header that puts the elements at an address which is a multiple of 64.
std::string AlignedDictionary(std::string dictionary) {
  while ((10 + dictionary.size()) % 64 != 0) dictionary += ' ';
  return dictionary;
}

TEST(Npy, SharesTheFilesMemoryWhereItCan) {
  const std::string elements = Bytes("\x01\0\0\0\x02\0\0\0");
  const Buffer aligned =
      ToBuffer(File(AlignedDictionary(Dictionary("<i4", "(2,)")), elements));
  const absl::StatusOr<Tensor> shared = ParseNpy(aligned);
  ASSERT_THAT(shared, IsOk());
  EXPECT_EQ(shared->bytes(), aligned.data() + aligned.size() - 8);

  const Buffer odd = ToBuffer(
      File(AlignedDictionary(Dictionary("<i4", "(2,)")) + ' ', elements));
  const absl::StatusOr<Tensor> copied = ParseNpy(odd);
  ASSERT_THAT(copied, IsOk());
  EXPECT_EQ(reinterpret_cast<uintptr_t>(copied->bytes()) % 4, 0u);
  EXPECT_THAT(*copied, EqualsTensor(*shared));
}

TEST(Npy, RefusesHostileFiles) {
  struct Case {
    std::string file;
    const char* message;
  };
  const std::string good = File(Dictionary("|u1", "(2,)"), "\x01\x02");
  const std::vector<Case> cases = {
      {"", "no .npy file"},
      {"PK\x03\x04", "no .npy file"},
      {good.substr(0, 6), "no .npy file"},
      {good.substr(0, 8), "cut off"},
      {good.substr(0, 20), "cut off"},
      {good.substr(0, good.size() - 1), "(1 vs 2 bytes)"},
      {good + "x", "(3 vs 2 bytes)"},
      {File(Dictionary("|u1", "(2,)"), "\x01\x02", 4), "unknown version 4"},
      {File("", ""), "no dictionary"},
      {File("{", ""), "a string is missing"},
      {File("{}", ""), "is missing"},
      {File("{'descr': '|u1'}", ""), "is missing"},
      {File("{'descr': '|u1' 'shape': ()}", ""), "malformed"},
      {File("{'evil': '|u1'}", ""), "unknown key"},
      {File(Dictionary("|u1", "(1,)") + "x", "1"), "after the header"},
      {File("{'descr': [('a', '<i4')], 'fortran_order': False, 'shape': ()}",
            ""),
       "structured"},
      {File("{'descr': '|u1', 'fortran_order': 1, 'shape': ()}", ""),
       "fortran_order"},
      {File(Dictionary("|u1", "2"), ""), "no tuple"},
      {File(Dictionary("|u1", "(2"), ""), "extent that is no number"},
      {File(Dictionary("|u1", "(-2,)"), ""), "extent that is no number"},
      {File(Dictionary("|u1", "(99999999999999999999,)"), ""),
       "extent that is no number"},
      {File(Dictionary("<f8", "(4611686018427387904,)"), ""), ""},
      {File(Dictionary("<f8", "(4294967296,4294967296,0)"), ""), ""},
      {File(Dictionary("|S0", "(1000000000000,)"), ""), "no bytes"},
      {File(Dictionary("|O", "(1,)"), ""), "unknown dtype \"|O\""},
      {File(Dictionary("|O8", "(1,)"), ""), "O8 is not supported"},
      {File(Dictionary("<M8", "(1,)"), ""), "M8 is not supported"},
      {File(Dictionary("<f16", "(1,)"), ""), "f16 is not supported"},
      {File(Dictionary("|V2", "(1,)"), ""), "bfloat16 and float8 need"},
      {File(Dictionary("<U1", "(1,)"), Bytes("\0\0\x11\0")), "no Unicode"},
      {File(Dictionary("<U1", "(1,)"), Bytes("\0\xd8\0\0")), "no Unicode"},
  };
  for (const Case& c : cases) {
    SCOPED_TRACE(c.file);
    EXPECT_THAT(Parse(c.file), StatusIs(absl::StatusCode::kInvalidArgument,
                                        HasSubstr(c.message)));
  }
}

TEST(Npy, RefusesMoreThan32Extents) {
  std::string shape = "(";
  for (int i = 0; i < 33; ++i) shape += "1,";
  EXPECT_THAT(
      Parse(File(Dictionary("|u1", shape + ")"), "\x01")),
      StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("33 vs 32")));
}

// One to four bytes of `bytes` changed, or its end cut off.
std::string Mutate(std::string bytes, std::minstd_rand& random) {
  for (int i = random() % 4; i >= 0; --i) {
    bytes[random() % bytes.size()] = static_cast<char>(random());
  }
  if (random() % 8 == 0) bytes.resize(random() % bytes.size());
  return bytes;
}

TEST(Npy, DamagedFilesAreRefusedOrReadInFull) {
  const std::vector<std::string> files = {
      File(Dictionary(">i4", "(2, 3)", true), std::string(24, 'x')),
      File(Dictionary("<U2", "(2,)"), std::string(16, '\0')),
      File(Dictionary("|S4", "(2, 2)", true), "abcdefghijklmnop", 2),
      File(Dictionary("|b1", "(3,)"), "abc", 3),
  };
  std::minstd_rand random(1);
  int num_read = 0;
  for (int i = 0; i < 20'000; ++i) {
    const absl::StatusOr<Tensor> tensor =
        Parse(Mutate(files[i % files.size()], random));
    if (!tensor.ok()) continue;
    ++num_read;
    EXPECT_EQ(tensor->num_elements(), tensor->shape().num_elements());
    EXPECT_EQ(tensor->byte_size(),
              tensor->num_elements() * ElementSize(tensor->dtype()));
  }
  EXPECT_GT(num_read, 0);
}

std::string Format(const Tensor& tensor) {
  const absl::StatusOr<NpyFile> npy = FormatNpy(tensor);
  if (!npy.ok()) return npy.status().ToString();
  return npy->header +
         std::string(reinterpret_cast<const char*>(npy->elements.data()),
                     npy->elements.size());
}

TEST(Npy, WritesWhatNumPyWrites) {
  // As numpy 2 writes it.
  EXPECT_EQ(Format(TensorOf<int16_t>({2, 3}, {1, 2, 3, 4, 5, 6})),
            Bytes("\x93NUMPY\x01\x00v\x00{'descr': '<i2', 'fortran_order': "
                  "False, 'shape': (2, 3), }") +
                std::string(58, ' ') +
                Bytes("\n\x01\0\x02\0\x03\0\x04\0\x05\0\x06\0"));
  EXPECT_THAT(Format(TensorOf<double>({}, {1.5})),
              AllOf(HasSubstr("'descr': '<f8'"), HasSubstr("'shape': ()")));
  EXPECT_THAT(Format(Bools({1}, {true})),
              AllOf(HasSubstr("'descr': '|b1'"), HasSubstr("'shape': (1,)")));
}

TEST(Npy, WritesTextAsUAndOtherBytesAsS) {
  EXPECT_THAT(Format(Strings({2}, {"\xc3\xa9", "ab"})),
              HasSubstr("'descr': '<U2'"));
  EXPECT_THAT(Format(Strings({2}, {"\xff", "abc"})),
              HasSubstr("'descr': '|S3'"));
  EXPECT_THAT(Format(Strings({0}, {})), HasSubstr("'descr': '<U1'"));
}

TEST(Npy, AlignsTheElements) {
  for (const Tensor& tensor :
       {TensorOf<float>({}, {1}), TensorOf<float>({1, 1, 1, 1, 1, 1}, {1})}) {
    const absl::StatusOr<NpyFile> npy = FormatNpy(tensor);
    ASSERT_THAT(npy, IsOk());
    EXPECT_EQ(npy->header.size() % 64, 0u);
    EXPECT_EQ(npy->header.back(), '\n');
  }
}

TEST(Npy, WhatIsWrittenReadsBackBitForBit) {
  const std::vector<Tensor> tensors = {
      TensorOf<uint8_t>({3}, {0, 1, 255}),
      TensorOf<int64_t>({2, 2}, {INT64_MIN, -1, 0, INT64_MAX}),
      Halves<Float16>({2}, {0.1, -65504}),
      TensorOf<float>({1, 2}, {-0.0f, 1e-45f}),
      TensorOf<Complex128>({1}, {{1.5, -2.5}}),
      Bools({2}, {false, true}),
      Strings({2, 2}, {"", "a", "\xf0\x9f\x98\x80z", Bytes("a\0b")}),
      Strings({2}, {"\xff\xfe", "a"}),
      TensorOf<double>({0, 3}, {}),
      TensorOf<float>({}, {2.5f}),
  };
  for (const Tensor& tensor : tensors) {
    SCOPED_TRACE(tensor.spec().ToString());
    EXPECT_THAT(Parse(Format(tensor)), IsOkAndHolds(EqualsTensor(tensor)));
  }
}

TEST(Npy, RefusesToWriteWhatNumPyCannotHold) {
  EXPECT_THAT(FormatNpy(Halves<BFloat16>({1}, {1})),
              StatusIs(absl::StatusCode::kInvalidArgument,
                       HasSubstr("no BFLOAT16; write an ONNX .pb file")));
  EXPECT_THAT(FormatNpy(test::Bytes(DType::kFloat8E5M2, {1}, {0})),
              StatusIs(absl::StatusCode::kInvalidArgument,
                       HasSubstr("no FLOAT8E5M2; write an ONNX .pb file")));
  EXPECT_THAT(FormatNpy(Strings({2}, {"ok", Bytes("a\0")})),
              StatusIs(absl::StatusCode::kInvalidArgument,
                       HasSubstr("string 1 ends with a zero byte")));
}

}  // namespace
}  // namespace scatterd
