#include <map>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "core/errors.h"
#include "core/status_macros.h"
#include "proto/field_merger.h"
#include "proto/graph_codec.h"
#include "proto/graph_fields.h"
#include "proto/operand_codec.h"
#include "proto/options_codec.h"
#include "proto/reserved_vector.h"
#include "proto/stats_codec.h"
#include "proto/tensor_decoder.h"
#include "proto/tensor_fields.h"
#include "scatterd/v1/operators.pb.h"

namespace scatterd {
namespace {

using internal::FieldMerger;
using internal::FieldScope;
using internal::GraphFields;
using internal::MergeFields;
using internal::OperandFields;
using internal::TensorFields;
using internal::WireReader;

constexpr FieldScope kRun{"run"};
constexpr FieldScope kFeeds{"run", "feeds"};
constexpr FieldScope kOptions{"run", "options"};
constexpr FieldScope kModel{"model"};
constexpr FieldScope kResponse{"response"};
constexpr FieldScope kOutputs{"response", "outputs"};

// Field 7 of onnx.ModelProto.
constexpr uint32_t kModelGraph = 7;

// A RunRequest.
class GraphCallFields {
 public:
  absl::Status Merge(WireReader message, ReserveBytes reserve) {
    return MergeFields(message, kRun, reserve, [this](FieldMerger& field) {
      return MergeField(field);
    });
  }

  absl::StatusOr<GraphCall> Build(ReserveBytes reserve) {
    GraphCall call;
    SCATTERD_ASSIGN_OR_RETURN(call.options, options_.Build(kOptions, reserve));
    SCATTERD_ASSIGN_OR_RETURN(call.graph, graph_.Build(reserve));
    for (const auto& [name, operand] : feeds_) {
      const std::string path = absl::StrCat("feeds[", QuotedName(name), "]");
      SCATTERD_RETURN_IF_ERROR(
          reserve(sizeof(std::pair<std::string, Operand>) + name.size()));
      SCATTERD_ASSIGN_OR_RETURN(call.feeds[name],
                                operand.Build({"run", path}, reserve));
    }
    call.fetches = std::move(fetches_);
    return call;
  }

 private:
  absl::Status MergeField(FieldMerger& field) {
    using Wire = v1::RunRequest;
    switch (field.number()) {
      case Wire::kGraphFieldNumber:
        return field.Delimited([&](WireReader body) {
          return graph_.Merge(body, field.reserve());
        });
      case Wire::kFeedsFieldNumber:
        return field.Delimited(
            [&](WireReader body) { return MergeFeed(body, field.reserve()); });
      case Wire::kFetchesFieldNumber:
        return internal::AppendText(field, "fetches", &fetches_);
      case Wire::kOptionsFieldNumber:
        return field.Delimited([&](WireReader body) {
          return options_.Merge(body, kOptions, field.reserve());
        });
      default:
        return field.Skip();
    }
  }

  // An entry of the map.  Of several with one key the last is the value.
  absl::Status MergeFeed(WireReader message, ReserveBytes reserve) {
    std::string key;
    OperandFields value;
    SCATTERD_RETURN_IF_ERROR(
        MergeFields(message, kFeeds, reserve, [&](FieldMerger& field) {
          switch (field.number()) {
            case 1:
              return field.Text("key", &key);
            case 2:
              return field.Delimited([&](WireReader body) {
                return value.Merge(body, kFeeds, reserve);
              });
            default:
              return field.Skip();
          }
        }));
    if (feeds_.count(key) == 0) {
      SCATTERD_RETURN_IF_ERROR(
          reserve(2 * sizeof(std::pair<std::string, OperandFields>)));
    }
    feeds_.insert_or_assign(std::move(key), std::move(value));
    return absl::OkStatus();
  }

  GraphFields graph_{"run", "graph"};
  std::map<std::string, OperandFields> feeds_;
  std::vector<std::string> fetches_;
  internal::OptionsFields options_;
};

absl::Status MergeOutput(FieldMerger& field,
                         std::vector<TensorFields>* outputs) {
  return field.Delimited([&](WireReader body) {
    SCATTERD_RETURN_IF_ERROR(
        internal::AppendReserved(TensorFields(), outputs, field.reserve()));
    return outputs->back().Merge(body, kOutputs, field.reserve());
  });
}

}  // namespace

absl::StatusOr<GraphCall> DecodeGraphCall(MessagePieces message,
                                          ReserveBytes reserve) {
  GraphCallFields fields;
  SCATTERD_RETURN_IF_ERROR(fields.Merge(WireReader(message), reserve));
  return fields.Build(reserve);
}

absl::StatusOr<Graph> DecodeModel(MessagePieces message, ReserveBytes reserve) {
  GraphFields graph("model", "graph");
  bool has_graph = false;
  SCATTERD_RETURN_IF_ERROR(MergeFields(
      WireReader(message), kModel, reserve, [&](FieldMerger& field) {
        if (field.number() != kModelGraph) return field.Skip();
        return field.Delimited([&](WireReader body) {
          has_graph = true;
          return graph.Merge(body, reserve);
        });
      }));
  if (!has_graph) return kModel.Error("graph", "the model has no graph");
  return graph.Build(reserve);
}

absl::StatusOr<GraphResult> DecodeGraphResult(MessagePieces message,
                                              ReserveBytes reserve) {
  using Wire = v1::RunResponse;
  GraphResult result;
  std::vector<TensorFields> outputs;
  SCATTERD_RETURN_IF_ERROR(MergeFields(
      WireReader(message), kResponse, reserve, [&](FieldMerger& field) {
        switch (field.number()) {
          case Wire::kOutputsFieldNumber:
            return MergeOutput(field, &outputs);
          case Wire::kStatsFieldNumber:
            return field.Delimited([&](WireReader body) {
              return internal::MergeStats(body, reserve, &result.stats);
            });
          default:
            return field.Skip();
        }
      }));
  SCATTERD_RETURN_IF_ERROR(reserve(outputs.size() * sizeof(Tensor)));
  result.outputs.reserve(outputs.size());
  for (const TensorFields& output : outputs) {
    SCATTERD_ASSIGN_OR_RETURN(Tensor tensor,
                              internal::BuildTensor(output, kOutputs, reserve));
    result.outputs.push_back(std::move(tensor));
  }
  return result;
}

}  // namespace scatterd
