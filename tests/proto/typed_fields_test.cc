// Elements in the typed value fields: float_data, int32_data, ...

#include <cstdint>
#include <string>
#include <vector>

#include "gtest/gtest.h"
#include "scatterd/v1/tensor.pb.h"
#include "tests/proto/codec_testing.h"
#include "tests/proto/wire_scrambler.h"
#include "tests/testing/status_matchers.h"
#include "tests/testing/tensor_literals.h"
#include "tests/testing/tensor_matchers.h"

namespace scatterd::test {
namespace {

v1::TensorProto Wire(DType dtype, const std::vector<int64_t>& dims) {
  v1::TensorProto wire;
  wire.set_data_type(static_cast<int>(dtype));
  for (const int64_t dim : dims) wire.add_dims(dim);
  return wire;
}

v1::TensorProto Int32Data(DType dtype, const std::vector<int32_t>& values) {
  v1::TensorProto wire = Wire(dtype, {static_cast<int64_t>(values.size())});
  for (const int32_t value : values) wire.add_int32_data(value);
  return wire;
}

TEST(TypedFields, FloatDataHoldsFloatsAndComplexPairs) {
  v1::TensorProto wire = Wire(DType::kFloat, {2});
  wire.add_float_data(1.5f);
  wire.add_float_data(-2.0f);
  EXPECT_THAT(DecodeTensorMessage(wire),
              IsOkAndHolds(EqualsTensor(TensorOf<float>({2}, {1.5f, -2.0f}))));
  wire.set_data_type(v1::DATA_TYPE_COMPLEX64);
  wire.set_dims(0, 1);
  EXPECT_THAT(
      DecodeTensorMessage(wire),
      IsOkAndHolds(EqualsTensor(TensorOf<Complex64>({1}, {{1.5f, -2.0f}}))));
}

TEST(TypedFields, DoubleDataHoldsDoublesAndComplexPairs) {
  v1::TensorProto wire = Wire(DType::kDouble, {2});
  wire.add_double_data(0.1);
  wire.add_double_data(-2.0);
  EXPECT_THAT(DecodeTensorMessage(wire),
              IsOkAndHolds(EqualsTensor(TensorOf<double>({2}, {0.1, -2.0}))));
  wire.set_data_type(v1::DATA_TYPE_COMPLEX128);
  wire.set_dims(0, 1);
  EXPECT_THAT(
      DecodeTensorMessage(wire),
      IsOkAndHolds(EqualsTensor(TensorOf<Complex128>({1}, {{0.1, -2.0}}))));
}

TEST(TypedFields, Int32DataHoldsSmallIntegers) {
  EXPECT_THAT(
      DecodeTensorMessage(Int32Data(DType::kInt32, {-1, INT32_MIN})),
      IsOkAndHolds(EqualsTensor(TensorOf<int32_t>({2}, {-1, INT32_MIN}))));
  EXPECT_THAT(DecodeTensorMessage(Int32Data(DType::kInt16, {-1, 300})),
              IsOkAndHolds(EqualsTensor(TensorOf<int16_t>({2}, {-1, 300}))));
  EXPECT_THAT(DecodeTensorMessage(Int32Data(DType::kUInt16, {65535, 1})),
              IsOkAndHolds(EqualsTensor(TensorOf<uint16_t>({2}, {65535, 1}))));
  EXPECT_THAT(DecodeTensorMessage(Int32Data(DType::kInt8, {-128, 127})),
              IsOkAndHolds(EqualsTensor(TensorOf<int8_t>({2}, {-128, 127}))));
  EXPECT_THAT(DecodeTensorMessage(Int32Data(DType::kUInt8, {255, 0})),
              IsOkAndHolds(EqualsTensor(TensorOf<uint8_t>({2}, {255, 0}))));
}

TEST(TypedFields, Int32DataHoldsTheBitsOfHalves) {
  EXPECT_THAT(DecodeTensorMessage(Int32Data(DType::kFloat16, {0x3c00, 0xc000})),
              IsOkAndHolds(EqualsTensor(Halves<Float16>({2}, {1.0, -2.0}))));
  EXPECT_THAT(
      DecodeTensorMessage(Int32Data(DType::kBFloat16, {0x3f80, 0xc000})),
      IsOkAndHolds(EqualsTensor(Halves<BFloat16>({2}, {1.0, -2.0}))));
}

TEST(TypedFields, OnlyTheLowBitsOfInt32DataCount) {
  // -2.0 sign-extended, as some writers have it.
  EXPECT_THAT(DecodeTensorMessage(Int32Data(
                  DType::kFloat16, {static_cast<int32_t>(0xffffc000)})),
              IsOkAndHolds(EqualsTensor(Halves<Float16>({1}, {-2.0}))));
  EXPECT_THAT(
      DecodeTensorMessage(Int32Data(DType::kFloat8E5M2, {-1, 0x13c})),
      IsOkAndHolds(EqualsTensor(Bytes(DType::kFloat8E5M2, {2}, {0xff, 0x3c}))));
}

TEST(TypedFields, AnyInt32ThatIsNotZeroIsTrue) {
  EXPECT_THAT(
      DecodeTensorMessage(Int32Data(DType::kBool, {0, 1, 2, -1, 256})),
      IsOkAndHolds(EqualsTensor(Bools({5}, {false, true, true, true, true}))));
}

TEST(TypedFields, Uint64DataHoldsBothUnsignedTypes) {
  v1::TensorProto wire = Wire(DType::kUInt64, {2});
  wire.add_uint64_data(UINT64_MAX);
  wire.add_uint64_data(7);
  EXPECT_THAT(
      DecodeTensorMessage(wire),
      IsOkAndHolds(EqualsTensor(TensorOf<uint64_t>({2}, {UINT64_MAX, 7}))));
  wire.set_data_type(v1::DATA_TYPE_UINT32);
  wire.set_uint64_data(0, UINT32_MAX);
  EXPECT_THAT(
      DecodeTensorMessage(wire),
      IsOkAndHolds(EqualsTensor(TensorOf<uint32_t>({2}, {UINT32_MAX, 7}))));
}

TEST(TypedFields, Int64DataHoldsInt64) {
  v1::TensorProto wire = Wire(DType::kInt64, {});
  wire.add_int64_data(INT64_MIN);
  EXPECT_THAT(DecodeTensorMessage(wire),
              IsOkAndHolds(EqualsTensor(Indices({}, {INT64_MIN}))));
}

TEST(TypedFields, StringDataHoldsAnyBytes) {
  v1::TensorProto wire = Wire(DType::kString, {3});
  wire.add_string_data("");
  wire.add_string_data(std::string("a\0b", 3));
  wire.add_string_data("\xff\xfe");
  EXPECT_THAT(DecodeTensorMessage(wire),
              IsOkAndHolds(EqualsTensor(
                  Strings({3}, {"", std::string("a\0b", 3), "\xff\xfe"}))));
}

TEST(TypedFields, PackedAndUnpackedEntriesMayAlternate) {
  const std::string bytes =
      std::string("\x08\x03\x10\x06", 4) +  // dims 3, INT32
      "\x28\x07"                            // int32_data 7
      "\x2a\x01\x08"                        // int32_data [8]
      "\x28\x09";                           // int32_data 9
  EXPECT_THAT(DecodeTensorBytes(bytes),
              IsOkAndHolds(EqualsTensor(TensorOf<int32_t>({3}, {7, 8, 9}))));
}

TEST(TypedFields, RunsMayBeInterrupted) {
  const std::string bytes = std::string("\x28\x07") +  // int32_data 7
                            "\x42\x01n"                // name
                            "\x28\x08"                 // int32_data 8
                            "\x10\x06"                 // INT32
                            "\x28\x09"                 // int32_data 9
                            "\x0a\x01\x03";            // dims [3]
  EXPECT_THAT(DecodeTensorBytes(bytes),
              IsOkAndHolds(EqualsTensor(TensorOf<int32_t>({3}, {7, 8, 9}))));
}

TEST(TypedFields, EmptyFieldsOfOtherTypesDoNotMatter) {
  v1::TensorProto wire = Wire(DType::kInt32, {1});
  wire.add_int32_data(5);
  const std::string bytes = wire.SerializeAsString() +
                            WireBytes(4, "") +  // float_data []
                            WireBytes(9, "");   // raw_data ""
  EXPECT_THAT(DecodeTensorBytes(bytes),
              IsOkAndHolds(EqualsTensor(TensorOf<int32_t>({1}, {5}))));
}

TEST(RawData, BoolBytesThatAreNotZeroBecomeOne) {
  v1::TensorProto wire = Wire(DType::kBool, {4});
  wire.set_raw_data(std::string("\x00\x01\x02\xff", 4));
  const absl::StatusOr<Tensor> tensor = DecodeTensorMessage(wire);
  ASSERT_THAT(tensor, IsOk());
  EXPECT_EQ(std::string(reinterpret_cast<const char*>(tensor->bytes()), 4),
            std::string("\x00\x01\x01\x01", 4));
}

}  // namespace
}  // namespace scatterd::test
