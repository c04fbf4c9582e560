#include "core/buffer.h"

#include <cstdint>
#include <cstring>
#include <utility>

#include "core/buffer_pool.h"
#include "gtest/gtest.h"
#include "tests/testing/status_matchers.h"

namespace scatterd {
namespace {

using ::scatterd::test::IsOk;
using ::scatterd::test::StatusIs;

TEST(Buffer, IsAligned) {
  for (size_t size : {size_t{1}, size_t{63}, size_t{4097},
                      BufferPool::kPooledSize, size_t{5} << 20}) {
    auto buffer = Buffer::Allocate(size);
    ASSERT_THAT(buffer, IsOk());
    EXPECT_EQ(reinterpret_cast<uintptr_t>(buffer->data()) % kBufferAlignment,
              0u);
    EXPECT_EQ(buffer->size(), size);
    std::memset(buffer->mutable_data(), 0x5a, size);
  }
}

TEST(Buffer, OfNoBytesHoldsNothing) {
  const auto buffer = Buffer::Allocate(0);
  ASSERT_THAT(buffer, IsOk());
  EXPECT_EQ(buffer->data(), nullptr);
  EXPECT_FALSE(buffer->unique());
}

TEST(Buffer, ReportsWhenTheSystemHasNoMemory) {
  EXPECT_THAT(Buffer::Allocate(SIZE_MAX),
              StatusIs(absl::StatusCode::kResourceExhausted));
  EXPECT_THAT(Buffer::Allocate(size_t{1} << 60),
              StatusIs(absl::StatusCode::kResourceExhausted));
}

TEST(Buffer, ReleasesWrappedMemoryOnceAfterTheLastCopy) {
  int released = 0;
  const char bytes[] = "abc";
  {
    Buffer first = Buffer::Wrap(bytes, 3, [&released] { ++released; });
    const Buffer second = first;
    first = Buffer();
    EXPECT_EQ(released, 0);
    EXPECT_EQ(second.size(), 3u);
  }
  EXPECT_EQ(released, 1);
}

TEST(Buffer, IsUniqueOnlyWhileNobodySharesIt) {
  auto buffer = Buffer::Allocate(10);
  ASSERT_THAT(buffer, IsOk());
  EXPECT_TRUE(buffer->unique());
  {
    const Buffer copy = *buffer;
    EXPECT_FALSE(buffer->unique());
  }
  EXPECT_TRUE(buffer->unique());
}

TEST(BufferPool, KeepsNoMoreThanItsCap) {
  BufferPool pool(BufferPool::kPooledSize * 2);
  constexpr size_t kSize = BufferPool::kPooledSize;
  std::byte* blocks[3];
  for (std::byte*& block : blocks) {
    block = pool.Allocate(kSize);
    ASSERT_NE(block, nullptr);
    std::memset(block, 1, kSize);
  }
  for (std::byte* block : blocks) {
    pool.Release(block, kSize);
    EXPECT_LE(pool.cached_bytes(), kSize * 2);
  }
  pool.Trim();
  EXPECT_EQ(pool.cached_bytes(), 0u);
}

#if !defined(__SANITIZE_ADDRESS__)
TEST(BufferPool, HandsTheSameBlockOutAgain) {
  BufferPool pool;
  constexpr size_t kSize = size_t{3} << 20;
  std::byte* first = pool.Allocate(kSize);
  pool.Release(first, kSize);
  std::byte* second = pool.Allocate(kSize - 100);
  EXPECT_EQ(first, second);
  pool.Release(second, kSize - 100);
}
#endif

}  // namespace
}  // namespace scatterd
