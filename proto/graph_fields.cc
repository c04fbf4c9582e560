#include "proto/graph_fields.h"

#include <optional>
#include <utility>

#include "absl/strings/str_cat.h"
#include "core/status_macros.h"
#include "proto/reserved_vector.h"
#include "proto/tensor_decoder.h"
#include "scatterd/v1/graph.pb.h"

namespace scatterd::internal {
namespace {

std::string AttributePath(size_t index) {
  return absl::StrCat("attribute[", index, "]");
}

// A field that a submessage's Fields merge.
template <typename Merge>
absl::Status MergeBelow(FieldMerger& field, Merge merge_field) {
  return field.Delimited([&](WireReader body) {
    return MergeFields(body, field.scope(), field.reserve(), merge_field);
  });
}

// Reserves what a vector of `count` will take.
template <typename T>
absl::Status ReserveItems(size_t count, std::vector<T>* items,
                          ReserveBytes reserve) {
  SCATTERD_RETURN_IF_ERROR(reserve(count * sizeof(T)));
  items->reserve(count);
  return absl::OkStatus();
}

}  // namespace

absl::Status AppendText(FieldMerger& field, absl::string_view name,
                        std::vector<std::string>* texts) {
  if (field.tag().type != WireType::kDelimited) return field.Skip();
  std::string text;
  SCATTERD_RETURN_IF_ERROR(field.Text(name, &text));
  return AppendReserved(std::move(text), texts, field.reserve());
}

// --- Nodes ------------------------------------------------------------------

absl::Status NodeFields::Merge(WireReader message, const FieldScope& scope,
                               ReserveBytes reserve) {
  return MergeFields(message, scope, reserve,
                     [this](FieldMerger& field) { return MergeField(field); });
}

absl::Status NodeFields::MergeField(FieldMerger& field) {
  using Wire = v1::NodeProto;
  switch (field.number()) {
    case Wire::kInputFieldNumber:
      return AppendText(field, "input", &node_.inputs);
    case Wire::kOutputFieldNumber:
      return AppendText(field, "output", &node_.outputs);
    case Wire::kNameFieldNumber:
      return field.Text("name", &node_.name);
    case Wire::kOpTypeFieldNumber:
      return field.Text("op_type", &node_.op_type);
    case Wire::kDomainFieldNumber:
      return field.Text("domain", &node_.domain);
    case Wire::kAttributeFieldNumber:
      return field.Delimited([&](WireReader body) {
        SCATTERD_RETURN_IF_ERROR(
            AppendReserved(AttributeFields(), &attributes_, field.reserve()));
        const std::string path = AttributePath(attributes_.size() - 1);
        return attributes_.back().Merge(
            body, {field.scope().op, field.scope().operand, path},
            field.reserve());
      });
    default:
      return field.Skip();
  }
}

absl::StatusOr<GraphNode> NodeFields::Build(const FieldScope& scope,
                                            ReserveBytes reserve) {
  SCATTERD_RETURN_IF_ERROR(
      ReserveItems(attributes_.size(), &node_.attributes, reserve));
  for (size_t i = 0; i < attributes_.size(); ++i) {
    const std::string path = AttributePath(i);
    SCATTERD_ASSIGN_OR_RETURN(
        GraphAttribute attribute,
        attributes_[i].Build({scope.op, scope.operand, path}, reserve));
    node_.attributes.push_back(std::move(attribute));
  }
  return std::move(node_);
}

// --- Inputs and outputs -----------------------------------------------------

absl::Status DeclaredEdgeFields::Merge(WireReader message,
                                       const FieldScope& scope,
                                       ReserveBytes reserve) {
  using Wire = v1::ValueInfoProto;
  return MergeFields(message, scope, reserve, [this](FieldMerger& field) {
    switch (field.number()) {
      case Wire::kNameFieldNumber:
        return field.Text("name", &edge_.name);
      case Wire::kTypeFieldNumber:
        return MergeType(field);
      default:
        return field.Skip();
    }
  });
}

absl::Status DeclaredEdgeFields::MergeType(FieldMerger& field) {
  return MergeBelow(field, [this](FieldMerger& type) {
    return type.number() == v1::TypeProto::kTensorTypeFieldNumber
               ? MergeTensorType(type)
               : type.Skip();
  });
}

absl::Status DeclaredEdgeFields::MergeTensorType(FieldMerger& field) {
  using Wire = v1::TypeProto::Tensor;
  return MergeBelow(field, [this](FieldMerger& tensor) {
    switch (tensor.number()) {
      case Wire::kElemTypeFieldNumber:
        return tensor.Number(&elem_type_);
      case Wire::kShapeFieldNumber:
        return MergeShape(tensor);
      default:
        return tensor.Skip();
    }
  });
}

absl::Status DeclaredEdgeFields::MergeShape(FieldMerger& field) {
  using Wire = v1::TensorShapeProto::Dimension;
  if (field.tag().type != WireType::kDelimited) return field.Skip();
  if (!edge_.dims) edge_.dims.emplace();
  return MergeBelow(field, [this](FieldMerger& shape) {
    if (shape.number() != v1::TensorShapeProto::kDimFieldNumber ||
        shape.tag().type != WireType::kDelimited) {
      return shape.Skip();
    }
    SCATTERD_RETURN_IF_ERROR(
        AppendReserved(DeclaredDim(), &*edge_.dims, shape.reserve()));
    DeclaredDim& declared = edge_.dims->back();
    return MergeBelow(shape, [&declared](FieldMerger& dim) {
      if (dim.number() == Wire::kDimValueFieldNumber &&
          dim.tag().type == WireType::kVarint) {
        declared = {.extent = 0, .symbol = ""};
        return dim.Number(&*declared.extent);
      }
      if (dim.number() == Wire::kDimParamFieldNumber &&
          dim.tag().type == WireType::kDelimited) {
        declared.extent.reset();
        return dim.Text("dim_param", &declared.symbol);
      }
      return dim.Skip();
    });
  });
}

absl::StatusOr<DeclaredEdge> DeclaredEdgeFields::Build(
    const FieldScope& scope) {
  if (elem_type_ != 0) {
    const std::optional<DType> dtype = DTypeFromNumber(elem_type_);
    if (!dtype) {
      return scope.Error("type", absl::StrCat("elem_type is not supported (",
                                              elem_type_, ")"));
    }
    edge_.dtype = *dtype;
  }
  return std::move(edge_);
}

// --- Graphs -----------------------------------------------------------------

std::string GraphFields::Path(absl::string_view field, size_t index) const {
  return absl::StrCat(root_, ".", field, "[", index, "]");
}

absl::Status GraphFields::Merge(WireReader message, ReserveBytes reserve) {
  return MergeFields(message, {op_, root_}, reserve,
                     [this](FieldMerger& field) { return MergeField(field); });
}

template <typename Fields>
absl::Status GraphFields::MergeNext(FieldMerger& field, absl::string_view name,
                                    std::vector<Fields>* items) {
  return field.Delimited([&](WireReader body) {
    SCATTERD_RETURN_IF_ERROR(AppendReserved(Fields(), items, field.reserve()));
    const std::string path = Path(name, items->size() - 1);
    return items->back().Merge(body, {op_, path}, field.reserve());
  });
}

absl::Status GraphFields::MergeField(FieldMerger& field) {
  using Wire = v1::Graph;
  switch (field.number()) {
    case Wire::kNodeFieldNumber:
      return MergeNext(field, "node", &nodes_);
    case Wire::kNameFieldNumber:
      return field.Text("name", &name_);
    case Wire::kInitializerFieldNumber:
      return MergeNext(field, "initializer", &initializers_);
    case Wire::kInputFieldNumber:
      return MergeNext(field, "input", &inputs_);
    case Wire::kOutputFieldNumber:
      return MergeNext(field, "output", &outputs_);
    default:
      return field.Skip();
  }
}

absl::StatusOr<Graph> GraphFields::Build(ReserveBytes reserve) {
  Graph graph;
  graph.name = std::move(name_);
  // Builds all of `items` into `results`.
  const auto build = [&](absl::string_view name, auto& items, auto* results,
                         auto build_item) -> absl::Status {
    SCATTERD_RETURN_IF_ERROR(ReserveItems(items.size(), results, reserve));
    for (size_t i = 0; i < items.size(); ++i) {
      const std::string path = Path(name, i);
      SCATTERD_ASSIGN_OR_RETURN(auto result,
                                build_item(items[i], FieldScope{op_, path}));
      results->push_back(std::move(result));
    }
    return absl::OkStatus();
  };
  const auto build_edge = [](DeclaredEdgeFields& edge,
                             const FieldScope& scope) {
    return edge.Build(scope);
  };
  SCATTERD_RETURN_IF_ERROR(
      build("node", nodes_, &graph.nodes,
            [&](NodeFields& node, const FieldScope& scope) {
              return node.Build(scope, reserve);
            }));
  SCATTERD_RETURN_IF_ERROR(
      build("initializer", initializers_, &graph.initializers,
            [&](const TensorFields& tensor, const FieldScope& scope) {
              return BuildTensor(tensor, scope, reserve);
            }));
  SCATTERD_RETURN_IF_ERROR(build("input", inputs_, &graph.inputs, build_edge));
  SCATTERD_RETURN_IF_ERROR(
      build("output", outputs_, &graph.outputs, build_edge));
  return graph;
}

}  // namespace scatterd::internal
