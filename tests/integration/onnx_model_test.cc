// ONNX's own node tests as models: model.onnx through the C++ client and
// through scatterctl run.  Where the files come from: onnx_node_test.cc.

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <memory>
#include <optional>
#include <sstream>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "client/ctl/scatterctl.h"
#include "client/ctl/tensor_file.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "proto/graph_codec.h"
#include "tests/integration/server_under_test.h"
#include "tests/testing/status_matchers.h"
#include "tests/testing/tensor_literals.h"
#include "tests/testing/tensor_matchers.h"

namespace scatterd::test {
namespace {

namespace fs = std::filesystem;

fs::path Folder(const std::string& name) {
  const char* given = std::getenv("SCATTERD_CONFORMANCE_DIR");
  const fs::path root = given != nullptr ? fs::path(given)
                                         : fs::path(SCATTERD_SOURCE_DIR) /
                                               "../shared/conformance";
  return root / "onnx-node" / name;
}

std::string ReadBytes(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  std::ostringstream bytes;
  bytes << file.rdbuf();
  return bytes.str();
}

class OnnxModel : public ::testing::TestWithParam<const char*> {
 protected:
  void SetUp() override {
    folder_ = Folder(GetParam());
    if (!fs::exists(folder_)) {
      GTEST_SKIP() << "no " << folder_ << "; set SCATTERD_CONFORMANCE_DIR";
    }
    const std::string model = ReadBytes(folder_ / "model.onnx");
    const absl::string_view piece = model;
    absl::StatusOr<Graph> graph = DecodeModel({&piece, 1}, ReserveAnything);
    ASSERT_THAT(graph, IsOk());
    graph_ = *std::move(graph);
    ASSERT_EQ(graph_.outputs.size(), 1u);
  }

  std::string DataFile(const std::string& name) const {
    return folder_ / "test_data_set_0" / name;
  }
  std::string InputFile(size_t i) const {
    return DataFile(absl::StrCat("input_", i, ".pb"));
  }
  Tensor Read(const std::string& path) const {
    return ValueOrDie(ReadTensor(path, std::nullopt));
  }
  Tensor Expected() const { return Read(DataFile("output_0.pb")); }

  fs::path folder_;
  Graph graph_;
};

TEST_P(OnnxModel, GivesThePublishedOutput) {
  GraphCall call;
  call.graph = graph_;
  for (size_t i = 0; i < graph_.inputs.size(); ++i) {
    call.feeds[graph_.inputs[i].name] = Read(InputFile(i));
  }
  call.fetches = {graph_.outputs[0].name};
  const auto result = RunOnServer(call);
  ASSERT_THAT(result, IsOk());
  ASSERT_EQ(result->outputs.size(), 1u);
  EXPECT_EQ(result->outputs[0].name(), graph_.outputs[0].name);
  EXPECT_THAT(result->outputs[0], EqualsTensor(Expected()));
}

TEST_P(OnnxModel, GivesItThroughScatterctlToo) {
  char temporary[] = "/tmp/scatterd-model-XXXXXX";
  ASSERT_NE(mkdtemp(temporary), nullptr);
  const std::string output = absl::StrCat(temporary, "/output.pb");
  std::vector<std::string> arguments = {
      "scatterctl",           "--address", ServerAddress(), "run",
      folder_ / "model.onnx", "-o",        output};
  for (size_t i = 0; i < graph_.inputs.size(); ++i) {
    arguments.push_back("--feed");
    arguments.push_back(absl::StrCat(graph_.inputs[i].name, "=", InputFile(i)));
  }
  std::vector<const char*> argv;
  for (const std::string& argument : arguments)
    argv.push_back(argument.c_str());
  std::ostringstream out, err;
  EXPECT_EQ(RunScatterctl(static_cast<int>(argv.size()), argv.data(), out, err),
            0)
      << err.str();
  EXPECT_EQ(out.str(), "");
  EXPECT_THAT(ReadTensor(output, std::nullopt),
              IsOkAndHolds(EqualsTensor(Expected())));
  fs::remove_all(temporary);
}

// Whatever is cut off or changed, the answer is one of a request, never the
// end of the server (which ServerUnderTest checks).
TEST_P(OnnxModel, DamagedModelsAreAnswered) {
  const std::string model = ReadBytes(folder_ / "model.onnx");
  for (size_t i = 0; i < model.size(); ++i) {
    for (const std::string& damaged :
         {model.substr(0, i), model.substr(0, i) +
                                  static_cast<char>(model[i] ^ (1 << (i % 8))) +
                                  model.substr(i + 1)}) {
      const absl::string_view piece = damaged;
      absl::StatusOr<Graph> graph = DecodeModel({&piece, 1}, ReserveAnything);
      if (!graph.ok()) {
        EXPECT_THAT(graph, StatusIs(absl::StatusCode::kInvalidArgument));
        continue;
      }
      GraphCall call;
      call.graph = *std::move(graph);
      for (size_t k = 0; k < graph_.inputs.size(); ++k) {
        call.feeds[graph_.inputs[k].name] = Read(InputFile(k));
      }
      call.fetches = {graph_.outputs[0].name};
      const absl::StatusCode code = RunOnServer(call).status().code();
      EXPECT_THAT(code, ::testing::AnyOf(absl::StatusCode::kOk,
                                         absl::StatusCode::kInvalidArgument,
                                         absl::StatusCode::kOutOfRange,
                                         absl::StatusCode::kUnimplemented));
    }
  }
}

INSTANTIATE_TEST_SUITE_P(
    Conformance, OnnxModel,
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
        "test_scatternd_min_with_element_indices", "test_scatternd_multiply",
        "test_tensorscatter", "test_tensorscatter_3d",
        "test_tensorscatter_circular"),
    [](const auto& test) { return std::string(test.param); });

}  // namespace
}  // namespace scatterd::test
