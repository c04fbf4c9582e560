#include "core/index_rule.h"

#include <limits>

#include "gtest/gtest.h"

namespace scatterd {
namespace {

// The definition, by counting: what does `index` mean on an axis of `size`?
int64_t Oracle(int64_t index, int64_t size, NegativeIndices negative,
               OutOfBounds policy) {
  if (negative == NegativeIndices::kFromEnd && index < 0) index = index + size;
  for (int64_t valid = 0; valid < size; ++valid) {
    if (index == valid) return valid;
  }
  switch (policy) {
    case OutOfBounds::kSkip:
      return kSkippedIndex;
    case OutOfBounds::kError:
      return kBadIndex;
    case OutOfBounds::kClamp:
      if (size == 0) return kBadIndex;
      return index < 0 ? 0 : size - 1;
    case OutOfBounds::kWrap:
      if (size == 0) return kBadIndex;
      while (index < 0) index += size;
      while (index >= size) index -= size;
      return index;
  }
  return kBadIndex;
}

TEST(IndexRule, AgreesWithCountingForEverySmallCase) {
  for (auto negative :
       {NegativeIndices::kFromEnd, NegativeIndices::kOutOfBounds}) {
    for (auto policy : {OutOfBounds::kError, OutOfBounds::kSkip,
                        OutOfBounds::kClamp, OutOfBounds::kWrap}) {
      for (int64_t size = 0; size <= 5; ++size) {
        for (int64_t index = -17; index <= 17; ++index) {
          EXPECT_EQ(ResolveIndex(index, size, negative, policy),
                    Oracle(index, size, negative, policy))
              << index << " of " << size;
        }
      }
    }
  }
}

constexpr int64_t kMin = std::numeric_limits<int64_t>::min();
constexpr int64_t kMax = std::numeric_limits<int64_t>::max();

TEST(IndexRule, ExtremeIndicesDoNotOverflow) {
  for (auto negative :
       {NegativeIndices::kFromEnd, NegativeIndices::kOutOfBounds}) {
    EXPECT_EQ(ResolveIndex(kMin, 3, negative, OutOfBounds::kError), kBadIndex);
    EXPECT_EQ(ResolveIndex(kMax, 3, negative, OutOfBounds::kError), kBadIndex);
    EXPECT_EQ(ResolveIndex(kMin, 3, negative, OutOfBounds::kSkip),
              kSkippedIndex);
    EXPECT_EQ(ResolveIndex(kMin, 3, negative, OutOfBounds::kClamp), 0);
    EXPECT_EQ(ResolveIndex(kMax, 3, negative, OutOfBounds::kClamp), 2);
  }
}

TEST(IndexRule, WrapTakesConstantTimeForHugeIndices) {
  // 8259655103995416119 = 3 * 2753218367998472039 + 2.
  const auto wrap = [](int64_t index) {
    return ResolveIndex(index, 3, NegativeIndices::kFromEnd,
                        OutOfBounds::kWrap);
  };
  EXPECT_EQ(wrap(8259655103995416119), 2);
  EXPECT_EQ(wrap(-8259655103995416119), 1);
  EXPECT_EQ(wrap(kMax), kMax % 3);
}

}  // namespace
}  // namespace scatterd
