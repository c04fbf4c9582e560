#include "tests/testing/random_tensors.h"

#include <bit>
#include <cmath>
#include <cstring>
#include <limits>
#include <string>
#include <vector>

#include "tests/testing/half_oracle.h"
#include "tests/testing/tensor_literals.h"

namespace scatterd::test {
namespace {

using Values = RandomTensors::Values;

constexpr uint32_t kFloatBits[] = {
    0x00000000, 0x80000000, 0x7f800000, 0xff800000, 0x7fc00000, 0x7fc00001,
    0xffc12345, 0x7f800001, 0x00000001, 0x80000001, 0x007fffff, 0x00800000,
    0x7f7fffff, 0xff7fffff, 0x3f800001, 0x33800000};
constexpr uint64_t kDoubleBits[] = {
    0x0000000000000000, 0x8000000000000000, 0x7ff0000000000000,
    0xfff0000000000000, 0x7ff8000000000000, 0x7ff8000000000001,
    0xfff8123456789abc, 0x7ff0000000000001, 0x0000000000000001,
    0x8000000000000001, 0x0010000000000000, 0x7fefffffffffffff,
    0xffefffffffffffff, 0x3ff0000000000001};
constexpr uint16_t kFloat16Bits[] = {0x0000, 0x8000, 0x7c00, 0xfc00, 0x7e00,
                                     0x7e01, 0xfe12, 0x7c01, 0x0001, 0x8001,
                                     0x03ff, 0x0400, 0x7bff, 0xfbff, 0x3c01};
constexpr uint16_t kBFloat16Bits[] = {0x0000, 0x8000, 0x7f80, 0xff80, 0x7fc0,
                                      0x7fc1, 0xffd2, 0x7f81, 0x0001, 0x8001,
                                      0x007f, 0x0080, 0x7f7f, 0xff7f, 0x3f81};

// Random values of one storage type.
class Maker {
 public:
  Maker(RandomTensors& random, Values values)
      : random_(random), values_(values) {}

  template <typename T>
  T Make() {
    if constexpr (std::is_integral_v<T>) {
      return MakeInteger<T>();
    } else if constexpr (std::is_same_v<T, float>) {
      return IsSpecial() ? std::bit_cast<float>(Pick(kFloatBits))
                         : static_cast<float>(Finite());
    } else if constexpr (std::is_same_v<T, double>) {
      return IsSpecial() ? std::bit_cast<double>(Pick(kDoubleBits)) : Finite();
    } else if constexpr (std::is_same_v<T, Float16>) {
      return IsSpecial() ? Float16{Pick(kFloat16Bits)}
                         : NearestFloat16(Finite());
    } else if constexpr (std::is_same_v<T, BFloat16>) {
      return IsSpecial() ? BFloat16{Pick(kBFloat16Bits)}
                         : NearestBFloat16(Finite());
    } else if constexpr (std::is_same_v<T, Bool8>) {
      return {static_cast<uint8_t>(random_.Below(2))};
    } else {
      using Part = decltype(T::re);
      const Part re = Make<Part>();
      return {re, Make<Part>()};
    }
  }

 private:
  bool IsSpecial() { return values_ != Values::kOrdinary && random_.OneIn(8); }

  template <typename T, size_t n>
  T Pick(const T (&list)[n]) {
    return list[random_.Below(n)];
  }

  // Half of them small multiples of 1/2, half with a full mantissa.
  double Finite() {
    if (random_.OneIn(2)) return (random_.Below(17) - 8) * 0.5;
    const double mantissa = static_cast<double>(random_.Below(1 << 30));
    const double sign = random_.OneIn(2) ? -1 : 1;
    return sign *
           std::ldexp(mantissa, static_cast<int>(random_.Below(16)) - 34);
  }

  template <typename T>
  T MakeInteger() {
    T value = static_cast<T>(random_.Below(9) - 4);
    if (random_.OneIn(4)) {
      value = static_cast<T>(random_.Bits());
    } else if (random_.OneIn(8)) {
      value = random_.OneIn(2) ? std::numeric_limits<T>::min()
                               : std::numeric_limits<T>::max();
    }
    return value == 0 && values_ == Values::kNonZero ? T{3} : value;
  }

  RandomTensors& random_;
  const Values values_;
};

}  // namespace

Shape RandomTensors::SmallShape(int rank, bool zeros) {
  const int64_t limit = rank >= 5 ? 3 : rank >= 3 ? 4 : 6;
  const int64_t zero_axis = zeros && rank > 0 && OneIn(8) ? Below(rank) : -1;
  Shape shape;
  for (int axis = 0; axis < rank; ++axis) {
    shape.Append(axis == zero_axis ? 0 : 1 + Below(limit));
  }
  return shape;
}

void RandomTensors::FillElement(DType dtype, Values values,
                                std::byte* element) {
  Maker maker(*this, values);
  switch (dtype) {
#define FILL_CASE(dtype, type)                   \
  case DType::dtype: {                           \
    const type value = maker.Make<type>();       \
    std::memcpy(element, &value, sizeof(value)); \
    return;                                      \
  }
    FILL_CASE(kFloat, float)
    FILL_CASE(kDouble, double)
    FILL_CASE(kInt8, int8_t)
    FILL_CASE(kInt16, int16_t)
    FILL_CASE(kInt32, int32_t)
    FILL_CASE(kInt64, int64_t)
    FILL_CASE(kUInt8, uint8_t)
    FILL_CASE(kUInt16, uint16_t)
    FILL_CASE(kUInt32, uint32_t)
    FILL_CASE(kUInt64, uint64_t)
    FILL_CASE(kBool, Bool8)
    FILL_CASE(kFloat16, Float16)
    FILL_CASE(kBFloat16, BFloat16)
    FILL_CASE(kComplex64, Complex64)
    FILL_CASE(kComplex128, Complex128)
#undef FILL_CASE
    default:  // opaque bytes
      *element = static_cast<std::byte>(Below(256));
  }
}

Tensor RandomTensors::MakeStrings(const Shape& shape) {
  constexpr char kAlphabet[] = {'a', 'b', '\0', '\xff', '\x80', 'z'};
  std::vector<std::string> strings(shape.num_elements());
  for (std::string& text : strings) {
    const int64_t length = OneIn(16) ? 20 + Below(40) : Below(4);
    for (int64_t i = 0; i < length; ++i) {
      text.push_back(kAlphabet[Below(sizeof(kAlphabet))]);
    }
  }
  return Strings(shape, strings);
}

Tensor RandomTensors::Make(const TensorSpec& spec, Values values) {
  if (spec.dtype == DType::kString) return MakeStrings(spec.shape);
  Tensor tensor = ValueOrDie(Tensor::Zeros(spec));
  const size_t size = ElementSize(spec.dtype);
  for (int64_t i = 0; i < tensor.num_elements(); ++i) {
    FillElement(spec.dtype, values, tensor.mutable_bytes() + i * size);
  }
  return tensor;
}

Tensor RandomTensors::MakeIndices(DType dtype, const Shape& shape,
                                  int64_t begin, int64_t end) {
  std::vector<int64_t> wide(shape.num_elements());
  for (int64_t& index : wide) index = begin + Below(end - begin);
  return FromIntegers(dtype, shape, wide);
}

}  // namespace scatterd::test
