// The tensors of ONNX's own node tests, byte for byte as ONNX wrote them.

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include "gtest/gtest.h"
#include "proto/codec.h"
#include "scatterd/v1/tensor.pb.h"
#include "tests/proto/codec_testing.h"
#include "tests/proto/wire_oracle.h"
#include "tests/testing/status_matchers.h"
#include "tests/testing/tensor_matchers.h"

namespace scatterd::test {
namespace {

namespace fs = std::filesystem;

std::vector<fs::path> TensorFiles() {
  const char* dir = std::getenv("SCATTERD_CONFORMANCE_DIR");
  const fs::path root = dir != nullptr ? dir : SCATTERD_DEFAULT_CONFORMANCE_DIR;
  std::vector<fs::path> files;
  if (!fs::is_directory(root)) return files;
  for (const auto& entry : fs::recursive_directory_iterator(root)) {
    if (entry.path().extension() == ".pb") files.push_back(entry.path());
  }
  return files;
}

std::string ReadFile(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

TEST(OnnxFiles, DecodeAndComeBack) {
  const std::vector<fs::path> files = TensorFiles();
  if (files.empty()) {
    GTEST_SKIP() << "no .pb files: set SCATTERD_CONFORMANCE_DIR";
  }
  for (const fs::path& path : files) {
    SCOPED_TRACE(path);
    const std::string bytes = ReadFile(path);
    const absl::StatusOr<Tensor> tensor = DecodeTensorBytes(bytes);
    ASSERT_THAT(tensor, IsOk());

    v1::TensorProto wire;
    ASSERT_TRUE(wire.ParseFromString(bytes));
    EXPECT_EQ(tensor->name(), wire.name());
    EXPECT_THAT(*tensor, EqualsTensor(*TensorOf(wire)));

    const absl::StatusOr<EncodedMessage> encoded = EncodeTensor(*tensor);
    ASSERT_THAT(encoded, IsOk());
    EXPECT_THAT(DecodeTensorBytes(encoded->Flatten()),
                IsOkAndHolds(EqualsTensor(*tensor)));
  }
}

}  // namespace
}  // namespace scatterd::test
