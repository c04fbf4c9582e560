#include "client/ctl/graph_flags.h"

#include <optional>
#include <utility>

#include "CLI/Option.hpp"
#include "absl/strings/str_cat.h"
#include "client/ctl/tensor_file.h"
#include "client/ctl/tensor_spec_text.h"
#include "core/errors.h"
#include "core/status_macros.h"
#include "proto/graph_codec.h"

namespace scatterd {
namespace {

void AddRepeatable(CLI::App& command, const std::string& name,
                   std::vector<std::string>& values, const std::string& type,
                   const std::string& group, absl::string_view description) {
  command.add_option(name, values, Wrapped(description))
      ->allow_extra_args(false)
      ->type_name(type)
      ->group(group);
}

absl::StatusOr<Graph> ReadModel(const std::string& path) {
  SCATTERD_ASSIGN_OR_RETURN(const Buffer bytes, ReadFile(path));
  const absl::string_view piece(reinterpret_cast<const char*>(bytes.data()),
                                bytes.size());
  absl::StatusOr<Graph> graph = DecodeModel({&piece, 1}, ReserveAnything);
  if (graph.ok()) return graph;
  return absl::InvalidArgumentError(
      absl::StrCat(path, ": ", graph.status().message()));
}

// "NAME=VALUE" in two.
using NameAndValue = std::pair<std::string, std::string>;

absl::StatusOr<NameAndValue> SplitAtEquals(absl::string_view flag,
                                           const std::string& argument) {
  const size_t equals = argument.find('=');
  if (equals != std::string::npos && equals != 0) {
    return NameAndValue(argument.substr(0, equals),
                        argument.substr(equals + 1));
  }
  return absl::InvalidArgumentError(
      absl::StrCat(flag, ": \"", argument, "\" is not like NAME=..."));
}

std::optional<DType> DeclaredDType(const Graph& graph,
                                   const std::string& name) {
  for (const DeclaredEdge& input : graph.inputs) {
    if (input.name == name && input.dtype != DType::kUnspecified) {
      return input.dtype;
    }
  }
  return std::nullopt;
}

absl::Status AddFeed(absl::string_view flag, std::string name, Operand feed,
                     GraphCall& call) {
  if (call.feeds.emplace(name, std::move(feed)).second) return absl::OkStatus();
  return absl::InvalidArgumentError(
      absl::StrCat(flag, ": ", name, " is fed twice"));
}

absl::Status AddFeeds(const GraphFlags& flags, GraphCall& call) {
  for (const std::string& argument : flags.feeds) {
    SCATTERD_ASSIGN_OR_RETURN(auto feed, SplitAtEquals("--feed", argument));
    absl::StatusOr<Tensor> tensor =
        ReadTensor(feed.second, DeclaredDType(call.graph, feed.first));
    if (!tensor.ok()) {
      return AtFlag(absl::StrCat("--feed ", feed.first), tensor.status());
    }
    SCATTERD_RETURN_IF_ERROR(
        AddFeed("--feed", feed.first, *std::move(tensor), call));
  }
  for (const std::string& argument : flags.zeros) {
    SCATTERD_ASSIGN_OR_RETURN(auto feed, SplitAtEquals("--zeros", argument));
    absl::StatusOr<TensorSpec> spec = ParseTensorSpec(feed.second);
    if (!spec.ok()) {
      return AtFlag(absl::StrCat("--zeros ", feed.first), spec.status());
    }
    SCATTERD_RETURN_IF_ERROR(
        AddFeed("--zeros", feed.first, ZerosSpec{*std::move(spec)}, call));
  }
  return absl::OkStatus();
}

std::vector<std::string> Fetches(const GraphFlags& flags, const Graph& graph) {
  if (!flags.fetches.empty()) return flags.fetches;
  std::vector<std::string> names;
  for (const DeclaredEdge& output : graph.outputs) names.push_back(output.name);
  return names;
}

// Which fetch an --output is for, and its file.
absl::StatusOr<std::pair<size_t, std::string>> OutputOf(
    const std::string& argument, const std::vector<std::string>& fetches) {
  for (size_t i = 0; i < fetches.size(); ++i) {
    const std::string prefix = fetches[i] + "=";
    if (argument.rfind(prefix, 0) == 0) {
      return std::pair(i, argument.substr(prefix.size()));
    }
  }
  if (fetches.size() == 1) return std::pair(size_t{0}, argument);
  return absl::InvalidArgumentError(
      absl::StrCat("--output: \"", argument,
                   "\" is not like NAME=FILE with a fetch's name"));
}

absl::Status AddOutputs(const GraphFlags& flags, GraphCommand& command) {
  command.files.resize(command.call.fetches.size());
  for (const std::string& argument : flags.outputs) {
    SCATTERD_ASSIGN_OR_RETURN(auto output,
                              OutputOf(argument, command.call.fetches));
    const absl::Status status = CheckTensorPath(output.second);
    if (!status.ok()) return AtFlag("--output", status);
    command.files[output.first] = output.second;
  }
  return absl::OkStatus();
}

}  // namespace

void AddGraphFlags(CLI::App& command, GraphFlags& flags) {
  command.add_option("model", flags.model, "An ONNX model")
      ->type_name("MODEL.onnx")
      ->required();
  AddRepeatable(command, "--feed", flags.feeds, "NAME=TENSOR", "Inputs",
                "What an input is; may be repeated");
  AddRepeatable(command, "--zeros", flags.zeros, "NAME=SPEC", "Inputs",
                "An input of zeros of this dtype and shape, like "
                "x=float32[2,3]; nothing is sent; may be repeated");
  AddRepeatable(command, "--fetch", flags.fetches, "NAME", "Result",
                "An edge to answer with; may be repeated (default: the "
                "model's outputs)");
  AddRepeatable(command, "-o,--output", flags.outputs, "NAME=FILE", "Result",
                "Write a result to FILE.npy or FILE.pb; NAME= may be left out "
                "where there is one (default: print it as a literal); may be "
                "repeated");
  command
      .add_flag("--stats", flags.stats,
                "Print the server's timings to standard error")
      ->group("Result");
  AddBehaviourFlags(command, /*gathers=*/true, /*scatters=*/true,
                    flags.behaviour);
}

absl::StatusOr<GraphCommand> BuildGraphCommand(const GraphFlags& flags) {
  GraphCommand command;
  GraphCall& call = command.call;
  absl::StatusOr<Graph> graph = ReadModel(flags.model);
  if (!graph.ok()) return graph.status();
  call.graph = *std::move(graph);
  SCATTERD_RETURN_IF_ERROR(AddFeeds(flags, call));
  call.fetches = Fetches(flags, call.graph);
  SCATTERD_RETURN_IF_ERROR(AddOutputs(flags, command));
  SCATTERD_ASSIGN_OR_RETURN(call.options,
                            BuildOptions(flags.behaviour, std::nullopt));
  return command;
}

}  // namespace scatterd
