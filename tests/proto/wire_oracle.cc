#include "tests/proto/wire_oracle.h"

#include <cstring>
#include <string>
#include <utility>
#include <vector>

#include "google/protobuf/message.h"
#include "google/protobuf/unknown_field_set.h"
#include "tests/testing/tensor_literals.h"

namespace scatterd::test {
namespace {

using google::protobuf::FieldDescriptor;
using google::protobuf::Message;

// The number of elements; nullopt for a shape that is refused.
template <typename Dims>
std::optional<size_t> NumElements(const Dims& dims, size_t element_size) {
  if (dims.size() > 32) return std::nullopt;
  __int128 product = 1;
  bool empty = false;
  for (const int64_t dim : dims) {
    if (dim < 0) return std::nullopt;
    empty |= dim == 0;
    if (dim != 0) product *= dim;
    if (product * static_cast<int64_t>(element_size) > (__int128{1} << 62)) {
      return std::nullopt;
    }
  }
  return empty ? 0 : static_cast<size_t>(product);
}

// The values of a typed field, converted one by one.
template <typename To, typename Field>
std::string BytesOf(const Field& field) {
  std::string bytes;
  for (const auto value : field) {
    const To converted = static_cast<To>(value);
    bytes.append(reinterpret_cast<const char*>(&converted), sizeof(To));
  }
  return bytes;
}

std::string BoolBytes(const std::string& bytes) {
  std::string bools;
  for (const char byte : bytes) bools.push_back(byte == 0 ? '\0' : '\1');
  return bools;
}

// What the one typed field that belongs to the dtype holds.  `field` gets its
// name.
std::string TypedBytes(const v1::TensorProto& wire, std::string* field) {
  switch (wire.data_type()) {
    case v1::DATA_TYPE_FLOAT:
    case v1::DATA_TYPE_COMPLEX64:
      *field = "float_data";
      return BytesOf<float>(wire.float_data());
    case v1::DATA_TYPE_DOUBLE:
    case v1::DATA_TYPE_COMPLEX128:
      *field = "double_data";
      return BytesOf<double>(wire.double_data());
    case v1::DATA_TYPE_INT64:
      *field = "int64_data";
      return BytesOf<int64_t>(wire.int64_data());
    case v1::DATA_TYPE_UINT32:
      *field = "uint64_data";
      return BytesOf<uint32_t>(wire.uint64_data());
    case v1::DATA_TYPE_UINT64:
      *field = "uint64_data";
      return BytesOf<uint64_t>(wire.uint64_data());
    case v1::DATA_TYPE_INT32:
      *field = "int32_data";
      return BytesOf<int32_t>(wire.int32_data());
    case v1::DATA_TYPE_UINT16:
    case v1::DATA_TYPE_INT16:
    case v1::DATA_TYPE_FLOAT16:
    case v1::DATA_TYPE_BFLOAT16:
      *field = "int32_data";
      return BytesOf<uint16_t>(wire.int32_data());
    case v1::DATA_TYPE_BOOL:
      *field = "int32_data";
      return BytesOf<bool>(wire.int32_data());
    default:
      *field = "int32_data";
      return BytesOf<uint8_t>(wire.int32_data());
  }
}

std::vector<std::string> ValueFields(const v1::TensorProto& wire) {
  std::vector<std::string> set;
  if (!wire.raw_data().empty()) set.push_back("raw_data");
  if (wire.float_data_size() != 0) set.push_back("float_data");
  if (wire.int32_data_size() != 0) set.push_back("int32_data");
  if (wire.string_data_size() != 0) set.push_back("string_data");
  if (wire.int64_data_size() != 0) set.push_back("int64_data");
  if (wire.double_data_size() != 0) set.push_back("double_data");
  if (wire.uint64_data_size() != 0) set.push_back("uint64_data");
  return set;
}

bool HasSegment(const v1::TensorProto& wire) {
  const auto& unknown = wire.GetReflection()->GetUnknownFields(wire);
  for (int i = 0; i < unknown.field_count(); ++i) {
    if (unknown.field(i).number() == 3 &&
        unknown.field(i).type() ==
            google::protobuf::UnknownField::TYPE_LENGTH_DELIMITED) {
      return true;
    }
  }
  return false;
}

std::optional<TensorSpec> SpecOf(const v1::TensorSpec& wire) {
  const std::optional<DType> dtype = DTypeFromNumber(wire.data_type());
  if (!dtype || !NumElements(wire.dims(), ElementSize(*dtype))) {
    return std::nullopt;
  }
  return TensorSpec{
      *dtype, Shape(absl::MakeConstSpan(wire.dims().data(), wire.dims_size()))};
}

std::optional<SharedMemoryRef> MemoryOf(const v1::SharedMemoryRef& wire) {
  const std::optional<TensorSpec> spec = SpecOf(wire.spec());
  if (!spec) return std::nullopt;
  return SharedMemoryRef{wire.region(), wire.offset(), wire.byte_size(), *spec};
}

std::optional<Operand> OperandOf(const v1::Operand& wire) {
  switch (wire.source_case()) {
    case v1::Operand::kTensor:
      return TensorOf(wire.tensor());
    case v1::Operand::kResident:
      return ResidentRef{wire.resident().name(), wire.resident().if_version()};
    case v1::Operand::kZeros:
      if (const auto spec = SpecOf(wire.zeros())) return ZerosSpec{*spec};
      return std::nullopt;
    case v1::Operand::kSharedMemory:
      return MemoryOf(wire.shared_memory());
    case v1::Operand::SOURCE_NOT_SET:
      break;
  }
  return Operand();
}

std::optional<OutputTarget> TargetOf(const v1::OutputTarget& wire) {
  if (wire.has_shared_memory()) return MemoryOf(wire.shared_memory());
  if (!wire.has_resident()) return OutputTarget();
  return ResidentTarget{wire.resident().name(), wire.resident().if_version(),
                        wire.resident().if_absent(),
                        wire.resident().return_tensor()};
}

// Takes an enum that may have the values 0 (unset) to `max`.
template <typename Enum>
bool TakeEnum(int number, int max, std::optional<Enum>* value) {
  if (number < 0 || number > max) return false;
  if (number != 0) *value = static_cast<Enum>(number);
  return true;
}

std::optional<ExecutionOptions> OptionsOf(const v1::ExecutionOptions& wire) {
  ExecutionOptions options;
  const bool ok =
      TakeEnum(wire.dialect(), 7, &options.dialect) &&
      TakeEnum(wire.out_of_bounds(), 4, &options.out_of_bounds) &&
      TakeEnum(wire.negative_indices(), 2, &options.negative_indices) &&
      TakeEnum(wire.duplicates(), 3, &options.duplicates) &&
      TakeEnum(wire.nan(), 2, &options.nan) &&
      TakeEnum(wire.accumulation(), 2, &options.accumulation);
  if (!ok) return std::nullopt;
  if (wire.has_fill_value()) {
    options.fill_value = TensorOf(wire.fill_value());
    if (!options.fill_value) return std::nullopt;
  }
  options.device = wire.device();
  options.idempotency_key = wire.idempotency_key();
  return options;
}

// Sets the member of `call` that has the field's name; false if refused.
bool TakeField(const Message& request, const FieldDescriptor& field,
               OperatorCall* call) {
  const auto& reflection = *request.GetReflection();
  const std::string name(field.name());
  if (name == "data" || name == "indices" || name == "updates") {
    const auto operand = OperandOf(static_cast<const v1::Operand&>(
        reflection.GetMessage(request, &field)));
    if (!operand) return false;
    (name == "data"      ? call->data
     : name == "indices" ? call->indices
                         : call->updates) = *operand;
  } else if (name == "axis") {
    call->attributes.axis = reflection.GetInt64(request, &field);
  } else if (name == "batch_dims") {
    call->attributes.batch_dims = reflection.GetInt64(request, &field);
  } else if (name == "exclude_self") {
    call->attributes.exclude_self = reflection.GetBool(request, &field);
  } else if (name == "reduction") {
    std::optional<Reduction> reduction;
    if (!TakeEnum(reflection.GetEnumValue(request, &field), 8, &reduction)) {
      return false;
    }
    call->attributes.reduction = reduction.value_or(Reduction::kNone);
  } else if (name == "options") {
    const auto options = OptionsOf(static_cast<const v1::ExecutionOptions&>(
        reflection.GetMessage(request, &field)));
    if (!options) return false;
    call->options = *options;
  } else if (name == "output") {
    const auto target = TargetOf(static_cast<const v1::OutputTarget&>(
        reflection.GetMessage(request, &field)));
    if (!target) return false;
    call->output = *target;
  }
  return true;
}

}  // namespace

std::optional<Tensor> TensorOf(const v1::TensorProto& wire) {
  const std::optional<DType> dtype = DTypeFromNumber(wire.data_type());
  if (!dtype || HasSegment(wire) || wire.external_data_size() != 0 ||
      wire.data_location() != 0) {
    return std::nullopt;
  }
  const auto n = NumElements(wire.dims(), ElementSize(*dtype));
  const std::vector<std::string> set = ValueFields(wire);
  if (!n || set.size() > 1) return std::nullopt;
  const Shape shape(absl::MakeConstSpan(wire.dims().data(), wire.dims_size()));

  std::optional<Tensor> tensor;
  if (*dtype == DType::kString) {
    if (!set.empty() && set[0] != "string_data") return std::nullopt;
    if (wire.string_data().size() != static_cast<int64_t>(*n)) {
      return std::nullopt;
    }
    tensor =
        Strings(shape, {wire.string_data().begin(), wire.string_data().end()});
  } else {
    std::string typed_field;
    std::string bytes = TypedBytes(wire, &typed_field);
    if (!set.empty() && set[0] == "raw_data") {
      bytes = wire.raw_data();
      if (*dtype == DType::kBool) bytes = BoolBytes(bytes);
    } else if (!set.empty() && set[0] != typed_field) {
      return std::nullopt;
    }
    if (bytes.size() != *n * ElementSize(*dtype)) return std::nullopt;
    tensor = ValueOrDie(
        Tensor::CopyFrom({*dtype, shape}, bytes.data(), bytes.size()));
  }
  tensor->set_name(wire.name());
  return tensor;
}

std::optional<OperatorCall> CallOf(OperatorId op, const Message& request) {
  OperatorCall call;
  call.op = op;
  std::vector<const FieldDescriptor*> fields;
  request.GetReflection()->ListFields(request, &fields);
  for (const FieldDescriptor* field : fields) {
    if (!TakeField(request, *field, &call)) return std::nullopt;
  }
  return call;
}

std::optional<GradientCall> GradientCallOf(const v1::GradientRequest& request) {
  std::optional<OperatorCall> forward;
  switch (request.forward_case()) {
    case v1::GradientRequest::kGather:
      forward = CallOf(OperatorId::kGather, request.gather());
      break;
    case v1::GradientRequest::kGatherElements:
      forward = CallOf(OperatorId::kGatherElements, request.gather_elements());
      break;
    case v1::GradientRequest::kGatherNd:
      forward = CallOf(OperatorId::kGatherND, request.gather_nd());
      break;
    case v1::GradientRequest::kScatterElements:
      forward =
          CallOf(OperatorId::kScatterElements, request.scatter_elements());
      break;
    case v1::GradientRequest::kScatterNd:
      forward = CallOf(OperatorId::kScatterND, request.scatter_nd());
      break;
    case v1::GradientRequest::FORWARD_NOT_SET:
      break;
  }
  const auto grad_output = OperandOf(request.grad_output());
  const auto options = OptionsOf(request.options());
  if (!forward || !grad_output || !options) return std::nullopt;
  GradientCall call{*forward, *grad_output, std::nullopt, *options};
  if (request.has_scale()) call.scale = request.scale();
  return call;
}

}  // namespace scatterd::test
