// Writes the seeds of codec_fuzzer: for each message a few random ones, most of
// which the contract accepts.
//
// Usage: codec_seeds FOLDER

#include <cstdio>
#include <fstream>
#include <string>

#include "absl/strings/str_cat.h"
#include "scatterd/v1/operators.pb.h"
#include "tests/proto/codec_testing.h"
#include "tests/proto/graph_messages.h"
#include "tests/proto/random_messages.h"
#include "tests/proto/wire_scrambler.h"

namespace scatterd::test {
namespace {

constexpr int kSeedsPerMessage = 4;

// As codec_fuzzer reads them.
void WriteSeed(const std::string& folder, size_t message, int cuts,
               const std::string& bytes) {
  std::ofstream file(absl::StrCat(folder, "/seed-", message, "-", cuts),
                     std::ios::binary);
  file.put(static_cast<char>(message)).put(static_cast<char>(cuts));
  file << bytes;
}

std::string RandomMessage(size_t message, WireScrambler& random) {
  if (message < kAllOperators.size()) {
    const auto request = NewRequest(kAllOperators[message]);
    FillRequest(random, &*request);
    return random.Serialize(*request);
  }
  if (message == kAllOperators.size() + 2) {
    v1::GradientRequest request;
    FillGradientRequest(random, &request);
    return random.Serialize(request);
  }
  if (message == kAllOperators.size() + 3) {
    v1::GradientResponse response;
    FillTensor(random, response.mutable_grad_data());
    FillTensor(random, response.mutable_grad_updates());
    response.mutable_stats()->set_device("cpu");
    return random.Serialize(response);
  }
  if (message == kAllOperators.size() + 4) {
    v1::RunRequest request;
    FillRunRequest(random, &request);
    return random.Serialize(request);
  }
  if (message == kAllOperators.size() + 5) {
    v1::RunRequest request;
    FillRunRequest(random, &request);
    return WireBytes(7, random.Serialize(request.graph()));
  }
  if (message == kAllOperators.size() + 6) {
    v1::RunResponse response;
    FillTensor(random, response.add_outputs());
    FillTensor(random, response.add_outputs());
    response.mutable_stats()->set_device("cpu");
    return random.Serialize(response);
  }
  v1::OperatorResponse response;
  FillTensor(random, response.mutable_output());
  if (message == kAllOperators.size()) {
    return random.Serialize(response.output());
  }
  response.mutable_stats()->set_queue_ns(random.Below(1000));
  response.mutable_stats()->set_device("cpu");
  return random.Serialize(response);
}

void WriteSeeds(const std::string& folder) {
  WireScrambler random(1);
  for (size_t message = 0; message < kAllOperators.size() + 7; ++message) {
    for (int i = 0; i < kSeedsPerMessage; ++i) {
      WriteSeed(folder, message, i * 3, RandomMessage(message, random));
    }
  }
}

}  // namespace
}  // namespace scatterd::test

int main(int argc, char** argv) {
  if (argc != 2) {
    std::fprintf(stderr, "usage: codec_seeds FOLDER\n");
    return 2;
  }
  scatterd::test::WriteSeeds(argv[1]);
  return 0;
}
