#include "core/tensor.h"

#include "gmock/gmock.h"
#include "tests/testing/status_matchers.h"

namespace scatterd {
namespace {

using ::scatterd::test::IsOk;
using ::scatterd::test::StatusIs;
using ::testing::Each;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

TEST(Tensor, CopiesValuesInRowMajorOrder) {
  const auto tensor = Tensor::FromValues<int32_t>({2, 2}, {1, 2, 3, 4});
  ASSERT_THAT(tensor, IsOk());
  EXPECT_EQ(tensor->spec().ToString(), "INT32[2,2]");
  EXPECT_THAT(tensor->values<int32_t>(), ElementsAre(1, 2, 3, 4));
  EXPECT_EQ(tensor->byte_size(), 16u);
}

TEST(Tensor, RefusesPayloadOfAnotherLength) {
  for (size_t bytes : {size_t{0}, size_t{12}, size_t{20}}) {
    const auto buffer = Buffer::Allocate(bytes);
    ASSERT_THAT(buffer, IsOk());
    EXPECT_THAT(Tensor::FromBuffer({DType::kFloat, {4}}, *buffer),
                StatusIs(absl::StatusCode::kInvalidArgument,
                         HasSubstr("vs 16 bytes)")));
  }
}

TEST(Tensor, RefusesUnknownDTypes) {
  EXPECT_THAT(Tensor::Zeros({static_cast<DType>(21), {1}}),
              StatusIs(absl::StatusCode::kInvalidArgument,
                       HasSubstr("unknown dtype (21)")));
}

TEST(Tensor, ZerosAreZeroInEveryDType) {
  const auto floats = Tensor::Zeros({DType::kFloat, {3}});
  ASSERT_THAT(floats, IsOk());
  EXPECT_THAT(floats->values<float>(), Each(0.0f));
  const auto strings = Tensor::Zeros({DType::kString, {2}});
  ASSERT_THAT(strings, IsOk());
  for (const StringRef& ref : strings->values<StringRef>()) {
    EXPECT_EQ(ref.view(), "");
  }
}

TEST(Tensor, BorrowsWithoutCopying) {
  const double values[] = {1, 2, 3};
  const auto tensor =
      Tensor::Borrow({DType::kDouble, {3}}, values, sizeof(values));
  ASSERT_THAT(tensor, IsOk());
  EXPECT_EQ(tensor->bytes(), reinterpret_cast<const std::byte*>(values));
  EXPECT_FALSE(tensor->elements().unique());
}

TEST(Tensor, StringsKeepNulAndInvalidUtf8) {
  const std::string odd("a\0\xff", 3);
  const auto tensor = Tensor::FromStrings({3}, {odd, "", "xyz"});
  ASSERT_THAT(tensor, IsOk());
  EXPECT_EQ(tensor->values<StringRef>()[0].view(), odd);
  EXPECT_EQ(tensor->values<StringRef>()[1].view(), "");
  EXPECT_EQ(tensor->values<StringRef>()[2].view(), "xyz");
  EXPECT_EQ(tensor->string_bytes(), 6u);
}

TEST(Tensor, CopiesShareElements) {
  auto tensor = Tensor::FromValues<int8_t>({1}, {5});
  ASSERT_THAT(tensor, IsOk());
  EXPECT_TRUE(tensor->elements().unique());
  const Tensor copy = *tensor;
  EXPECT_EQ(copy.bytes(), tensor->bytes());
  EXPECT_FALSE(tensor->elements().unique());
}

}  // namespace
}  // namespace scatterd
