// A first program with scatterd: scatters four values into a vector of zeros,
// gathers two of them back, and adds up duplicates without waiting.
//
//   scatter_and_gather [ADDRESS]        (default: localhost:50051)

#include <cstdint>
#include <cstdlib>
#include <future>
#include <iostream>
#include <memory>
#include <utility>
#include <vector>

#include "scatterd/client.h"

namespace {

using scatterd::BorrowTensor;
using scatterd::Client;
using scatterd::DType;
using scatterd::Tensor;
using scatterd::ZerosSpec;

// The value, or the end of the program: an example's error handling.
template <typename T>
T OrDie(absl::StatusOr<T> value) {
  if (value.ok()) return *std::move(value);
  std::cerr << value.status() << "\n";
  std::exit(1);
}

void Print(const char* name, const Tensor& tensor) {
  std::cout << name << " " << tensor.spec().ToString() << ":";
  for (const float value : tensor.values<float>()) std::cout << " " << value;
  std::cout << "\n";
}

}  // namespace

int main(int argc, char** argv) {
  const std::unique_ptr<Client> client =
      OrDie(Client::Create(argc > 1 ? argv[1] : "localhost:50051"));

  // Four index tuples of one component each: positions 4, 3, 1 and 7.  The
  // vectors are sent from where they are.
  const std::vector<int64_t> positions = {4, 3, 1, 7};
  const std::vector<float> values = {9, 10, 11, 12};
  const Tensor indices = OrDie(BorrowTensor<int64_t>({4, 1}, positions));
  const Tensor updates = OrDie(BorrowTensor<float>({4}, values));
  const ZerosSpec zeros{{DType::kFloat, {8}}};

  const Tensor scattered = OrDie(client->ScatterND(
      zeros, indices, updates, {}, {.timeout = absl::Seconds(10)}));
  Print("scattered", scattered);  // 0 11 0 10 9 0 0 12

  const std::vector<int64_t> wanted = {7, 1};
  const Tensor gathered = OrDie(client->GatherND(
      scattered, OrDie(BorrowTensor<int64_t>({2, 1}, wanted))));
  Print("gathered", gathered);  // 12 11

  // Every position twice: with ADD, both updates count.
  const std::vector<int64_t> twice = {0, 1, 0, 1};
  scatterd::OperatorCall call;
  call.op = scatterd::OperatorId::kScatterND;
  call.data = ZerosSpec{{DType::kFloat, {2}}};
  call.indices = OrDie(BorrowTensor<int64_t>({4, 1}, twice));
  call.updates = updates;
  call.attributes.reduction = scatterd::Reduction::kAdd;
  std::future<absl::StatusOr<scatterd::OperatorResult>> future =
      client->CallFuture(std::move(call));
  const scatterd::OperatorResult result = OrDie(future.get());
  Print("summed", *result.output);  // 20 22
  return 0;
}
