#include "tests/testing/random_graphs.h"

#include <algorithm>
#include <cstring>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "core/reduction.h"
#include "tests/testing/graph_literals.h"
#include "tests/testing/random_tensors.h"
#include "tests/testing/tensor_literals.h"

namespace scatterd::test {
namespace {

constexpr DType kDTypes[] = {DType::kFloat,     DType::kInt32,  DType::kInt64,
                             DType::kBool,      DType::kString, DType::kFloat16,
                             DType::kComplex64, DType::kDouble};

class GraphMaker {
 public:
  GraphMaker(uint64_t seed, int max_nodes)
      : random_(seed), num_nodes_(1 + random_.Below(max_nodes)) {}

  GraphCall Make() {
    for (int i = 0; i < 3; ++i) {
      const DType dtype = kDTypes[random_.Below(std::size(kDTypes))];
      const int rank = static_cast<int>(1 + random_.Below(3));
      AddSource({dtype, random_.SmallShape(rank, /*zeros=*/true)});
    }
    while (static_cast<int64_t>(call_.graph.nodes.size()) < num_nodes_) {
      AddNode();
    }
    FetchSome();
    for (size_t i = call_.graph.nodes.size(); i > 1; --i) {
      std::swap(call_.graph.nodes[i - 1],
                call_.graph.nodes[static_cast<size_t>(
                    random_.Below(static_cast<int64_t>(i)))]);
    }
    return std::move(call_);
  }

 private:
  struct Edge {
    std::string name;
    TensorSpec spec;
  };

  std::string NewName() { return absl::StrCat("e", num_names_++); }

  // A tensor from outside: a feed, an initializer or a constant.
  std::string Place(Tensor tensor) {
    const std::string name = NewName();
    switch (random_.Below(4)) {
      case 0:
        call_.graph.initializers.push_back(Named(name, std::move(tensor)));
        break;
      case 1:
        call_.graph.nodes.push_back(
            Node("Constant", {}, name, {{"value", std::move(tensor)}}));
        break;
      default:
        call_.graph.inputs.push_back({.name = name});
        call_.feeds[name] = std::move(tensor);
    }
    return name;
  }

  std::string AddSource(const TensorSpec& spec) {
    edges_.push_back({Place(random_.Make(spec)), spec});
    return edges_.back().name;
  }

  // Index values for an axis, or none for one without extent.
  std::string AddIndices(Shape shape, int64_t size) {
    const DType dtype = random_.OneIn(2) ? DType::kInt32 : DType::kInt64;
    if (shape.num_elements() == 0) size = 1;
    return Place(random_.MakeIndices(dtype, shape, -size, size));
  }

  // A shape for indices of an axis of this size.
  Shape IndexShape(int rank, int64_t axis_size) {
    Shape shape = random_.SmallShape(rank, /*zeros=*/true);
    if (axis_size > 0 || shape.num_elements() == 0) return shape;
    return rank == 0 ? Shape{0} : Shape{0, 2};
  }

  void AddNode() {
    const Edge edge = edges_[static_cast<size_t>(
        random_.Below(static_cast<int64_t>(edges_.size())))];
    if (edge.spec.shape.rank() == 0) return AddIdentity(edge);
    switch (random_.Below(7)) {
      case 0:
        return AddIdentity(edge);
      case 1:
        return AddGather(edge);
      case 2:
        return AddGatherElements(edge);
      case 3:
        return AddGatherND(edge);
      case 4:
        return AddScatterElements(edge);
      case 5:
        return AddScatterND(edge);
      default:
        return AddTensorScatter(edge);
    }
  }

  void Add(const std::string& op_type, std::vector<std::string> inputs,
           TensorSpec output, std::vector<GraphAttribute> attributes = {}) {
    const std::string name = NewName();
    call_.graph.nodes.push_back(
        Node(op_type, std::move(inputs), name, std::move(attributes)));
    edges_.push_back({name, std::move(output)});
  }

  void AddIdentity(const Edge& edge) {
    Add("Identity", {edge.name}, edge.spec);
  }

  int RandomAxis(const Edge& edge) {
    return static_cast<int>(random_.Below(edge.spec.shape.rank()));
  }

  // Counted from the front or from the back.
  int64_t Written(int axis, const Edge& edge) {
    return random_.OneIn(2) ? axis : axis - edge.spec.shape.rank();
  }

  void AddGather(const Edge& edge) {
    const Shape& data = edge.spec.shape;
    const int axis = RandomAxis(edge);
    const Shape indices =
        IndexShape(static_cast<int>(random_.Below(2)), data[axis]);
    Shape output(data.dims(0, axis));
    output.Append(indices.dims());
    output.Append(data.dims(axis + 1, data.rank()));
    Add("Gather", {edge.name, AddIndices(indices, data[axis])},
        {edge.spec.dtype, output}, {{"axis", Written(axis, edge)}});
  }

  // Nowhere longer than data off the axis.
  Shape ElementIndexShape(const Shape& data, int axis) {
    Shape shape;
    for (int d = 0; d < data.rank(); ++d) {
      const int64_t limit = d == axis ? (data[d] == 0 ? 0 : 4) : data[d];
      shape.Append(limit == 0 ? 0 : 1 + random_.Below(limit));
    }
    return shape;
  }

  void AddGatherElements(const Edge& edge) {
    const int axis = RandomAxis(edge);
    const Shape indices = ElementIndexShape(edge.spec.shape, axis);
    Add("GatherElements",
        {edge.name, AddIndices(indices, edge.spec.shape[axis])},
        {edge.spec.dtype, indices}, {{"axis", Written(axis, edge)}});
  }

  // n tuples over the first k axes of data; none if an axis has no extent.
  std::string AddTuples(const Shape& data, int64_t k, int64_t* n) {
    int64_t least = 1 << 30;
    for (int d = 0; d < k; ++d) least = std::min(least, data[d]);
    *n = least == 0 ? 0 : random_.Below(5);
    return AddIndices({*n, k}, least);
  }

  void AddGatherND(const Edge& edge) {
    const Shape& data = edge.spec.shape;
    const int64_t k = 1 + random_.Below(data.rank());
    int64_t n = 0;
    const std::string indices = AddTuples(data, k, &n);
    Shape output{n};
    output.Append(data.dims(static_cast<int>(k), data.rank()));
    Add("GatherND", {edge.name, indices}, {edge.spec.dtype, output});
  }

  std::vector<GraphAttribute> ReductionFor(DType dtype) {
    std::vector<std::string> words = {"none", "add", "mul", "max", "min"};
    if (dtype == DType::kString) words = {"none", "add", "max", "min"};
    if (dtype == DType::kComplex64) words = {"none", "add", "mul"};
    if (random_.OneIn(4)) return {};
    return {{"reduction", words[static_cast<size_t>(random_.Below(
                              static_cast<int64_t>(words.size())))]}};
  }

  // New updates, or now and then an edge that happens to fit.
  std::string AddUpdates(const TensorSpec& spec) {
    for (const Edge& edge : edges_) {
      if (edge.spec == spec && random_.OneIn(2)) return edge.name;
    }
    return Place(random_.Make(spec));
  }

  void AddScatterElements(const Edge& edge) {
    const int axis = RandomAxis(edge);
    const Shape indices = random_.OneIn(3)
                              ? edge.spec.shape
                              : ElementIndexShape(edge.spec.shape, axis);
    std::vector<GraphAttribute> attributes = {{"axis", Written(axis, edge)}};
    const bool old = random_.OneIn(3);
    if (!old) {
      for (GraphAttribute& attribute : ReductionFor(edge.spec.dtype)) {
        attributes.push_back(std::move(attribute));
      }
    }
    Add(old ? "Scatter" : "ScatterElements",
        {edge.name, AddIndices(indices, edge.spec.shape[axis]),
         AddUpdates({edge.spec.dtype, indices})},
        edge.spec, attributes);
  }

  void AddScatterND(const Edge& edge) {
    const Shape& data = edge.spec.shape;
    const int64_t k = random_.Below(data.rank() + 1);
    int64_t n = 0;
    const std::string indices = AddTuples(data, k, &n);
    Shape updates{n};
    updates.Append(data.dims(static_cast<int>(k), data.rank()));
    Add("ScatterND",
        {edge.name, indices, AddUpdates({edge.spec.dtype, updates})}, edge.spec,
        ReductionFor(edge.spec.dtype));
  }

  void AddTensorScatter(const Edge& edge) {
    const Shape& cache = edge.spec.shape;
    if (cache.rank() < 2) return;
    const int axis = static_cast<int>(1 + random_.Below(cache.rank() - 1));
    const bool circular = cache[axis] > 0 && random_.OneIn(2);
    const int64_t length = circular ? random_.Below(2 * cache[axis] + 1)
                                    : random_.Below(cache[axis] + 1);
    Shape update(cache.dims(0, axis));
    update.Append(length);
    update.Append(cache.dims(axis + 1, cache.rank()));
    std::vector<std::string> inputs = {edge.name,
                                       AddUpdates({edge.spec.dtype, update})};
    if (!random_.OneIn(3)) {
      const int64_t end = circular ? 100 : cache[axis] - length + 1;
      inputs.push_back(Place(random_.MakeIndices(DType::kInt64, {cache[0]},
                                                 circular ? -100 : 0, end)));
    }
    std::vector<GraphAttribute> attributes = {{"axis", Written(axis, edge)}};
    if (circular) attributes.push_back({"mode", std::string("circular")});
    Add("TensorScatter", inputs, edge.spec, attributes);
  }

  void FetchSome() {
    for (const Edge& edge : edges_) {
      if (random_.OneIn(3)) call_.fetches.push_back(edge.name);
    }
    if (call_.fetches.empty()) call_.fetches = {edges_.back().name};
  }

  RandomTensors random_;
  const int64_t num_nodes_;
  int num_names_ = 0;
  GraphCall call_;
  std::vector<Edge> edges_;  // of data
};

template <typename T>
T AttributeOr(const GraphNode& node, const std::string& name, T otherwise) {
  for (const GraphAttribute& attribute : node.attributes) {
    if (attribute.name == name) return std::get<T>(attribute.value);
  }
  return otherwise;
}

// The definition, position by position: o and i are what is before and behind
// the axis; the batch entry is the first coordinate of o.
Tensor TensorScatter(const GraphNode& node, const Tensor& cache,
                     const Tensor& update, const Tensor* write_indices) {
  const Shape& shape = cache.shape();
  const int64_t written = AttributeOr<int64_t>(node, "axis", -2);
  const int axis =
      static_cast<int>(written < 0 ? written + shape.rank() : written);
  const bool circular =
      AttributeOr<std::string>(node, "mode", "linear") == "circular";
  const int64_t size = shape[axis], length = update.shape()[axis];
  const int64_t outer = Product(shape.dims(0, axis));
  const size_t slice =
      static_cast<size_t>(Product(shape.dims(axis + 1, shape.rank()))) *
      ElementSize(cache.dtype());
  Tensor output = ValueOrDie(
      Tensor::CopyFrom(cache.spec(), cache.bytes(), cache.byte_size()));
  output.ShareBlobs(cache);
  output.ShareBlobs(update);
  for (int64_t o = 0; o < outer; ++o) {
    const int64_t batch = o / (outer / shape[0]);
    for (int64_t s = 0; s < length; ++s) {
      int64_t at = s;
      if (write_indices != nullptr) {
        at += write_indices->values<int64_t>()[static_cast<size_t>(batch)];
      }
      if (circular) at = (at % size + size) % size;
      if (slice == 0) continue;
      std::memcpy(
          output.mutable_bytes() + static_cast<size_t>(o * size + at) * slice,
          update.bytes() + static_cast<size_t>(o * length + s) * slice, slice);
    }
  }
  return output;
}

OperatorCall CallOfNode(const GraphNode& node,
                        const std::vector<Tensor>& inputs,
                        const ExecutionOptions& options) {
  static const auto& ids = *new std::map<std::string, OperatorId>{
      {"Gather", OperatorId::kGather},
      {"GatherElements", OperatorId::kGatherElements},
      {"GatherND", OperatorId::kGatherND},
      {"Scatter", OperatorId::kScatterElements},
      {"ScatterElements", OperatorId::kScatterElements},
      {"ScatterND", OperatorId::kScatterND}};
  OperatorCall call;
  call.op = ids.at(node.op_type);
  call.data = inputs[0];
  call.indices = inputs[1];
  if (inputs.size() > 2) call.updates = inputs[2];
  call.attributes.axis = AttributeOr<int64_t>(node, "axis", 0);
  call.attributes.batch_dims = AttributeOr<int64_t>(node, "batch_dims", 0);
  call.attributes.reduction =
      *ReductionFromName(AttributeOr<std::string>(node, "reduction", "none"));
  call.options = options;
  return call;
}

Tensor OutputOf(const GraphNode& node, const std::vector<Tensor>& inputs,
                const ExecutionOptions& options, const RunOperator& run) {
  if (node.op_type == "Constant") {
    return std::get<Tensor>(node.attributes[0].value);
  }
  if (node.op_type == "Identity") return inputs[0];
  if (node.op_type == "TensorScatter") {
    return TensorScatter(node, inputs[0], inputs[1],
                         inputs.size() > 2 ? &inputs[2] : nullptr);
  }
  return run(CallOfNode(node, inputs, options));
}

}  // namespace

GraphCall RandomGraph(uint64_t seed, int max_nodes) {
  return GraphMaker(seed, max_nodes).Make();
}

std::map<std::string, Tensor> RunNodeByNode(const GraphCall& call,
                                            const RunOperator& run) {
  std::map<std::string, Tensor> edges;
  for (const Tensor& tensor : call.graph.initializers) {
    edges[tensor.name()] = tensor;
  }
  for (const auto& [name, operand] : call.feeds) {
    edges[name] = std::get<Tensor>(operand);
  }
  for (bool progress = true; progress;) {
    progress = false;
    for (const GraphNode& node : call.graph.nodes) {
      std::vector<Tensor> inputs;
      for (const std::string& input : node.inputs) {
        if (edges.count(input) != 0) inputs.push_back(edges[input]);
      }
      if (edges.count(node.outputs[0]) != 0 ||
          inputs.size() < node.inputs.size()) {
        continue;
      }
      edges[node.outputs[0]] = OutputOf(node, inputs, call.options, run);
      progress = true;
    }
  }
  return edges;
}

}  // namespace scatterd::test
