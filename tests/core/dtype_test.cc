#include "core/dtype.h"

#include "gtest/gtest.h"

namespace scatterd {
namespace {

// ONNX's numbers and storage sizes (onnx.TensorProto.DataType).
struct Row {
  int number;
  const char* onnx;
  const char* lower;
  size_t size;
};
constexpr Row kRows[] = {
    {1, "FLOAT", "float32", 4},
    {2, "UINT8", "uint8", 1},
    {3, "INT8", "int8", 1},
    {4, "UINT16", "uint16", 2},
    {5, "INT16", "int16", 2},
    {6, "INT32", "int32", 4},
    {7, "INT64", "int64", 8},
    {8, "STRING", "string", 16},
    {9, "BOOL", "bool", 1},
    {10, "FLOAT16", "float16", 2},
    {11, "DOUBLE", "float64", 8},
    {12, "UINT32", "uint32", 4},
    {13, "UINT64", "uint64", 8},
    {14, "COMPLEX64", "complex64", 8},
    {15, "COMPLEX128", "complex128", 16},
    {16, "BFLOAT16", "bfloat16", 2},
    {17, "FLOAT8E4M3FN", "float8e4m3fn", 1},
    {18, "FLOAT8E4M3FNUZ", "float8e4m3fnuz", 1},
    {19, "FLOAT8E5M2", "float8e5m2", 1},
    {20, "FLOAT8E5M2FNUZ", "float8e5m2fnuz", 1},
    {24, "FLOAT8E8M0", "float8e8m0", 1},
};

TEST(DType, HasOnnxNumbersNamesAndSizes) {
  for (const Row& row : kRows) {
    const std::optional<DType> dtype = DTypeFromNumber(row.number);
    ASSERT_TRUE(dtype.has_value()) << row.onnx;
    EXPECT_EQ(static_cast<int>(*dtype), row.number);
    EXPECT_EQ(DTypeName(*dtype), row.onnx);
    EXPECT_EQ(DTypeLowerName(*dtype), row.lower);
    EXPECT_EQ(ElementSize(*dtype), row.size) << row.onnx;
    EXPECT_EQ(DTypeFromName(row.onnx), dtype);
    EXPECT_EQ(DTypeFromName(row.lower), dtype);
    EXPECT_TRUE(IsValid(*dtype));
  }
}

TEST(DType, KnowsNoOtherNumbers) {
  for (int64_t number : {-1, 0, 21, 22, 23, 25, 26, 1000}) {
    EXPECT_FALSE(DTypeFromNumber(number).has_value()) << number;
  }
  EXPECT_FALSE(DTypeFromNumber(int64_t{1} << 40).has_value());
  EXPECT_FALSE(DTypeFromName("float").has_value());
  EXPECT_FALSE(IsValid(DType::kUnspecified));
  EXPECT_EQ(DTypeName(DType::kUnspecified), "UNDEFINED");
}

TEST(DType, ZeroBitsAreTheEmptyString) {
  const StringRef zero{};
  EXPECT_EQ(zero.view(), "");
}

}  // namespace
}  // namespace scatterd
