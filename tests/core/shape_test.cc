#include "core/shape.h"

#include <vector>

#include "gmock/gmock.h"
#include "tests/testing/status_matchers.h"

namespace scatterd {
namespace {

using ::scatterd::test::IsOkAndHolds;
using ::scatterd::test::StatusIs;
using ::testing::HasSubstr;

constexpr auto kInvalid = absl::StatusCode::kInvalidArgument;

TEST(Shape, RankZeroHasOneElement) {
  EXPECT_THAT(CheckedNumElements(Shape{}, 4), IsOkAndHolds(1));
  EXPECT_EQ(Shape{}.ToString(), "[]");
}

TEST(Shape, AnyZeroExtentMakesItEmpty) {
  EXPECT_THAT(CheckedNumElements(Shape{3, 0, 5}, 4), IsOkAndHolds(0));
}

TEST(Shape, CountsElements) {
  EXPECT_THAT(CheckedNumElements(Shape{2, 3, 4}, 16), IsOkAndHolds(24));
}

TEST(Shape, RefusesNegativeExtents) {
  EXPECT_THAT(CheckedNumElements(Shape{2, -3}, 4),
              StatusIs(kInvalid, HasSubstr("dimension 1 of shape [2,-3] is "
                                           "negative (-3 vs at least 0)")));
}

TEST(Shape, RefusesRanksAboveTheLimit) {
  EXPECT_THAT(CheckedNumElements(Shape(std::vector<int64_t>(32, 1)), 4),
              IsOkAndHolds(1));
  EXPECT_THAT(CheckedNumElements(Shape(std::vector<int64_t>(33, 1)), 4),
              StatusIs(kInvalid, HasSubstr("(33 vs at most 32)")));
}

TEST(Shape, RefusesProductsThatOverflow) {
  const int64_t big = int64_t{1} << 31;
  EXPECT_THAT(CheckedNumElements(Shape{big, big}, 1),
              IsOkAndHolds(int64_t{1} << 62));
  EXPECT_THAT(CheckedNumElements(Shape{big, big}, 2),
              StatusIs(kInvalid, HasSubstr("overflows")));
  EXPECT_THAT(CheckedNumElements(Shape{big, big, 2}, 1), StatusIs(kInvalid));
}

TEST(Shape, RefusesOverflowingStridesAlsoWhereItIsEmpty) {
  const int64_t big = int64_t{1} << 40;
  EXPECT_THAT(CheckedNumElements(Shape{0, big, big}, 1), StatusIs(kInvalid));
  EXPECT_THAT(CheckedNumElements(Shape{big, big, 0}, 1), StatusIs(kInvalid));
}

TEST(Shape, ProductOfNoExtentsIsOne) {
  EXPECT_EQ(Product({}), 1);
  EXPECT_EQ(Product({4, 5}), 20);
}

}  // namespace
}  // namespace scatterd
