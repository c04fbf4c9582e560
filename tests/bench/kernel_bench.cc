// The CPU backend on the workloads of docs/performance.md, in process.
//
// Each benchmark plans its call once and runs the plan again and again on the
// same buffers.  Counters: bytes that the kernel must move (indices, updates
// or slices read, output written; data too where it is copied) and index
// positions, both per second.  Argument: the number of threads.

#include <benchmark/benchmark.h>

#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "core/backends/cpu/cpu_backend.h"
#include "core/operator.h"

namespace scatterd {
namespace {

[[noreturn]] void Fail(const absl::Status& status) {
  std::fprintf(stderr, "%s\n", status.ToString().c_str());
  std::exit(1);
}

template <typename T>
T OrDie(absl::StatusOr<T> value) {
  if (!value.ok()) Fail(value.status());
  return *std::move(value);
}

enum class Pattern { kUniform, kZipf, kSame };

// `count` row numbers below `rows`.
std::vector<int64_t> MakeRows(Pattern pattern, int64_t rows, int64_t count) {
  std::mt19937_64 random(1);
  std::vector<int64_t> values(static_cast<size_t>(count));
  std::uniform_real_distribution<double> unit(0, 1);
  for (int64_t& value : values) {
    switch (pattern) {
      case Pattern::kUniform:
        value = static_cast<int64_t>(random() % static_cast<uint64_t>(rows));
        break;
      case Pattern::kZipf:  // density 1/x: the inverse of its distribution
        value = static_cast<int64_t>(
            std::pow(static_cast<double>(rows), unit(random)) - 1);
        break;
      case Pattern::kSame:
        value = rows / 2;
        break;
    }
  }
  return values;
}

Tensor Indices(const Shape& shape, const std::vector<int64_t>& values) {
  return OrDie(Tensor::FromValues<int64_t>(shape, values));
}

// The upper two bytes of 1.0 where that is all but zeros; 0x0001 is one for
// integers only, and would be a subnormal number, which some operations are
// slow with.
uint16_t UpperHalfOfOne(DType dtype) {
  switch (dtype) {
    case DType::kFloat:
    case DType::kBFloat16:
    case DType::kComplex64:
      return 0x3f80;
    case DType::kDouble:
    case DType::kComplex128:
      return 0x3ff0;
    case DType::kFloat16:
      return 0x3c00;
    default:
      return 0;
  }
}

// Ones, which sums and products do not take out of the ordinary.
Tensor Ones(const TensorSpec& spec) {
  Tensor tensor = OrDie(Tensor::Zeros(spec));
  const bool complex = KindOf(spec.dtype) == DTypeKind::kComplex;
  const size_t width = ElementSize(spec.dtype) / (complex ? 2 : 1);
  const uint16_t half = UpperHalfOfOne(spec.dtype);
  std::byte* bytes = tensor.mutable_bytes();
  for (size_t i = 0; i < tensor.byte_size(); i += width) {
    if (half == 0) {
      bytes[i] = std::byte{1};
    } else {
      std::memcpy(bytes + i + width - sizeof(half), &half, sizeof(half));
    }
  }
  return tensor;
}

// A call on buffers that stay.
class Workload {
 public:
  Workload(OperatorId op, Tensor data, Tensor indices, Tensor updates,
           OperatorAttributes attributes, bool in_place)
      : data_(std::move(data)),
        indices_(std::move(indices)),
        updates_(std::move(updates)),
        in_place_(in_place),
        plan_(OrDie(MakePlan(
            op,
            {data_.spec(), indices_.spec(), updates_.spec(), attributes, {}}))),
        output_(in_place ? data_ : OrDie(Tensor::Zeros(plan_.output))) {}

  void Run(benchmark::State& state) {
    ThreadPool pool(static_cast<int>(state.range(0)));
    const auto backend = MakeCpuBackend();
    const Cancellation cancellation;
    const PlanOperands operands{
        .data = in_place_ ? &output_ : &data_,
        .indices = &indices_,
        .updates = plan_.is_scatter ? &updates_ : nullptr};
    for (auto _ : state) {
      const absl::Status status =
          backend->Run(plan_, operands, output_, {pool, cancellation});
      if (!status.ok()) Fail(status);
    }
    Count(state);
  }

 private:
  void Count(benchmark::State& state) const {
    size_t bytes = indices_.byte_size();
    if (!plan_.is_scatter) {
      bytes += 2 * output_.byte_size();
    } else {
      bytes += 3 * updates_.byte_size();
      if (!in_place_) bytes += 2 * data_.byte_size();
    }
    const int64_t width = plan_.indices_are_tuples
                              ? indices_.shape()[indices_.shape().rank() - 1]
                              : 1;
    state.SetBytesProcessed(state.iterations() * static_cast<int64_t>(bytes));
    state.SetItemsProcessed(state.iterations() * indices_.num_elements() /
                            width);
  }

  Tensor data_;
  Tensor indices_;
  Tensor updates_;
  const bool in_place_;
  const Plan plan_;
  Tensor output_;
};

// --- Gathers ---------------------------------------------------------------

constexpr int64_t kRows = 100000;

// Rows of a 256 MB table.
void GatherRows(benchmark::State& state, DType dtype, int64_t columns) {
  const int64_t table = (int64_t{256} << 20) /
                        (columns * static_cast<int64_t>(ElementSize(dtype)));
  Workload(OperatorId::kGather, Ones({dtype, {table, columns}}),
           Indices({kRows}, MakeRows(Pattern::kUniform, table, kRows)), {}, {},
           false)
      .Run(state);
}

void GatherNdElements(benchmark::State& state) {
  constexpr int64_t kSide = 4096;
  constexpr int64_t kTuples = 1000000;
  Workload(
      OperatorId::kGatherND, Ones({DType::kFloat, {kSide, kSide}}),
      Indices({kTuples, 2}, MakeRows(Pattern::kUniform, kSide, 2 * kTuples)),
      {}, {}, false)
      .Run(state);
}

void GatherNdBatches(benchmark::State& state) {
  Workload(OperatorId::kGatherND, Ones({DType::kFloat, {64, 4096, 64}}),
           Indices({64, 1024, 1}, MakeRows(Pattern::kUniform, 4096, 64 * 1024)),
           {}, {.batch_dims = 1}, false)
      .Run(state);
}

void GatherElementsAlong(benchmark::State& state, int64_t axis) {
  constexpr int64_t kSide = 4096;
  const Shape shape =
      axis == 0 ? Shape{kSide / 4, kSide} : Shape{kSide, kSide / 4};
  Workload(
      OperatorId::kGatherElements, Ones({DType::kFloat, {kSide, kSide}}),
      Indices(shape, MakeRows(Pattern::kUniform, kSide, shape.num_elements())),
      {}, {.axis = axis}, false)
      .Run(state);
}

// --- Scatters --------------------------------------------------------------

// 100,000 rows of 64 elements into a table of 1,000,000 of them.
void ScatterRows(benchmark::State& state, DType dtype, Reduction reduction,
                 bool in_place) {
  constexpr int64_t kTable = 1000000;
  constexpr int64_t kColumns = 64;
  Workload(OperatorId::kScatterND, Ones({dtype, {kTable, kColumns}}),
           Indices({kRows, 1}, MakeRows(Pattern::kUniform, kTable, kRows)),
           Ones({dtype, {kRows, kColumns}}), {.reduction = reduction}, in_place)
      .Run(state);
}

// 4M single elements into 16M.
void ScatterSingles(benchmark::State& state, Reduction reduction,
                    Pattern pattern, bool in_place) {
  constexpr int64_t kData = int64_t{16} << 20;
  constexpr int64_t kUpdates = int64_t{4} << 20;
  Workload(OperatorId::kScatterElements, Ones({DType::kFloat, {kData}}),
           Indices({kUpdates}, MakeRows(pattern, kData, kUpdates)),
           Ones({DType::kFloat, {kUpdates}}), {.reduction = reduction},
           in_place)
      .Run(state);
}

void ScatterElementsAlong(benchmark::State& state, int64_t axis,
                          Reduction reduction, bool in_place) {
  constexpr int64_t kSide = 4096;
  const Shape shape =
      axis == 0 ? Shape{kSide / 4, kSide} : Shape{kSide, kSide / 4};
  Workload(
      OperatorId::kScatterElements, Ones({DType::kFloat, {kSide, kSide}}),
      Indices(shape, MakeRows(Pattern::kUniform, kSide, shape.num_elements())),
      Ones({DType::kFloat, shape}), {.axis = axis, .reduction = reduction},
      in_place)
      .Run(state);
}

// Shapes of public reports: microsoft/onnxruntime#28584, with a quarter of its
// rows, and #11195, where every index is 0.
void ScatterElementsReport28584(benchmark::State& state, bool in_place) {
  constexpr int64_t kTable = 556416 / 4;
  const Shape indices = {481385 / 4, 80};
  Workload(OperatorId::kScatterElements, Ones({DType::kFloat, {kTable, 80}}),
           Indices(indices,
                   MakeRows(Pattern::kUniform, kTable, indices.num_elements())),
           Ones({DType::kFloat, indices}), {.reduction = Reduction::kAdd},
           in_place)
      .Run(state);
}

void GatherElementsReport11195(benchmark::State& state) {
  const Shape shape = {1, 4, 353, 128};
  Workload(OperatorId::kGatherElements, Ones({DType::kFloat, shape}),
           OrDie(Tensor::Zeros({DType::kInt64, shape})), {}, {.axis = 1}, false)
      .Run(state);
}

// Eight indices: what a call costs beside its bytes.
void SmallGatherNd(benchmark::State& state) {
  Workload(OperatorId::kGatherND, Ones({DType::kFloat, {64}}),
           Indices({8, 1}, {0, 9, 18, 27, 36, 45, 54, 63}), {}, {}, false)
      .Run(state);
}

// --- Registration ----------------------------------------------------------

template <typename... Arguments>
void Register(const std::string& name,
              void (*run)(benchmark::State&, Arguments...),
              Arguments... arguments) {
  benchmark::RegisterBenchmark(
      name.c_str(), [=](benchmark::State& state) { run(state, arguments...); })
      ->Arg(1)
      ->Arg(2)
      ->ArgName("threads")
      ->UseRealTime()
      ->Unit(benchmark::kMicrosecond);
}

std::string Place(bool in_place) { return in_place ? "/in_place" : "/copy"; }

void RegisterGathers() {
  for (int64_t columns : {4, 16, 64, 256, 1024}) {
    Register("gather_rows/f32/" + std::to_string(columns), GatherRows,
             DType::kFloat, columns);
  }
  for (DType dtype : {DType::kFloat16, DType::kInt64, DType::kUInt8}) {
    Register("gather_rows/" + std::string(DTypeLowerName(dtype)) + "/64",
             GatherRows, dtype, int64_t{64});
  }
  Register("gather_nd/elements", GatherNdElements);
  Register("gather_nd/batches", GatherNdBatches);
  Register("gather_elements/axis0", GatherElementsAlong, int64_t{0});
  Register("gather_elements/axis1", GatherElementsAlong, int64_t{1});
  Register("gather_elements/report_11195", GatherElementsReport11195);
  Register("gather_nd/small", SmallGatherNd);
}

void RegisterScatters() {
  for (bool in_place : {true, false}) {
    Register("scatter_elements/report_28584" + Place(in_place),
             ScatterElementsReport28584, in_place);
    for (Reduction reduction :
         {Reduction::kNone, Reduction::kAdd, Reduction::kMax, Reduction::kMul,
          Reduction::kMean}) {
      const std::string what =
          std::string(ReductionName(reduction)) + Place(in_place);
      Register("scatter_rows/f32/" + what, ScatterRows, DType::kFloat,
               reduction, in_place);
      Register("scatter_singles/uniform/" + what, ScatterSingles, reduction,
               Pattern::kUniform, in_place);
    }
    for (Reduction reduction : {Reduction::kNone, Reduction::kAdd}) {
      const std::string what =
          std::string(ReductionName(reduction)) + Place(in_place);
      Register("scatter_singles/zipf/" + what, ScatterSingles, reduction,
               Pattern::kZipf, in_place);
      Register("scatter_singles/same/" + what, ScatterSingles, reduction,
               Pattern::kSame, in_place);
      for (int64_t axis : {0, 1}) {
        Register("scatter_elements/axis" + std::to_string(axis) + "/" + what,
                 ScatterElementsAlong, axis, reduction, in_place);
      }
    }
  }
  for (DType dtype :
       {DType::kFloat16, DType::kBFloat16, DType::kInt64, DType::kUInt8}) {
    Register(
        "scatter_rows/" + std::string(DTypeLowerName(dtype)) + "/add/in_place",
        ScatterRows, dtype, Reduction::kAdd, true);
  }
}

}  // namespace
}  // namespace scatterd

int main(int argc, char** argv) {
  scatterd::RegisterGathers();
  scatterd::RegisterScatters();
  benchmark::Initialize(&argc, argv);
  if (benchmark::ReportUnrecognizedArguments(argc, argv)) return 2;
  benchmark::RunSpecifiedBenchmarks();
}
