// Tensors that go out and come back.

#include <cstring>
#include <limits>
#include <string>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "proto/codec.h"
#include "scatterd/v1/tensor.pb.h"
#include "tests/proto/codec_testing.h"
#include "tests/testing/random_tensors.h"
#include "tests/testing/status_matchers.h"
#include "tests/testing/tensor_literals.h"
#include "tests/testing/tensor_matchers.h"

namespace scatterd::test {
namespace {

using ::testing::ElementsAre;

std::string EncodeToString(const Tensor& tensor) {
  const absl::StatusOr<EncodedMessage> message = EncodeTensor(tensor);
  EXPECT_THAT(message, IsOk());
  return message.ok() ? message->Flatten() : "";
}

v1::TensorProto ParsedEncoding(const Tensor& tensor) {
  v1::TensorProto wire;
  EXPECT_TRUE(wire.ParseFromString(EncodeToString(tensor)));
  return wire;
}

class TensorCodec : public ::testing::TestWithParam<DType> {};

TEST_P(TensorCodec, ReturnsEveryBitOfRandomTensors) {
  RandomTensors random(7);
  for (int rank = 0; rank <= 4; ++rank) {
    for (int round = 0; round < 5; ++round) {
      Tensor tensor = random.Make({GetParam(), random.SmallShape(rank, true)});
      if (round == 0) tensor.set_name("tensor/\xc3\xa4");
      const std::string bytes = EncodeToString(tensor);
      EXPECT_EQ(EncodedTensorSize(tensor), bytes.size());
      const absl::StatusOr<Tensor> decoded = DecodeTensorBytes(bytes);
      ASSERT_THAT(decoded, IsOkAndHolds(EqualsTensor(tensor)));
      EXPECT_EQ(decoded->name(), tensor.name());
    }
  }
}

TEST_P(TensorCodec, ProducesWhatProtobufReadsAsTheContractSays) {
  RandomTensors random(8);
  const Tensor tensor = random.Make({GetParam(), {2, 3}});
  const v1::TensorProto wire = ParsedEncoding(tensor);
  EXPECT_EQ(wire.data_type(), static_cast<int>(GetParam()));
  EXPECT_THAT(wire.dims(), ElementsAre(2, 3));
  if (GetParam() == DType::kString) {
    ASSERT_EQ(wire.string_data_size(), 6);
    for (int i = 0; i < 6; ++i) {
      EXPECT_EQ(wire.string_data(i),
                std::string(tensor.values<StringRef>()[i].view()));
    }
    EXPECT_TRUE(wire.raw_data().empty());
  } else {
    ASSERT_EQ(wire.raw_data().size(), tensor.byte_size());
    EXPECT_EQ(
        std::memcmp(wire.raw_data().data(), tensor.bytes(), tensor.byte_size()),
        0);
    EXPECT_EQ(wire.string_data_size(), 0);
  }
}

TEST_P(TensorCodec, KeepsEmptyTensorsAndScalars) {
  for (const Shape& shape : {Shape{}, Shape{0}, Shape{2, 0, 3}}) {
    const Tensor tensor = ValueOrDie(Tensor::Zeros({GetParam(), shape}));
    EXPECT_THAT(DecodeTensorBytes(EncodeToString(tensor)),
                IsOkAndHolds(EqualsTensor(tensor)));
  }
}

TEST_P(TensorCodec, AlignsElementsThatArriveAtAnyAddress) {
  RandomTensors random(9);
  const Tensor tensor = random.Make({GetParam(), {5, 7}});
  const std::string bytes = EncodeToString(tensor);
  for (size_t cut = 0; cut <= bytes.size(); ++cut) {
    const CutMessage message(bytes, {cut});
    const absl::StatusOr<Tensor> decoded =
        DecodeTensor(message.pieces(), ReserveAnything);
    ASSERT_THAT(decoded, IsOkAndHolds(EqualsTensor(tensor)));
    EXPECT_EQ(reinterpret_cast<uintptr_t>(decoded->bytes()) % kBufferAlignment,
              0u);
  }
}

INSTANTIATE_TEST_SUITE_P(AllDTypes, TensorCodec,
                         ::testing::ValuesIn(kAllDTypes), [](const auto& test) {
                           return std::string(DTypeName(test.param));
                         });

TEST(TensorCodecPayload, RefersToTheTensorsOwnElements) {
  const Tensor tensor = Full<float>({64, 64}, 1.5f);
  const absl::StatusOr<EncodedMessage> message = EncodeTensor(tensor);
  ASSERT_THAT(message, IsOk());
  ASSERT_EQ(message->parts().size(), 2u);
  EXPECT_EQ(message->parts()[1].data(), tensor.bytes());
  EXPECT_EQ(message->parts()[1].size(), tensor.byte_size());
}

TEST(TensorCodecPayload, OutlivesTheTensor) {
  absl::StatusOr<EncodedMessage> message;
  {
    const Tensor tensor = Iota<int32_t>({4096});
    message = EncodeTensor(tensor);
  }
  ASSERT_THAT(message, IsOk());
  EXPECT_THAT(DecodeTensorBytes(message->Flatten()),
              IsOkAndHolds(EqualsTensor(Iota<int32_t>({4096}))));
}

TEST(TensorCodecPayload, TravelsInOnePartWithItsHeaderWhenSmall) {
  const absl::StatusOr<EncodedMessage> message =
      EncodeTensor(Full<float>({4, 4}, 1.5f));
  ASSERT_THAT(message, IsOk());
  EXPECT_EQ(message->parts().size(), 1u);
}

TEST(TensorCodecPayload, HoldsManyStringsInOnePart) {
  const Tensor tensor =
      Strings({2000}, std::vector<std::string>(2000, "some text"));
  const absl::StatusOr<EncodedMessage> message = EncodeTensor(tensor);
  ASSERT_THAT(message, IsOk());
  EXPECT_LE(message->parts().size(), 2u);
  EXPECT_THAT(DecodeTensorBytes(message->Flatten()),
              IsOkAndHolds(EqualsTensor(tensor)));
}

TEST(TensorCodecPayload, OfBorrowedStringsWithoutBytesIsEmpty) {
  const StringRef refs[2] = {{nullptr, 0}, {"x", 1}};
  const Tensor tensor =
      ValueOrDie(Tensor::Borrow({DType::kString, {2}}, refs, sizeof(refs)));
  EXPECT_THAT(DecodeTensorBytes(EncodeToString(tensor)),
              IsOkAndHolds(EqualsTensor(Strings({2}, {"", "x"}))));
}

// A STRING tensor of 2^17 elements that all are one borrowed string.
TEST(TensorCodecLimits, RefuseMessagesThatProtobufCannotRead) {
  const std::string text(1 << 14, 'x');
  const std::vector<StringRef> refs(1 << 17, {text.data(), text.size()});
  const Tensor tensor =
      ValueOrDie(Tensor::Borrow({DType::kString, {1 << 17}}, refs.data(),
                                refs.size() * sizeof(StringRef)));
  EXPECT_GT(EncodedTensorSize(tensor), uint64_t{1} << 31);
  EXPECT_THAT(EncodeTensor(tensor),
              StatusIs(absl::StatusCode::kResourceExhausted,
                       ::testing::HasSubstr("2147483647")));
  EXPECT_THAT(EncodeResult({tensor, {}}),
              StatusIs(absl::StatusCode::kResourceExhausted));
  EXPECT_THAT(EncodeCall(GatherCall(tensor, Indices({1}, {0}))),
              StatusIs(absl::StatusCode::kResourceExhausted));
}

TEST(TensorCodecNames, MustBeUtf8) {
  Tensor tensor = Full<float>({1}, 1);
  tensor.set_name("\xff");
  EXPECT_THAT(EncodeTensor(tensor), StatusIs(absl::StatusCode::kInvalidArgument,
                                             ::testing::HasSubstr("UTF-8")));
}

}  // namespace
}  // namespace scatterd::test
