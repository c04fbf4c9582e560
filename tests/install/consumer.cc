// Scatters through the server at argv[1]; exits 0 if the result is right.

#include <cstdint>
#include <cstdio>
#include <vector>

#include "scatterd/client.h"

int main(int argc, char** argv) {
  if (argc != 2) return 2;
  const auto client = scatterd::Client::Create(argv[1]);
  if (!client.ok()) return 2;
  const std::vector<float> data = {1, 2, 3, 4, 5, 6, 7, 8};
  const std::vector<int64_t> indices = {4, 3, 1, 7};
  const std::vector<float> updates = {9, 10, 11, 12};
  const absl::StatusOr<scatterd::Tensor> output =
      (*client)->ScatterND(*scatterd::BorrowTensor<float>({8}, data),
                           *scatterd::BorrowTensor<int64_t>({4, 1}, indices),
                           *scatterd::BorrowTensor<float>({4}, updates));
  if (!output.ok()) {
    std::fprintf(stderr, "%s\n", output.status().ToString().c_str());
    return 1;
  }
  const std::vector<float> expected = {1, 11, 3, 10, 9, 6, 7, 12};
  return output->values<float>() == absl::MakeConstSpan(expected) ? 0 : 1;
}
