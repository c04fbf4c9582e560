#include <utility>
#include <variant>

#include "core/status_macros.h"
#include "proto/operand_codec.h"
#include "proto/tensor_encoder.h"
#include "scatterd/v1/operators.pb.h"

namespace scatterd::internal {
namespace {

void ToWire(const TensorSpec& spec, v1::TensorSpec* wire) {
  wire->set_data_type(static_cast<v1::DataType>(spec.dtype));
  for (const int64_t dim : spec.shape.dims()) wire->add_dims(dim);
}

void ToWire(const SharedMemoryRef& ref, v1::SharedMemoryRef* wire) {
  wire->set_region(ref.region);
  wire->set_offset(ref.offset);
  wire->set_byte_size(ref.byte_size);
  ToWire(ref.spec, wire->mutable_spec());
}

// An Operand message for everything but a Tensor.
struct ToSmallOperand {
  v1::Operand& wire;

  void operator()(std::monostate) const {}
  void operator()(const Tensor&) const {}
  void operator()(const ResidentRef& ref) const {
    wire.mutable_resident()->set_name(ref.name);
    wire.mutable_resident()->set_if_version(ref.if_version);
  }
  void operator()(const ZerosSpec& zeros) const {
    ToWire(zeros.spec, wire.mutable_zeros());
  }
  void operator()(const SharedMemoryRef& ref) const {
    ToWire(ref, wire.mutable_shared_memory());
  }
};

}  // namespace

OperandEncoder::OperandEncoder(const Operand& operand)
    : tensor_(std::get_if<Tensor>(&operand)) {
  if (tensor_ != nullptr) {
    tensor_size_ = EncodedTensorSize(*tensor_);
    return;
  }
  v1::Operand wire;
  std::visit(ToSmallOperand{wire}, operand);
  bytes_ = wire.SerializeAsString();
}

uint64_t OperandEncoder::Size(uint32_t field) const {
  if (tensor_ != nullptr) {
    return DelimitedSize(field,
                         DelimitedSize(v1::Operand::kTensor, tensor_size_));
  }
  return bytes_.empty() ? 0 : DelimitedSize(field, bytes_.size());
}

absl::Status OperandEncoder::Write(uint32_t field, WireWriter& writer) const {
  if (tensor_ == nullptr) {
    if (!bytes_.empty()) writer.BytesField(field, bytes_);
    return absl::OkStatus();
  }
  writer.DelimitedHeader(field,
                         DelimitedSize(v1::Operand::kTensor, tensor_size_));
  writer.DelimitedHeader(v1::Operand::kTensor, tensor_size_);
  return WriteTensor(*tensor_, writer);
}

std::string EncodeOutputTarget(const OutputTarget& target) {
  v1::OutputTarget wire;
  if (const auto* resident = std::get_if<ResidentTarget>(&target)) {
    wire.mutable_resident()->set_name(resident->name);
    wire.mutable_resident()->set_if_version(resident->if_version);
    wire.mutable_resident()->set_if_absent(resident->if_absent);
    wire.mutable_resident()->set_return_tensor(resident->return_tensor);
  } else if (const auto* memory = std::get_if<SharedMemoryRef>(&target)) {
    ToWire(*memory, wire.mutable_shared_memory());
  }
  return wire.SerializeAsString();
}

}  // namespace scatterd::internal
