#include "tests/proto/random_messages.h"

#include <string>
#include <vector>

#include "google/protobuf/message.h"

namespace scatterd::test {
namespace {

using google::protobuf::FieldDescriptor;
using google::protobuf::Message;

std::string RandomBytes(WireScrambler& random, uint64_t size) {
  std::string bytes(size, '\0');
  for (char& byte : bytes) byte = static_cast<char>(random.Below(256));
  return bytes;
}

std::string RandomText(WireScrambler& random) {
  static const std::vector<std::string> kTexts = {
      "", "x", "weights/0", "na\xc3\xafve", "\xe2\x82\xac", "\xf0\x9f\xa6\x86"};
  return kTexts[random.Below(kTexts.size())];
}

// Small and large numbers of both signs.
int64_t RandomNumber(WireScrambler& random) {
  const int64_t bits = static_cast<int64_t>(random.engine()());
  return bits >> random.Below(64);
}

// Dims with at most 60 elements; returns their number.
uint64_t FillDims(WireScrambler& random,
                  google::protobuf::RepeatedField<int64_t>* dims) {
  uint64_t n = 1;
  for (uint64_t rank = random.Below(4); rank > 0; --rank) {
    const uint64_t dim = random.OneIn(8) ? 0 : 1 + random.Below(4);
    dims->Add(static_cast<int64_t>(dim));
    n *= dim;
  }
  return n;
}

uint64_t ElementBytes(int data_type) {
  switch (data_type) {
    case v1::DATA_TYPE_COMPLEX128:
      return 16;
    case v1::DATA_TYPE_INT64:
    case v1::DATA_TYPE_UINT64:
    case v1::DATA_TYPE_DOUBLE:
    case v1::DATA_TYPE_COMPLEX64:
      return 8;
    case v1::DATA_TYPE_FLOAT:
    case v1::DATA_TYPE_INT32:
    case v1::DATA_TYPE_UINT32:
      return 4;
    case v1::DATA_TYPE_FLOAT16:
    case v1::DATA_TYPE_BFLOAT16:
    case v1::DATA_TYPE_INT16:
    case v1::DATA_TYPE_UINT16:
      return 2;
    default:
      return 1;
  }
}

void FillTyped(WireScrambler& random, uint64_t n, v1::TensorProto* tensor) {
  const bool is_complex = tensor->data_type() == v1::DATA_TYPE_COMPLEX64 ||
                          tensor->data_type() == v1::DATA_TYPE_COMPLEX128;
  for (uint64_t i = 0; i < n * (is_complex ? 2 : 1); ++i) {
    const int64_t number = RandomNumber(random);
    switch (tensor->data_type()) {
      case v1::DATA_TYPE_FLOAT:
      case v1::DATA_TYPE_COMPLEX64:
        tensor->add_float_data(static_cast<float>(number) * 0.5f);
        break;
      case v1::DATA_TYPE_DOUBLE:
      case v1::DATA_TYPE_COMPLEX128:
        tensor->add_double_data(static_cast<double>(number) * 0.5);
        break;
      case v1::DATA_TYPE_INT64:
        tensor->add_int64_data(number);
        break;
      case v1::DATA_TYPE_UINT32:
      case v1::DATA_TYPE_UINT64:
        tensor->add_uint64_data(static_cast<uint64_t>(number));
        break;
      default:
        tensor->add_int32_data(static_cast<int32_t>(number));
    }
  }
}

void SpoilTensor(WireScrambler& random, v1::TensorProto* tensor) {
  switch (random.Below(7)) {
    case 0:
      tensor->add_dims(RandomNumber(random));
      break;
    case 1:
      tensor->set_data_type(static_cast<int32_t>(random.Below(30)));
      break;
    case 2:
      tensor->add_float_data(1);
      break;
    case 3:
      tensor->mutable_raw_data()->append("more");
      break;
    case 4:
      tensor->set_data_location(v1::TensorProto::DATA_LOCATION_EXTERNAL);
      break;
    case 5:
      tensor->add_external_data()->set_key("location");
      break;
    default:
      tensor->add_string_data("text");
  }
}

void FillSpec(WireScrambler& random, v1::TensorSpec* spec) {
  spec->set_data_type(static_cast<v1::DataType>(1 + random.Below(20)));
  FillDims(random, spec->mutable_dims());
  if (random.OneIn(10)) spec->add_dims(RandomNumber(random));
}

void FillMemory(WireScrambler& random, v1::SharedMemoryRef* memory) {
  memory->set_region(RandomText(random));
  memory->set_offset(random.engine()());
  memory->set_byte_size(random.Below(1000));
  FillSpec(random, memory->mutable_spec());
}

void FillOperand(WireScrambler& random, v1::Operand* operand) {
  switch (random.Below(8)) {
    case 0:
      operand->mutable_resident()->set_name(RandomText(random));
      operand->mutable_resident()->set_if_version(random.Below(3));
      break;
    case 1:
      FillSpec(random, operand->mutable_zeros());
      break;
    case 2:
      FillMemory(random, operand->mutable_shared_memory());
      break;
    case 3:
      break;  // no source
    default:
      FillTensor(random, operand->mutable_tensor());
  }
}

void FillOptions(WireScrambler& random, v1::ExecutionOptions* options) {
  // Mostly known values; 0 is "not set".
  const auto value = [&random](int max) {
    return random.OneIn(30) ? 50 : static_cast<int>(random.Below(max + 1));
  };
  options->set_dialect(static_cast<v1::Dialect>(value(7)));
  options->set_out_of_bounds(static_cast<v1::OutOfBounds>(value(4)));
  options->set_negative_indices(static_cast<v1::NegativeIndices>(value(2)));
  options->set_duplicates(static_cast<v1::Duplicates>(value(3)));
  options->set_nan(static_cast<v1::NanPolicy>(value(2)));
  options->set_accumulation(static_cast<v1::Accumulation>(value(2)));
  if (random.OneIn(2)) FillTensor(random, options->mutable_fill_value());
  options->set_device(RandomText(random));
  options->set_idempotency_key(RandomText(random));
}

void FillTarget(WireScrambler& random, v1::OutputTarget* target) {
  if (random.OneIn(2)) {
    FillMemory(random, target->mutable_shared_memory());
    return;
  }
  target->mutable_resident()->set_name(RandomText(random));
  target->mutable_resident()->set_if_version(random.Below(3));
  target->mutable_resident()->set_if_absent(random.OneIn(2));
  target->mutable_resident()->set_return_tensor(random.OneIn(2));
}

void FillMessageField(WireScrambler& random, const std::string& name,
                      Message* message) {
  if (name == "options") {
    FillOptions(random, static_cast<v1::ExecutionOptions*>(message));
  } else if (name == "output") {
    FillTarget(random, static_cast<v1::OutputTarget*>(message));
  } else {
    FillOperand(random, static_cast<v1::Operand*>(message));
  }
}

}  // namespace

void FillTensor(WireScrambler& random, v1::TensorProto* tensor) {
  const int data_type = static_cast<int>(1 + random.Below(20));
  tensor->set_data_type(data_type);
  const uint64_t n = FillDims(random, tensor->mutable_dims());
  if (data_type == v1::DATA_TYPE_STRING) {
    for (uint64_t i = 0; i < n; ++i) {
      tensor->add_string_data(RandomBytes(random, random.Below(6)));
    }
  } else if (random.OneIn(2)) {
    tensor->set_raw_data(RandomBytes(random, n * ElementBytes(data_type)));
  } else {
    FillTyped(random, n, tensor);
  }
  tensor->set_name(RandomText(random));
  tensor->set_doc_string(RandomText(random));
  if (random.OneIn(6)) SpoilTensor(random, tensor);
}

void FillRequest(WireScrambler& random, Message* request) {
  const auto& reflection = *request->GetReflection();
  for (int i = 0; i < request->GetDescriptor()->field_count(); ++i) {
    const FieldDescriptor* field = request->GetDescriptor()->field(i);
    if (random.OneIn(3)) continue;
    switch (field->cpp_type()) {
      case FieldDescriptor::CPPTYPE_INT64:
        reflection.SetInt64(request, field, RandomNumber(random));
        break;
      case FieldDescriptor::CPPTYPE_BOOL:
        reflection.SetBool(request, field, random.OneIn(2));
        break;
      case FieldDescriptor::CPPTYPE_ENUM:
        reflection.SetEnumValue(request, field,
                                static_cast<int>(random.Below(10)));
        break;
      default:
        FillMessageField(random, std::string(field->name()),
                         reflection.MutableMessage(request, field));
    }
  }
}

void FillGradientRequest(WireScrambler& random, v1::GradientRequest* request) {
  const auto& descriptor = *v1::GradientRequest::descriptor();
  const auto& forward = *descriptor.FindOneofByName("forward");
  if (!random.OneIn(16)) {
    const FieldDescriptor* field =
        forward.field(static_cast<int>(random.Below(forward.field_count())));
    FillRequest(random,
                request->GetReflection()->MutableMessage(request, field));
  }
  if (!random.OneIn(3)) FillOperand(random, request->mutable_grad_output());
  if (random.OneIn(2)) {
    request->set_scale(static_cast<double>(RandomNumber(random)) * 0.25);
  }
  if (random.OneIn(2)) FillOptions(random, request->mutable_options());
}

}  // namespace scatterd::test
