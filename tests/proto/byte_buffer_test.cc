#include "proto/byte_buffer.h"

#include <atomic>
#include <string>
#include <utility>
#include <vector>

#include "grpcpp/support/byte_buffer.h"
#include "grpcpp/support/slice.h"
#include "gtest/gtest.h"
#include "tests/testing/status_matchers.h"
#include "tests/testing/tensor_literals.h"
#include "tests/testing/tensor_matchers.h"

namespace scatterd::test {
namespace {

std::string Joined(MessagePieces pieces) {
  std::string bytes;
  for (const absl::string_view piece : pieces) {
    bytes.append(piece.data(), piece.size());
  }
  return bytes;
}

TEST(ReceivedMessage, GivesTheSlicesInOrder) {
  std::vector<grpc::Slice> slices = {grpc::Slice("first, "),
                                     grpc::Slice(std::string(5000, 'x')),
                                     grpc::Slice(", last")};
  grpc::ByteBuffer buffer(slices.data(), slices.size());
  const ReceivedMessage message(&buffer);
  EXPECT_TRUE(message.valid());
  EXPECT_EQ(message.size(), 7u + 5000 + 6);
  EXPECT_EQ(Joined(message.pieces()),
            "first, " + std::string(5000, 'x') + ", last");
}

TEST(ReceivedMessage, KeepsTheSlicesAfterTheByteBufferIsGone) {
  auto buffer = std::make_unique<grpc::ByteBuffer>();
  {
    grpc::Slice slice(std::string(100000, 'y'));
    *buffer = grpc::ByteBuffer(&slice, 1);
  }
  const ReceivedMessage message(buffer.get());
  EXPECT_EQ(buffer->Length(), 0u);
  buffer.reset();
  EXPECT_EQ(Joined(message.pieces()), std::string(100000, 'y'));
}

// What a caller that half-closes without a message causes.
TEST(ReceivedMessage, OfAnInvalidByteBufferIsInvalidAndEmpty) {
  grpc::ByteBuffer buffer;
  ASSERT_FALSE(buffer.Valid());
  const ReceivedMessage message(&buffer);
  EXPECT_FALSE(message.valid());
  EXPECT_EQ(message.size(), 0u);
  EXPECT_TRUE(message.pieces().empty());
}

TEST(ReceivedMessage, OfAnEmptyMessageIsValid) {
  grpc::Slice empty;
  grpc::ByteBuffer buffer(&empty, 1);
  const ReceivedMessage message(&buffer);
  EXPECT_TRUE(message.valid());
  EXPECT_EQ(message.size(), 0u);
}

TEST(ToByteBuffer, MakesAValidByteBufferOfNothing) {
  grpc::ByteBuffer buffer = ToByteBuffer(EncodedMessage());
  EXPECT_TRUE(buffer.Valid());
  EXPECT_EQ(buffer.Length(), 0u);
}

TEST(ToByteBuffer, RefersToLargePartsUntilTheByteBufferIsGone) {
  const std::string bytes(1 << 20, 'z');
  std::atomic<int> num_releases = 0;
  EncodedMessage message;
  message.Append("header");
  message.Append(
      Buffer::Wrap(bytes.data(), bytes.size(), [&] { ++num_releases; }));
  {
    grpc::ByteBuffer buffer = ToByteBuffer(std::move(message));
    EXPECT_EQ(buffer.Length(), 6 + bytes.size());
    std::vector<grpc::Slice> slices;
    ASSERT_TRUE(buffer.Dump(&slices).ok());
    ASSERT_EQ(slices.size(), 2u);
    EXPECT_EQ(reinterpret_cast<const char*>(slices[1].begin()), bytes.data());
    EXPECT_EQ(num_releases, 0);
  }
  EXPECT_EQ(num_releases, 1);
}

TEST(ToByteBuffer, GivesWhatReceivedMessageReads) {
  const Tensor tensor = Iota<double>({300, 300});
  const absl::StatusOr<EncodedMessage> message = EncodeTensor(tensor);
  ASSERT_THAT(message, IsOk());
  grpc::ByteBuffer buffer = ToByteBuffer(*message);
  const ReceivedMessage received(&buffer);
  EXPECT_EQ(received.size(), message->size());
  EXPECT_THAT(DecodeTensor(received.pieces(), ReserveAnything),
              IsOkAndHolds(EqualsTensor(tensor)));
}

}  // namespace
}  // namespace scatterd::test
