// Tensors and calls as literals.
//
//   TensorOf<float>({2, 2}, {1, 2, 3, 4})
//   Indices({2, 1}, {4, 3})                   // INT64
//   Strings({2}, {"a", "b"}), Bools({2}, {true, false})
//   Halves<Float16>({2}, {1.0, 0.5})
//   ScatterNDCall(data, indices, updates, Reduction::kAdd)
//
// A literal whose values do not fill its shape ends the program.

#ifndef SCATTERD_TESTS_TESTING_TENSOR_LITERALS_H_
#define SCATTERD_TESTS_TESTING_TENSOR_LITERALS_H_

#include <cstdint>
#include <string>
#include <vector>

#include "core/call.h"
#include "core/reduction.h"
#include "core/tensor.h"

namespace scatterd::test {

// The value; ends the program with the status if there is none.
Tensor ValueOrDie(absl::StatusOr<Tensor> tensor);

// T is an integer, float, double, Complex64 or Complex128.
template <typename T>
Tensor TensorOf(const Shape& shape, const std::vector<T>& values) {
  return ValueOrDie(Tensor::FromValues<T>(shape, values));
}

inline Tensor Indices(const Shape& shape, const std::vector<int64_t>& values) {
  return TensorOf<int64_t>(shape, values);
}

// T is Float16 or BFloat16; values are rounded to nearest.
template <typename T>
Tensor Halves(const Shape& shape, const std::vector<double>& values);

Tensor Bools(const Shape& shape, const std::vector<bool>& values);
Tensor Strings(const Shape& shape, const std::vector<std::string>& values);

// `dtype`, whose elements are 1 byte, with these bits.
Tensor Bytes(DType dtype, const Shape& shape,
             const std::vector<uint8_t>& values);

// Every element `value`.
template <typename T>
Tensor Full(const Shape& shape, T value) {
  return TensorOf<T>(shape, std::vector<T>(shape.num_elements(), value));
}

// 0, 1, 2, ...
template <typename T>
Tensor Iota(const Shape& shape, T first = T{0}) {
  std::vector<T> values(shape.num_elements());
  for (T& value : values) value = first++;
  return TensorOf<T>(shape, values);
}

// Integer values in any real dtype except STRING, and the same values in
// several dtypes: for tests that sweep over dtypes.
Tensor FromIntegers(DType dtype, const Shape& shape,
                    const std::vector<int64_t>& values);

// Requests.  What is not a parameter keeps its default; set it on the result.
OperatorCall GatherCall(Tensor data, Tensor indices, int64_t axis = 0,
                        int64_t batch_dims = 0);
OperatorCall GatherElementsCall(Tensor data, Tensor indices, int64_t axis = 0);
OperatorCall GatherNDCall(Tensor data, Tensor indices, int64_t batch_dims = 0);
OperatorCall ScatterElementsCall(Tensor data, Tensor indices, Tensor updates,
                                 int64_t axis = 0,
                                 Reduction reduction = Reduction::kNone);
OperatorCall ScatterNDCall(Tensor data, Tensor indices, Tensor updates,
                           Reduction reduction = Reduction::kNone);

// The same call with INT32 indices, whose values must fit.
OperatorCall WithInt32Indices(OperatorCall call);

}  // namespace scatterd::test

#endif  // SCATTERD_TESTS_TESTING_TENSOR_LITERALS_H_
