// Public bug reports about offsets above 2^31: the real kernels on address
// space that is reserved but, but for the pages that they touch, not memory.

#include <sys/mman.h>

#include <cstring>

#include "core/backends/cpu/cpu_backend.h"
#include "core/operator.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/integration/server_under_test.h"
#include "tests/testing/status_matchers.h"
#include "tests/testing/tensor_literals.h"
#include "tests/testing/tensor_matchers.h"

namespace scatterd::test {
namespace {

// A tensor of zeros whose pages come into being when they are written.
class SparseTensor {
 public:
  explicit SparseTensor(const TensorSpec& spec)
      : size_(*CheckedByteSize(spec)),
        memory_(mmap(nullptr, size_, PROT_READ | PROT_WRITE,
                     MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0)) {
    if (memory_ == MAP_FAILED) return;
    tensor_ = ValueOrDie(Tensor::Borrow(spec, memory_, size_));
  }
  ~SparseTensor() {
    if (memory_ != MAP_FAILED) munmap(memory_, size_);
  }

  bool ok() const { return memory_ != MAP_FAILED; }
  uint8_t* bytes() { return static_cast<uint8_t*>(memory_); }
  Tensor& tensor() { return tensor_; }

 private:
  const size_t size_;
  void* const memory_;
  Tensor tensor_;
};

// Plans for these operands and runs on the CPU.
absl::Status RunOnCpu(OperatorId op, const PlanOperands& operands,
                      Tensor& output) {
  OperatorInputs inputs;
  inputs.data = operands.data->spec();
  inputs.indices = operands.indices->spec();
  if (operands.updates != nullptr) inputs.updates = operands.updates->spec();
  const absl::StatusOr<Plan> plan = MakePlan(op, inputs);
  if (!plan.ok()) return plan.status();
  if (output.spec() != plan->output) return absl::InternalError("output spec");
  ThreadPool pool(1, Pinning::kOff);
  const Cancellation cancellation;
  return MakeCpuBackend()->Run(*plan, operands, output,
                               RunContext{pool, cancellation});
}

std::vector<Tensor> BothIndexDTypes(const Shape& shape,
                                    const std::vector<int64_t>& values) {
  return {FromIntegers(DType::kInt32, shape, values),
          FromIntegers(DType::kInt64, shape, values)};
}

// tensorflow/tensorflow#127164, #126136
TEST(LargeOffsets, ScatterReachesElementsPast2To31) {
  constexpr int64_t kOffset = int64_t{46341} * 46341;
  for (const Tensor& indices : BothIndexDTypes({1, 3}, {0, 46341, 0})) {
    SparseTensor data({DType::kUInt8, {1, 46342, 46341}});
    if (!data.ok()) GTEST_SKIP() << "2 GiB of address space are not to be had";
    const Tensor updates = TensorOf<uint8_t>({1}, {42});
    // In place: data is the output.
    ASSERT_THAT(
        RunOnCpu(
            OperatorId::kScatterND,
            {.data = &data.tensor(), .indices = &indices, .updates = &updates},
            data.tensor()),
        IsOk());
    EXPECT_EQ(data.bytes()[kOffset], 42);
    EXPECT_EQ(data.bytes()[0], 0);
  }
}

// The same through a server whose limit is below the output.
TEST(LargeOffsets, ServerRefusesOutputsOverItsLimit) {
  OperatorCall call = ScatterNDCall(
      Tensor(), FromIntegers(DType::kInt32, {1, 3}, {0, 46341, 0}),
      TensorOf<uint8_t>({1}, {42}));
  call.data = ZerosSpec{{DType::kUInt8, {1, 46342, 46341}}};
  EXPECT_THAT(CallServer(call),
              StatusIs(absl::StatusCode::kResourceExhausted,
                       ::testing::HasSubstr("max_output_bytes")));
}

// microsoft/onnxruntime#28107
TEST(LargeOffsets, GatherReadsARowAcross2To31) {
  constexpr int64_t kRow = 239674;
  constexpr int64_t kWidth = 8960;
  static_assert((kRow + 1) * kWidth > int64_t{1} << 31);
  SparseTensor data({DType::kInt8, {262144, kWidth}});
  if (!data.ok()) GTEST_SKIP() << "2.3 GB of address space are not to be had";
  std::vector<int8_t> row(kWidth);
  for (int64_t i = 0; i < kWidth; ++i) row[i] = static_cast<int8_t>(i % 127);
  std::memcpy(data.bytes() + kRow * kWidth, row.data(), row.size());
  for (const Tensor& indices : BothIndexDTypes({1}, {kRow})) {
    Tensor output = ValueOrDie(Tensor::Zeros({DType::kInt8, {1, kWidth}}));
    ASSERT_THAT(RunOnCpu(OperatorId::kGather,
                         {.data = &data.tensor(), .indices = &indices}, output),
                IsOk());
    EXPECT_THAT(output, EqualsTensor(TensorOf<int8_t>({1, kWidth}, row)));
  }
}

}  // namespace
}  // namespace scatterd::test
