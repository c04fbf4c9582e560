#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "core/status_macros.h"
#include "proto/graph_codec.h"
#include "proto/operand_codec.h"
#include "proto/options_codec.h"
#include "proto/stats_codec.h"
#include "proto/tensor_encoder.h"
#include "proto/utf8.h"
#include "proto/wire_writer.h"
#include "scatterd/v1/operators.pb.h"

namespace scatterd {
namespace {

using internal::DelimitedSize;
using internal::OperandEncoder;
using internal::WireWriter;

bool AllUtf8(const std::vector<std::string>& texts) {
  return std::all_of(texts.begin(), texts.end(), [](const std::string& text) {
    return internal::IsValidUtf8(text);
  });
}

bool IsUtf8(const GraphNode& node) {
  return AllUtf8({node.name, node.op_type, node.domain}) &&
         AllUtf8(node.inputs) && AllUtf8(node.outputs) &&
         std::all_of(node.attributes.begin(), node.attributes.end(),
                     [](const GraphAttribute& attribute) {
                       return internal::IsValidUtf8(attribute.name);
                     });
}

bool IsUtf8(const DeclaredEdge& edge) {
  if (!internal::IsValidUtf8(edge.name)) return false;
  if (!edge.dims) return true;
  return std::all_of(
      edge.dims->begin(), edge.dims->end(),
      [](const DeclaredDim& dim) { return internal::IsValidUtf8(dim.symbol); });
}

// Tensors' names are checked where they are written.
absl::Status CheckUtf8(const GraphCall& call) {
  const auto is_utf8 = [](const auto& item) { return IsUtf8(item); };
  const Graph& graph = call.graph;
  bool ok = internal::IsValidUtf8(graph.name) && AllUtf8(call.fetches) &&
            std::all_of(graph.nodes.begin(), graph.nodes.end(), is_utf8) &&
            std::all_of(graph.inputs.begin(), graph.inputs.end(), is_utf8) &&
            std::all_of(graph.outputs.begin(), graph.outputs.end(), is_utf8);
  for (const auto& [name, operand] : call.feeds) {
    ok = ok && internal::IsValidUtf8(name);
  }
  if (ok) return absl::OkStatus();
  return absl::InvalidArgumentError("a name in the graph is not UTF-8");
}

using WireAttribute = v1::AttributeProto;

// Sets the value and type of an attribute; a tensor's value is not set.
struct SetValue {
  WireAttribute& wire;

  void operator()(std::monostate) const {}
  void operator()(int64_t value) const {
    wire.set_i(value);
    wire.set_type(WireAttribute::ATTRIBUTE_TYPE_INT);
  }
  void operator()(float value) const {
    wire.set_f(value);
    wire.set_type(WireAttribute::ATTRIBUTE_TYPE_FLOAT);
  }
  void operator()(const std::string& value) const {
    wire.set_s(value);
    wire.set_type(WireAttribute::ATTRIBUTE_TYPE_STRING);
  }
  void operator()(const Tensor&) const {
    wire.set_type(WireAttribute::ATTRIBUTE_TYPE_TENSOR);
  }
  void operator()(const std::vector<int64_t>& values) const {
    wire.mutable_ints()->Add(values.begin(), values.end());
    wire.set_type(WireAttribute::ATTRIBUTE_TYPE_INTS);
  }
  void operator()(const std::vector<float>& values) const {
    wire.mutable_floats()->Add(values.begin(), values.end());
    wire.set_type(WireAttribute::ATTRIBUTE_TYPE_FLOATS);
  }
  void operator()(const std::vector<std::string>& values) const {
    for (const std::string& value : values) wire.add_strings(value);
    wire.set_type(WireAttribute::ATTRIBUTE_TYPE_STRINGS);
  }
};

absl::StatusOr<std::string> EncodeAttribute(const GraphAttribute& attribute) {
  WireAttribute wire;
  wire.set_name(attribute.name);
  std::visit(SetValue{wire}, attribute.value);
  std::string bytes = wire.SerializeAsString();
  if (const auto* tensor = std::get_if<Tensor>(&attribute.value)) {
    SCATTERD_ASSIGN_OR_RETURN(const EncodedMessage message,
                              EncodeTensor(*tensor));
    WireWriter writer;
    writer.BytesField(WireAttribute::kTFieldNumber, message.Flatten());
    bytes += writer.Finish().Flatten();
  }
  return bytes;
}

absl::StatusOr<std::string> EncodeNode(const GraphNode& node) {
  v1::NodeProto wire;
  for (const std::string& input : node.inputs) wire.add_input(input);
  for (const std::string& output : node.outputs) wire.add_output(output);
  wire.set_name(node.name);
  wire.set_op_type(node.op_type);
  wire.set_domain(node.domain);
  WireWriter writer;
  writer.Bytes(wire.SerializeAsString());
  for (const GraphAttribute& attribute : node.attributes) {
    SCATTERD_ASSIGN_OR_RETURN(const std::string bytes,
                              EncodeAttribute(attribute));
    writer.BytesField(v1::NodeProto::kAttributeFieldNumber, bytes);
  }
  return writer.Finish().Flatten();
}

std::string EncodeEdge(const DeclaredEdge& edge) {
  v1::ValueInfoProto wire;
  wire.set_name(edge.name);
  if (edge.dtype != DType::kUnspecified || edge.dims) {
    v1::TypeProto::Tensor& type = *wire.mutable_type()->mutable_tensor_type();
    type.set_elem_type(static_cast<int32_t>(edge.dtype));
    if (edge.dims) type.mutable_shape();
    for (const DeclaredDim& dim :
         edge.dims.value_or(std::vector<DeclaredDim>())) {
      auto& wire_dim = *type.mutable_shape()->add_dim();
      if (dim.extent) {
        wire_dim.set_dim_value(*dim.extent);
      } else if (!dim.symbol.empty()) {
        wire_dim.set_dim_param(dim.symbol);
      }
    }
  }
  return wire.SerializeAsString();
}

// Everything of a graph but its initializers.
absl::StatusOr<std::string> EncodeStructure(const Graph& graph) {
  using Wire = v1::Graph;
  WireWriter writer;
  for (const GraphNode& node : graph.nodes) {
    SCATTERD_ASSIGN_OR_RETURN(const std::string bytes, EncodeNode(node));
    writer.BytesField(Wire::kNodeFieldNumber, bytes);
  }
  if (!graph.name.empty()) {
    writer.BytesField(Wire::kNameFieldNumber, graph.name);
  }
  for (const DeclaredEdge& edge : graph.inputs) {
    writer.BytesField(Wire::kInputFieldNumber, EncodeEdge(edge));
  }
  for (const DeclaredEdge& edge : graph.outputs) {
    writer.BytesField(Wire::kOutputFieldNumber, EncodeEdge(edge));
  }
  return writer.Finish().Flatten();
}

absl::Status WriteTensorField(uint32_t field, const Tensor& tensor,
                              WireWriter& writer) {
  writer.DelimitedHeader(field, EncodedTensorSize(tensor));
  return internal::WriteTensor(tensor, writer);
}

absl::Status WriteGraph(const Graph& graph, WireWriter& writer) {
  constexpr uint32_t kInitializer = v1::Graph::kInitializerFieldNumber;
  SCATTERD_ASSIGN_OR_RETURN(const std::string structure,
                            EncodeStructure(graph));
  uint64_t size = structure.size();
  for (const Tensor& tensor : graph.initializers) {
    size += DelimitedSize(kInitializer, EncodedTensorSize(tensor));
  }
  SCATTERD_RETURN_IF_ERROR(internal::CheckMessageSize(size));
  writer.DelimitedHeader(v1::RunRequest::kGraphFieldNumber, size);
  writer.Bytes(structure);
  for (const Tensor& tensor : graph.initializers) {
    SCATTERD_RETURN_IF_ERROR(WriteTensorField(kInitializer, tensor, writer));
  }
  return absl::OkStatus();
}

absl::Status WriteFeed(const std::string& name, const Operand& operand,
                       WireWriter& writer) {
  constexpr uint32_t kKey = 1, kValue = 2;
  const OperandEncoder encoder(operand);
  const uint64_t size = DelimitedSize(kKey, name.size()) + encoder.Size(kValue);
  SCATTERD_RETURN_IF_ERROR(internal::CheckMessageSize(size));
  writer.DelimitedHeader(v1::RunRequest::kFeedsFieldNumber, size);
  writer.BytesField(kKey, name);
  return encoder.Write(kValue, writer);
}

}  // namespace

absl::StatusOr<EncodedMessage> EncodeGraphCall(const GraphCall& call) {
  using Wire = v1::RunRequest;
  SCATTERD_RETURN_IF_ERROR(CheckUtf8(call));
  WireWriter writer;
  SCATTERD_RETURN_IF_ERROR(WriteGraph(call.graph, writer));
  for (const auto& [name, operand] : call.feeds) {
    SCATTERD_RETURN_IF_ERROR(WriteFeed(name, operand, writer));
  }
  for (const std::string& fetch : call.fetches) {
    writer.BytesField(Wire::kFetchesFieldNumber, fetch);
  }
  SCATTERD_ASSIGN_OR_RETURN(const std::string options,
                            internal::EncodeOptions(call.options));
  if (!options.empty()) writer.BytesField(Wire::kOptionsFieldNumber, options);
  EncodedMessage message = writer.Finish();
  SCATTERD_RETURN_IF_ERROR(internal::CheckMessageSize(message.size()));
  return message;
}

absl::StatusOr<EncodedMessage> EncodeGraphResult(const GraphResult& result) {
  using Wire = v1::RunResponse;
  uint64_t size = 0;
  for (const Tensor& output : result.outputs) {
    size += DelimitedSize(Wire::kOutputsFieldNumber, EncodedTensorSize(output));
  }
  SCATTERD_RETURN_IF_ERROR(internal::CheckMessageSize(size));
  WireWriter writer;
  for (const Tensor& output : result.outputs) {
    SCATTERD_RETURN_IF_ERROR(
        WriteTensorField(Wire::kOutputsFieldNumber, output, writer));
  }
  writer.BytesField(Wire::kStatsFieldNumber,
                    internal::EncodeStats(result.stats));
  EncodedMessage message = writer.Finish();
  SCATTERD_RETURN_IF_ERROR(internal::CheckMessageSize(message.size()));
  return message;
}

}  // namespace scatterd
