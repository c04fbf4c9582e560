// ONNX's own node tests for gather and scatter, through a real server.
//
// The files are not part of the project.  They are looked for in
// SCATTERD_CONFORMANCE_DIR (../shared/conformance from the project's root if
// unset); without them the tests are skipped.

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>
#include <sstream>

#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "google/protobuf/io/coded_stream.h"
#include "gtest/gtest.h"
#include "proto/codec.h"
#include "scatterd/v1/graph.pb.h"
#include "tests/integration/server_under_test.h"
#include "tests/testing/status_matchers.h"
#include "tests/testing/tensor_literals.h"
#include "tests/testing/tensor_matchers.h"

namespace scatterd::test {
namespace {

namespace fs = std::filesystem;

fs::path ConformanceFolder() {
  if (const char* given = std::getenv("SCATTERD_CONFORMANCE_DIR")) return given;
  return fs::path(SCATTERD_SOURCE_DIR) / "../shared/conformance";
}

std::string ReadFile(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  std::ostringstream bytes;
  bytes << file.rdbuf();
  return bytes.str();
}

// Field 7 of onnx.ModelProto; the other fields are of no interest.
v1::Graph GraphOfModel(const std::string& model) {
  constexpr uint32_t kVarint = 0, kFixed64 = 1, kBytes = 2;
  google::protobuf::io::CodedInputStream input(
      reinterpret_cast<const uint8_t*>(model.data()),
      static_cast<int>(model.size()));
  v1::Graph graph;
  while (const uint32_t tag = input.ReadTag()) {
    uint64_t number = 0;
    uint32_t length = 0;
    std::string bytes;
    switch (tag & 7) {
      case kVarint:
        input.ReadVarint64(&number);
        break;
      case kFixed64:
        input.Skip(8);
        break;
      case kBytes:
        input.ReadVarint32(&length);
        input.ReadString(&bytes, static_cast<int>(length));
        if (tag >> 3 == 7) graph.ParseFromString(bytes);
        break;
      default:
        input.Skip(4);
    }
  }
  return graph;
}

struct NodeCase {
  std::string op_type;
  int64_t axis = 0;
  int64_t batch_dims = 0;
  std::string reduction = "none";
  std::vector<std::string> inputs;  // serialized onnx.TensorProto
  std::string output;
};

NodeCase ReadCase(const std::string& name) {
  const fs::path folder = ConformanceFolder() / "onnx-node" / name;
  const v1::Graph graph = GraphOfModel(ReadFile(folder / "model.onnx"));
  NodeCase node;
  if (graph.node_size() != 1) return node;
  node.op_type = graph.node(0).op_type();
  for (const v1::AttributeProto& attribute : graph.node(0).attribute()) {
    if (attribute.name() == "axis") node.axis = attribute.i();
    if (attribute.name() == "batch_dims") node.batch_dims = attribute.i();
    if (attribute.name() == "reduction") node.reduction = attribute.s();
  }
  const fs::path data = folder / "test_data_set_0";
  for (int i = 0; i < graph.node(0).input_size(); ++i) {
    node.inputs.push_back(ReadFile(data / absl::StrCat("input_", i, ".pb")));
  }
  node.output = ReadFile(data / "output_0.pb");
  return node;
}

Tensor Parse(const std::string& serialized) {
  const absl::string_view piece = serialized;
  return ValueOrDie(DecodeTensor({&piece, 1}, ReserveAnything));
}

OperatorId OperatorOf(const std::string& op_type) {
  static const auto& ids = *new std::map<std::string, OperatorId>{
      {"Gather", OperatorId::kGather},
      {"GatherElements", OperatorId::kGatherElements},
      {"GatherND", OperatorId::kGatherND},
      {"Scatter", OperatorId::kScatterElements},  // its name until opset 11
      {"ScatterElements", OperatorId::kScatterElements},
      {"ScatterND", OperatorId::kScatterND}};
  return ids.at(op_type);
}

class OnnxNode : public ::testing::TestWithParam<const char*> {
 protected:
  void SetUp() override {
    if (!fs::exists(ConformanceFolder() / "onnx-node")) {
      GTEST_SKIP() << "no ONNX node tests in " << ConformanceFolder()
                   << "; set SCATTERD_CONFORMANCE_DIR";
    }
    node_ = ReadCase(GetParam());
    ASSERT_FALSE(node_.op_type.empty()) << "unreadable model";
    ASSERT_FALSE(node_.output.empty()) << "unreadable output";
  }

  NodeCase node_;
};

TEST_P(OnnxNode, GivesThePublishedOutput) {
  OperatorCall call;
  call.op = OperatorOf(node_.op_type);
  call.data = Parse(node_.inputs.at(0));
  call.indices = Parse(node_.inputs.at(1));
  if (node_.inputs.size() > 2) call.updates = Parse(node_.inputs[2]);
  call.attributes.axis = node_.axis;
  call.attributes.batch_dims = node_.batch_dims;
  const auto reduction = ReductionFromName(node_.reduction);
  ASSERT_TRUE(reduction.has_value()) << node_.reduction;
  call.attributes.reduction = *reduction;
  ExpectOutput(call, Parse(node_.output));
}

// Requests whose tensors are ONNX's files, byte for byte.
template <typename Request>
Request RequestOf(const NodeCase& node) {
  Request request;
  request.mutable_data()->mutable_tensor()->ParseFromString(node.inputs[0]);
  request.mutable_indices()->mutable_tensor()->ParseFromString(node.inputs[1]);
  if constexpr (requires { request.mutable_updates(); }) {
    request.mutable_updates()->mutable_tensor()->ParseFromString(
        node.inputs[2]);
    request.set_reduction(
        static_cast<v1::Reduction>(*ReductionFromName(node.reduction)));
  }
  if constexpr (requires { request.set_axis(0); }) {
    request.set_axis(node.axis);
  }
  if constexpr (requires { request.set_batch_dims(0); }) {
    request.set_batch_dims(node.batch_dims);
  }
  return request;
}

absl::Status Send(const NodeCase& node, v1::OperatorResponse* response) {
  using Stub = v1::TensorOps::Stub;
  switch (OperatorOf(node.op_type)) {
    case OperatorId::kGather:
      return CallStub(&Stub::Gather, RequestOf<v1::GatherRequest>(node),
                      response);
    case OperatorId::kGatherElements:
      return CallStub(&Stub::GatherElements,
                      RequestOf<v1::GatherElementsRequest>(node), response);
    case OperatorId::kGatherND:
      return CallStub(&Stub::GatherND, RequestOf<v1::GatherNDRequest>(node),
                      response);
    case OperatorId::kScatterElements:
      return CallStub(&Stub::ScatterElements,
                      RequestOf<v1::ScatterElementsRequest>(node), response);
    case OperatorId::kScatterND:
      return CallStub(&Stub::ScatterND, RequestOf<v1::ScatterNDRequest>(node),
                      response);
  }
  return absl::InternalError("no such operator");
}

TEST_P(OnnxNode, AcceptsTheTensorFilesAsTheyAre) {
  v1::OperatorResponse response;
  ASSERT_THAT(Send(node_, &response), IsOk());
  EXPECT_THAT(Parse(response.output().SerializeAsString()),
              EqualsTensor(Parse(node_.output)));
}

INSTANTIATE_TEST_SUITE_P(
    Conformance, OnnxNode,
    ::testing::Values(
        "test_gather_0", "test_gather_1", "test_gather_2d_indices",
        "test_gather_negative_indices", "test_gather_elements_0",
        "test_gather_elements_1", "test_gather_elements_negative_indices",
        "test_gathernd_example_float32", "test_gathernd_example_int32",
        "test_gathernd_example_int32_batch_dim1", "test_scatter_with_axis",
        "test_scatter_without_axis", "test_scatter_elements_with_axis",
        "test_scatter_elements_with_duplicate_indices",
        "test_scatter_elements_with_negative_indices",
        "test_scatter_elements_with_reduction_max",
        "test_scatter_elements_with_reduction_min",
        "test_scatter_elements_with_reduction_mul",
        "test_scatter_elements_without_axis", "test_scatternd",
        "test_scatternd_add", "test_scatternd_max",
        "test_scatternd_max_with_element_indices", "test_scatternd_min",
        "test_scatternd_min_with_element_indices", "test_scatternd_multiply"),
    [](const auto& test) { return std::string(test.param); });

}  // namespace
}  // namespace scatterd::test
