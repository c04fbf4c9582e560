// Random tensors, the same on every machine for the same seed.

#ifndef SCATTERD_TESTS_TESTING_RANDOM_TENSORS_H_
#define SCATTERD_TESTS_TESTING_RANDOM_TENSORS_H_

#include <cstdint>
#include <random>

#include "core/tensor.h"

namespace scatterd::test {

class RandomTensors {
 public:
  // What the values of a tensor are like.
  enum class Values {
    kAwkward,   // small and large, NaNs with payloads, infinities, both zeros,
                // subnormals, extreme integers, strings with NUL and 0xff
    kNonZero,   // kAwkward, but no integer 0: divisors
    kOrdinary,  // finite, of mixed magnitude: sums depend on the order
  };

  explicit RandomTensors(uint64_t seed) : engine_(seed) {}

  // A value in [0, n); n >= 1.
  int64_t Below(int64_t n) {
    return static_cast<int64_t>(engine_() % static_cast<uint64_t>(n));
  }
  // 64 random bits.
  uint64_t Bits() { return engine_(); }

  bool OneIn(int64_t n) { return Below(n) == 0; }

  // Small extents; one shape in eight has an extent of 0 if `zeros`.
  Shape SmallShape(int rank, bool zeros);

  Tensor Make(const TensorSpec& spec, Values values = Values::kAwkward);

  // INT32 or INT64 index values in [begin, end) (begin < end); a small range
  // makes duplicates.  Empty shapes need no values.
  Tensor MakeIndices(DType dtype, const Shape& shape, int64_t begin,
                     int64_t end);

 private:
  void FillElement(DType dtype, Values values, std::byte* element);
  Tensor MakeStrings(const Shape& shape);

  std::mt19937_64 engine_;
};

}  // namespace scatterd::test

#endif  // SCATTERD_TESTS_TESTING_RANDOM_TENSORS_H_
