#include "tests/testing/tensor_literals.h"

#include <cstdlib>
#include <iostream>
#include <utility>

#include "tests/testing/half_oracle.h"

namespace scatterd::test {
namespace {

OperatorCall MakeCall(OperatorId op, Tensor data, Tensor indices) {
  OperatorCall call;
  call.op = op;
  call.data = std::move(data);
  call.indices = std::move(indices);
  return call;
}

template <typename T>
Tensor CastIntegers(const Shape& shape, const std::vector<int64_t>& values) {
  return TensorOf<T>(shape, std::vector<T>(values.begin(), values.end()));
}

template <typename T>
Tensor RealParts(const Shape& shape, const std::vector<int64_t>& values) {
  std::vector<T> elements;
  for (const int64_t value : values) {
    elements.push_back({static_cast<decltype(T::re)>(value), 0});
  }
  return TensorOf<T>(shape, elements);
}

std::vector<double> ToDoubles(const std::vector<int64_t>& values) {
  return std::vector<double>(values.begin(), values.end());
}

}  // namespace

Tensor ValueOrDie(absl::StatusOr<Tensor> tensor) {
  if (!tensor.ok()) {
    std::cerr << "bad tensor literal: " << tensor.status() << std::endl;
    std::abort();
  }
  return *std::move(tensor);
}

template <>
Tensor Halves<Float16>(const Shape& shape, const std::vector<double>& values) {
  std::vector<Float16> halves;
  for (const double value : values) halves.push_back(NearestFloat16(value));
  return TensorOf<Float16>(shape, halves);
}

template <>
Tensor Halves<BFloat16>(const Shape& shape, const std::vector<double>& values) {
  std::vector<BFloat16> halves;
  for (const double value : values) halves.push_back(NearestBFloat16(value));
  return TensorOf<BFloat16>(shape, halves);
}

Tensor Bools(const Shape& shape, const std::vector<bool>& values) {
  return Bytes(DType::kBool, shape, {values.begin(), values.end()});
}

Tensor Strings(const Shape& shape, const std::vector<std::string>& values) {
  if (static_cast<int64_t>(values.size()) != shape.num_elements()) std::abort();
  return ValueOrDie(Tensor::FromStrings(shape, values));
}

Tensor Bytes(DType dtype, const Shape& shape,
             const std::vector<uint8_t>& values) {
  return ValueOrDie(
      Tensor::CopyFrom({dtype, shape}, values.data(), values.size()));
}

Tensor FromIntegers(DType dtype, const Shape& shape,
                    const std::vector<int64_t>& values) {
  switch (dtype) {
    case DType::kFloat:
      return CastIntegers<float>(shape, values);
    case DType::kDouble:
      return CastIntegers<double>(shape, values);
    case DType::kInt8:
      return CastIntegers<int8_t>(shape, values);
    case DType::kInt16:
      return CastIntegers<int16_t>(shape, values);
    case DType::kInt32:
      return CastIntegers<int32_t>(shape, values);
    case DType::kInt64:
      return CastIntegers<int64_t>(shape, values);
    case DType::kUInt16:
      return CastIntegers<uint16_t>(shape, values);
    case DType::kUInt32:
      return CastIntegers<uint32_t>(shape, values);
    case DType::kUInt64:
      return CastIntegers<uint64_t>(shape, values);
    case DType::kFloat16:
      return Halves<Float16>(shape, ToDoubles(values));
    case DType::kBFloat16:
      return Halves<BFloat16>(shape, ToDoubles(values));
    case DType::kComplex64:
      return RealParts<Complex64>(shape, values);
    case DType::kComplex128:
      return RealParts<Complex128>(shape, values);
    default:  // one byte
      return Bytes(dtype, shape, {values.begin(), values.end()});
  }
}

OperatorCall GatherCall(Tensor data, Tensor indices, int64_t axis,
                        int64_t batch_dims) {
  OperatorCall call =
      MakeCall(OperatorId::kGather, std::move(data), std::move(indices));
  call.attributes.axis = axis;
  call.attributes.batch_dims = batch_dims;
  return call;
}

OperatorCall GatherElementsCall(Tensor data, Tensor indices, int64_t axis) {
  OperatorCall call = MakeCall(OperatorId::kGatherElements, std::move(data),
                               std::move(indices));
  call.attributes.axis = axis;
  return call;
}

OperatorCall GatherNDCall(Tensor data, Tensor indices, int64_t batch_dims) {
  OperatorCall call =
      MakeCall(OperatorId::kGatherND, std::move(data), std::move(indices));
  call.attributes.batch_dims = batch_dims;
  return call;
}

OperatorCall ScatterElementsCall(Tensor data, Tensor indices, Tensor updates,
                                 int64_t axis, Reduction reduction) {
  OperatorCall call = MakeCall(OperatorId::kScatterElements, std::move(data),
                               std::move(indices));
  call.updates = std::move(updates);
  call.attributes.axis = axis;
  call.attributes.reduction = reduction;
  return call;
}

OperatorCall ScatterNDCall(Tensor data, Tensor indices, Tensor updates,
                           Reduction reduction) {
  OperatorCall call =
      MakeCall(OperatorId::kScatterND, std::move(data), std::move(indices));
  call.updates = std::move(updates);
  call.attributes.reduction = reduction;
  return call;
}

OperatorCall WithInt32Indices(OperatorCall call) {
  const Tensor& wide = std::get<Tensor>(call.indices);
  std::vector<int32_t> narrow;
  for (const int64_t value : wide.values<int64_t>()) {
    narrow.push_back(static_cast<int32_t>(value));
  }
  call.indices = TensorOf<int32_t>(wide.shape(), narrow);
  return call;
}

}  // namespace scatterd::test
