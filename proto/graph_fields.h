// What Graph and the messages below it say; merged and built like all
// ...Fields.  They refer to the message.

#ifndef SCATTERD_PROTO_GRAPH_FIELDS_H_
#define SCATTERD_PROTO_GRAPH_FIELDS_H_

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "core/graph.h"
#include "proto/codec.h"
#include "proto/field_merger.h"
#include "proto/field_scope.h"
#include "proto/tensor_fields.h"
#include "proto/wire_reader.h"

namespace scatterd::internal {

// An AttributeProto.  The scope is the attribute's.
class AttributeFields {
 public:
  absl::Status Merge(WireReader message, const FieldScope& scope,
                     ReserveBytes reserve);

  // Leaves nothing behind.
  absl::StatusOr<GraphAttribute> Build(const FieldScope& scope,
                                       ReserveBytes reserve);

 private:
  absl::Status MergeField(FieldMerger& field);
  absl::Status MergeTensor(FieldMerger& field);
  absl::StatusOr<int32_t> FindType(const FieldScope& scope) const;

  std::string name_;
  int32_t type_ = 0;
  uint32_t value_fields_ = 0;  // a bit for each that was there
  float f_ = 0;
  int64_t i_ = 0;
  std::string s_;
  std::unique_ptr<TensorFields> t_;
  std::vector<float> floats_;
  std::vector<int64_t> ints_;
  std::vector<std::string> strings_;
};

// A NodeProto.
class NodeFields {
 public:
  absl::Status Merge(WireReader message, const FieldScope& scope,
                     ReserveBytes reserve);
  absl::StatusOr<GraphNode> Build(const FieldScope& scope,
                                  ReserveBytes reserve);

 private:
  absl::Status MergeField(FieldMerger& field);

  GraphNode node_;
  std::vector<AttributeFields> attributes_;
};

// A ValueInfoProto.
class DeclaredEdgeFields {
 public:
  absl::Status Merge(WireReader message, const FieldScope& scope,
                     ReserveBytes reserve);
  absl::StatusOr<DeclaredEdge> Build(const FieldScope& scope);

 private:
  absl::Status MergeType(FieldMerger& field);
  absl::Status MergeTensorType(FieldMerger& field);
  absl::Status MergeShape(FieldMerger& field);

  DeclaredEdge edge_;
  int32_t elem_type_ = 0;
};

// A Graph.
class GraphFields {
 public:
  // `op` begins errors, `root` is the path of the graph.
  GraphFields(absl::string_view op, absl::string_view root)
      : op_(op), root_(root) {}

  absl::Status Merge(WireReader message, ReserveBytes reserve);
  absl::StatusOr<Graph> Build(ReserveBytes reserve);

 private:
  absl::Status MergeField(FieldMerger& field);
  std::string Path(absl::string_view field, size_t index) const;

  template <typename Fields>
  absl::Status MergeNext(FieldMerger& field, absl::string_view name,
                         std::vector<Fields>* items);

  const absl::string_view op_;
  const absl::string_view root_;
  std::string name_;
  std::vector<NodeFields> nodes_;
  std::vector<TensorFields> initializers_;
  std::vector<DeclaredEdgeFields> inputs_;
  std::vector<DeclaredEdgeFields> outputs_;
};

// Appends a text to `texts`, if the field holds one.
absl::Status AppendText(FieldMerger& field, absl::string_view name,
                        std::vector<std::string>* texts);

}  // namespace scatterd::internal

#endif  // SCATTERD_PROTO_GRAPH_FIELDS_H_
