#include "tests/proto/graph_messages.h"

#include <utility>
#include <vector>

#include "absl/strings/escaping.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "proto/codec.h"
#include "tests/proto/random_messages.h"
#include "tests/proto/wire_oracle.h"

namespace scatterd::test {
namespace {

using Attribute = v1::AttributeProto;

std::string RandomName(WireScrambler& random) {
  static constexpr const char* kNames[] = {
      "", "x", "y", "idx", "\u00e9", "a longer name than fits inline"};
  return kNames[random.Below(std::size(kNames))];
}

void FillAttribute(WireScrambler& random, Attribute* attribute) {
  attribute->set_name(RandomName(random));
  switch (random.Below(8)) {
    case 0:
      attribute->set_type(Attribute::ATTRIBUTE_TYPE_FLOAT);
      attribute->set_f(static_cast<float>(random.Below(5)) - 2);
      break;
    case 1:
      attribute->set_type(Attribute::ATTRIBUTE_TYPE_INT);
      attribute->set_i(static_cast<int64_t>(random.Below(5)) - 2);
      break;
    case 2:
      attribute->set_type(Attribute::ATTRIBUTE_TYPE_STRING);
      attribute->set_s(random.OneIn(3) ? "\xff\0x" : "add");
      break;
    case 3:
      attribute->set_type(Attribute::ATTRIBUTE_TYPE_TENSOR);
      FillTensor(random, attribute->mutable_t());
      break;
    case 4:
      attribute->set_type(Attribute::ATTRIBUTE_TYPE_FLOATS);
      for (int i = 0; i < 3; ++i) attribute->add_floats(0.5f * i);
      break;
    case 5:
      attribute->set_type(Attribute::ATTRIBUTE_TYPE_INTS);
      for (int i = 0; i < 3; ++i) attribute->add_ints(i - 1);
      break;
    case 6:
      attribute->set_type(Attribute::ATTRIBUTE_TYPE_STRINGS);
      for (int i = 0; i < 3; ++i) attribute->add_strings(RandomName(random));
      break;
    default:
      attribute->set_type(static_cast<Attribute::AttributeType>(5));  // GRAPH
  }
}

void FillEdge(WireScrambler& random, v1::ValueInfoProto* edge) {
  edge->set_name(RandomName(random));
  if (random.OneIn(3)) return;
  auto& type = *edge->mutable_type()->mutable_tensor_type();
  type.set_elem_type(static_cast<int32_t>(random.Below(17)));
  if (random.OneIn(3)) return;
  type.mutable_shape();
  for (uint64_t i = random.Below(3); i > 0; --i) {
    auto& dim = *type.mutable_shape()->add_dim();
    if (random.OneIn(2)) {
      dim.set_dim_value(static_cast<int64_t>(random.Below(4)));
    } else if (random.OneIn(2)) {
      dim.set_dim_param("n");
    }
  }
}

// Through the fields of a request that has them.
std::optional<OperatorCall> Understand(const v1::Operand& operand,
                                       const v1::ExecutionOptions& options) {
  v1::GatherRequest request;
  *request.mutable_data() = operand;
  *request.mutable_options() = options;
  return CallOf(OperatorId::kGather, request);
}

std::optional<AttributeValue> ValueOf(const Attribute& wire) {
  switch (wire.type()) {
    case Attribute::ATTRIBUTE_TYPE_FLOAT:
      return wire.f();
    case Attribute::ATTRIBUTE_TYPE_INT:
      return int64_t{wire.i()};
    case Attribute::ATTRIBUTE_TYPE_STRING:
      return wire.s();
    case Attribute::ATTRIBUTE_TYPE_TENSOR:
      return TensorOf(wire.t());
    case Attribute::ATTRIBUTE_TYPE_FLOATS:
      return std::vector<float>(wire.floats().begin(), wire.floats().end());
    case Attribute::ATTRIBUTE_TYPE_INTS:
      return std::vector<int64_t>(wire.ints().begin(), wire.ints().end());
    case Attribute::ATTRIBUTE_TYPE_STRINGS:
      return std::vector<std::string>(wire.strings().begin(),
                                      wire.strings().end());
    default:
      return AttributeValue();
  }
}

// Whether a value is there that the type does not speak of.
bool HasOtherValue(const Attribute& wire) {
  Attribute rest = wire;
  switch (wire.type()) {
    case Attribute::ATTRIBUTE_TYPE_FLOAT:
      rest.clear_f();
      break;
    case Attribute::ATTRIBUTE_TYPE_INT:
      rest.clear_i();
      break;
    case Attribute::ATTRIBUTE_TYPE_STRING:
      rest.clear_s();
      break;
    case Attribute::ATTRIBUTE_TYPE_TENSOR:
      rest.clear_t();
      break;
    case Attribute::ATTRIBUTE_TYPE_FLOATS:
      rest.clear_floats();
      break;
    case Attribute::ATTRIBUTE_TYPE_INTS:
      rest.clear_ints();
      break;
    case Attribute::ATTRIBUTE_TYPE_STRINGS:
      rest.clear_strings();
      break;
    default:
      return false;
  }
  return rest.f() != 0 || rest.i() != 0 || !rest.s().empty() || rest.has_t() ||
         rest.floats_size() + rest.ints_size() + rest.strings_size() != 0;
}

std::optional<GraphNode> NodeOf(const v1::NodeProto& wire) {
  GraphNode node{.name = wire.name(),
                 .op_type = wire.op_type(),
                 .domain = wire.domain(),
                 .inputs = {wire.input().begin(), wire.input().end()},
                 .outputs = {wire.output().begin(), wire.output().end()},
                 .attributes = {}};
  for (const Attribute& attribute : wire.attribute()) {
    auto value = ValueOf(attribute);
    if (!value || HasOtherValue(attribute)) return std::nullopt;
    node.attributes.push_back({attribute.name(), *std::move(value)});
  }
  return node;
}

std::optional<DeclaredEdge> EdgeOf(const v1::ValueInfoProto& wire) {
  DeclaredEdge edge{.name = wire.name()};
  const auto& type = wire.type().tensor_type();
  if (type.elem_type() != 0) {
    const auto dtype = DTypeFromNumber(type.elem_type());
    if (!dtype) return std::nullopt;
    edge.dtype = *dtype;
  }
  if (!type.has_shape()) return edge;
  edge.dims.emplace();
  for (const auto& dim : type.shape().dim()) {
    DeclaredDim declared;
    if (dim.has_dim_value()) declared.extent = dim.dim_value();
    declared.symbol = dim.dim_param();
    edge.dims->push_back(declared);
  }
  return edge;
}

std::string Quote(absl::string_view text) {
  return absl::StrCat("\"", absl::CHexEscape(text), "\"");
}

std::string Text(const Tensor& tensor) {
  return absl::BytesToHexString(EncodeTensor(tensor)->Flatten());
}

struct ValueText {
  std::string operator()(std::monostate) const { return "nothing"; }
  std::string operator()(int64_t value) const { return absl::StrCat(value); }
  std::string operator()(float value) const {
    return absl::BytesToHexString(
        {reinterpret_cast<const char*>(&value), sizeof(value)});
  }
  std::string operator()(const std::string& value) const {
    return Quote(value);
  }
  std::string operator()(const Tensor& value) const { return Text(value); }
  template <typename T>
  std::string operator()(const std::vector<T>& values) const {
    std::string text = absl::StrCat(values.size(), " of");
    for (const T& value : values) absl::StrAppend(&text, " ", (*this)(value));
    return text;
  }
};

std::string Text(const GraphNode& node) {
  const ValueText text;
  std::string result = absl::StrCat(
      "node ", Quote(node.name), " ", Quote(node.op_type), " ",
      Quote(node.domain), " ", text(node.inputs), " ", text(node.outputs));
  for (const GraphAttribute& attribute : node.attributes) {
    absl::StrAppend(&result, " ", Quote(attribute.name), " kind ",
                    attribute.value.index(), " ",
                    std::visit(text, attribute.value));
  }
  return result;
}

std::string Text(const DeclaredEdge& edge) {
  std::string result =
      absl::StrCat("edge ", Quote(edge.name), " ", DTypeName(edge.dtype));
  if (!edge.dims) return result + " any shape";
  for (const DeclaredDim& dim : *edge.dims) {
    absl::StrAppend(&result, " ", dim.extent.value_or(-1), " ",
                    Quote(dim.symbol));
  }
  return result;
}

// Through the encoder of operator calls.
std::string Text(const Operand& operand, const ExecutionOptions& options) {
  OperatorCall call;
  call.data = operand;
  call.options = options;
  return absl::BytesToHexString(EncodeCall(call)->Flatten());
}

// Converts all of `from` with `convert`; false if one is refused.
template <typename Wire, typename Value, typename Convert>
bool TakeAll(const Wire& from, std::vector<Value>* to, Convert convert) {
  for (const auto& item : from) {
    auto value = convert(item);
    if (!value) return false;
    to->push_back(*std::move(value));
  }
  return true;
}

}  // namespace

void FillRunRequest(WireScrambler& random, v1::RunRequest* request) {
  v1::Graph& graph = *request->mutable_graph();
  graph.set_name(RandomName(random));
  for (uint64_t i = random.Below(4); i > 0; --i) {
    v1::NodeProto& node = *graph.add_node();
    node.set_name(RandomName(random));
    node.set_op_type(random.OneIn(2) ? "Gather" : RandomName(random));
    if (random.OneIn(4)) node.set_domain("ai.onnx");
    for (uint64_t k = random.Below(4); k > 0; --k) {
      node.add_input(RandomName(random));
    }
    node.add_output(RandomName(random));
    for (uint64_t k = random.Below(3); k > 0; --k) {
      FillAttribute(random, node.add_attribute());
    }
  }
  if (random.OneIn(2)) FillTensor(random, graph.add_initializer());
  for (uint64_t i = random.Below(3); i > 0; --i) {
    FillEdge(random, graph.add_input());
  }
  if (random.OneIn(2)) FillEdge(random, graph.add_output());
  for (uint64_t i = random.Below(3); i > 0; --i) {
    v1::GatherRequest other;
    FillRequest(random, &other);
    (*request->mutable_feeds())[RandomName(random)] = other.data();
    if (random.OneIn(2)) *request->mutable_options() = other.options();
  }
  for (uint64_t i = random.Below(3); i > 0; --i) {
    request->add_fetches(RandomName(random));
  }
}

std::optional<GraphCall> GraphCallOf(const v1::RunRequest& request) {
  const v1::Graph& wire = request.graph();
  GraphCall call;
  Graph& graph = call.graph;
  graph.name = wire.name();
  if (!TakeAll(wire.node(), &graph.nodes, NodeOf) ||
      !TakeAll(wire.initializer(), &graph.initializers, TensorOf) ||
      !TakeAll(wire.input(), &graph.inputs, EdgeOf) ||
      !TakeAll(wire.output(), &graph.outputs, EdgeOf)) {
    return std::nullopt;
  }
  for (const auto& [name, operand] : request.feeds()) {
    const auto understood = Understand(operand, {});
    if (!understood) return std::nullopt;
    call.feeds[name] = understood->data;
  }
  const auto understood = Understand({}, request.options());
  if (!understood) return std::nullopt;
  call.options = understood->options;
  call.fetches = {request.fetches().begin(), request.fetches().end()};
  return call;
}

std::string Describe(const GraphCall& call) {
  std::vector<std::string> lines = {"graph " + Quote(call.graph.name)};
  for (const GraphNode& node : call.graph.nodes) lines.push_back(Text(node));
  for (const Tensor& tensor : call.graph.initializers) {
    lines.push_back("initializer " + Text(tensor));
  }
  lines.push_back("inputs");
  for (const DeclaredEdge& edge : call.graph.inputs) {
    lines.push_back(Text(edge));
  }
  lines.push_back("outputs");
  for (const DeclaredEdge& edge : call.graph.outputs) {
    lines.push_back(Text(edge));
  }
  for (const auto& [name, operand] : call.feeds) {
    lines.push_back(absl::StrCat("feed ", Quote(name), " ", Text(operand, {})));
  }
  for (const std::string& name : call.fetches) {
    lines.push_back("fetch " + Quote(name));
  }
  lines.push_back("options " + Text(Operand(), call.options));
  return absl::StrJoin(lines, "\n");
}

}  // namespace scatterd::test
