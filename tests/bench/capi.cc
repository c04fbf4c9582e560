// A small C interface to the CPU backend, for compare.py (ctypes).
//
// Tensors come from Tensor::Zeros: 2 MiB-aligned huge pages where they are
// large.  compare.py lends the same memory to the other libraries, so nobody
// pays for another allocation.  Functions that may fail return null or a
// non-zero number; scatterd_bench_error() says why.  One thread at a time.

#include <atomic>
#include <chrono>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <new>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/backends/cpu/cpu_backend.h"
#include "core/operator.h"

namespace {

std::atomic<int64_t> allocations{0};

void* CountedAllocate(size_t size, size_t alignment) {
  allocations.fetch_add(1, std::memory_order_relaxed);
  if (size == 0) size = 1;
  void* memory = alignment <= alignof(std::max_align_t)
                     ? std::malloc(size)
                     : std::aligned_alloc(alignment, (size + alignment - 1) /
                                                         alignment * alignment);
  if (memory == nullptr) std::abort();
  return memory;
}

}  // namespace

// The library is linked with -Bsymbolic-functions, so these are the operators
// of the code in it and of nobody else.
void* operator new(size_t size) { return CountedAllocate(size, 1); }
void* operator new[](size_t size) { return CountedAllocate(size, 1); }
void* operator new(size_t size, std::align_val_t alignment) {
  return CountedAllocate(size, static_cast<size_t>(alignment));
}
void* operator new[](size_t size, std::align_val_t alignment) {
  return CountedAllocate(size, static_cast<size_t>(alignment));
}
void* operator new(size_t size, const std::nothrow_t&) noexcept {
  return CountedAllocate(size, 1);
}
void* operator new[](size_t size, const std::nothrow_t&) noexcept {
  return CountedAllocate(size, 1);
}
void operator delete(void* memory) noexcept { std::free(memory); }
void operator delete[](void* memory) noexcept { std::free(memory); }
void operator delete(void* memory, size_t) noexcept { std::free(memory); }
void operator delete[](void* memory, size_t) noexcept { std::free(memory); }
void operator delete(void* memory, std::align_val_t) noexcept {
  std::free(memory);
}
void operator delete[](void* memory, std::align_val_t) noexcept {
  std::free(memory);
}
void operator delete(void* memory, size_t, std::align_val_t) noexcept {
  std::free(memory);
}
void operator delete[](void* memory, size_t, std::align_val_t) noexcept {
  std::free(memory);
}

namespace scatterd {
namespace {

std::string last_error;

void Say(const absl::Status& status) { last_error = status.ToString(); }

std::optional<OperatorId> OperatorFromName(absl::string_view wanted) {
#define SCATTERD_OPERATOR(id, rpc, name, is_scatter) \
  if (wanted == #name) return OperatorId::id;
#include "core/ops/ops.inc"
  return std::nullopt;
}

// A plan and the tensors that it runs on; updates.dtype() is kUnspecified for
// gathers.
struct Call {
  OperatorId op;
  OperatorAttributes attributes;
  Tensor data, indices, updates, output;
  Plan plan;
};

absl::Status Run(const Plan& plan, Call& call, ThreadPool& pool) {
  static Backend& backend = *MakeCpuBackend().release();
  static const Cancellation cancellation;
  return backend.Run(plan,
                     {.data = &call.data,
                      .indices = &call.indices,
                      .updates = plan.is_scatter ? &call.updates : nullptr},
                     call.output, {pool, cancellation});
}

absl::StatusOr<Plan> PlanOf(const Call& call) {
  return MakePlan(call.op, {call.data.spec(),
                            call.indices.spec(),
                            call.updates.spec(),
                            call.attributes,
                            {}});
}

absl::Status PlanAndRun(Call& call, ThreadPool& pool) {
  const absl::StatusOr<Plan> plan = PlanOf(call);
  return plan.ok() ? Run(*plan, call, pool) : plan.status();
}

}  // namespace
}  // namespace scatterd

using scatterd::Call;
using scatterd::Tensor;
using scatterd::ThreadPool;

extern "C" {

const char* scatterd_bench_error() { return scatterd::last_error.c_str(); }

// `threads` > 1: with workers that stay on their CPUs.  Lives for ever.
void* scatterd_bench_pool(int threads) {
  return new ThreadPool(threads, scatterd::Pinning::kOn);
}

// Zeros.
void* scatterd_bench_tensor(int64_t dtype, const int64_t* dims, int rank) {
  const auto type = scatterd::DTypeFromNumber(dtype);
  if (!type.has_value()) {
    scatterd::Say(absl::InvalidArgumentError("no such dtype"));
    return nullptr;
  }
  auto tensor =
      Tensor::Zeros({*type, scatterd::Shape(absl::MakeConstSpan(dims, rank))});
  if (!tensor.ok()) {
    scatterd::Say(tensor.status());
    return nullptr;
  }
  return new Tensor(*std::move(tensor));
}

// `count` strings; string i is bytes[offsets[i], offsets[i + 1]).
void* scatterd_bench_strings(const char* bytes, const int64_t* offsets,
                             int64_t count) {
  std::vector<std::string> values;
  for (int64_t i = 0; i < count; ++i) {
    values.emplace_back(bytes + offsets[i], bytes + offsets[i + 1]);
  }
  auto tensor = Tensor::FromStrings({count}, values);
  if (!tensor.ok()) {
    scatterd::Say(tensor.status());
    return nullptr;
  }
  return new Tensor(*std::move(tensor));
}

void* scatterd_bench_bytes(void* tensor) {
  return static_cast<Tensor*>(tensor)->mutable_bytes();
}

void scatterd_bench_free_tensor(void* tensor) {
  delete static_cast<Tensor*>(tensor);
}

// `updates` is null for gathers.  `output` null: a new tensor.  `output` ==
// `data`: in place.
void* scatterd_bench_call(const char* op, void* data, void* indices,
                          void* updates, int64_t axis, int64_t batch_dims,
                          const char* reduction, void* output) {
  const auto id = scatterd::OperatorFromName(op);
  const auto combine = scatterd::ReductionFromName(reduction);
  if (!id.has_value() || !combine.has_value()) {
    scatterd::Say(absl::InvalidArgumentError("no such operator or reduction"));
    return nullptr;
  }
  auto call = std::make_unique<Call>();
  call->op = *id;
  call->attributes.axis = axis;
  call->attributes.batch_dims = batch_dims;
  call->attributes.reduction = *combine;
  call->data = *static_cast<Tensor*>(data);
  call->indices = *static_cast<Tensor*>(indices);
  if (updates != nullptr) call->updates = *static_cast<Tensor*>(updates);
  auto plan = scatterd::PlanOf(*call);
  if (!plan.ok()) {
    scatterd::Say(plan.status());
    return nullptr;
  }
  call->plan = *std::move(plan);
  if (output != nullptr) {
    call->output = *static_cast<Tensor*>(output);
  } else {
    auto tensor = Tensor::Zeros(call->plan.output);
    if (!tensor.ok()) {
      scatterd::Say(tensor.status());
      return nullptr;
    }
    call->output = *std::move(tensor);
  }
  if (call->output.spec() != call->plan.output) {
    scatterd::Say(absl::InvalidArgumentError("the output does not fit"));
    return nullptr;
  }
  return call.release();
}

void scatterd_bench_free_call(void* call) { delete static_cast<Call*>(call); }

// 0: done.
int scatterd_bench_run(void* opaque_call, void* pool) {
  auto& call = *static_cast<Call*>(opaque_call);
  const absl::Status status =
      scatterd::Run(call.plan, call, *static_cast<ThreadPool*>(pool));
  if (!status.ok()) scatterd::Say(status);
  return status.ok() ? 0 : 1;
}

// Runs a call `iterations` times, planning it anew each time if `plan` is not
// 0.  Nanoseconds of one; heap allocations of all together.
int scatterd_bench_repeat(void* opaque_call, void* opaque_pool, int plan,
                          int64_t iterations, double* ns, int64_t* heap) {
  using Clock = std::chrono::steady_clock;
  auto& call = *static_cast<Call*>(opaque_call);
  auto& pool = *static_cast<ThreadPool*>(opaque_pool);
  const int64_t before = allocations.load();
  const auto begin = Clock::now();
  for (int64_t i = 0; i < iterations; ++i) {
    const absl::Status status = plan != 0
                                    ? scatterd::PlanAndRun(call, pool)
                                    : scatterd::Run(call.plan, call, pool);
    if (!status.ok()) {
      scatterd::Say(status);
      return 1;
    }
  }
  const std::chrono::duration<double, std::nano> elapsed = Clock::now() - begin;
  *ns = elapsed.count() / static_cast<double>(iterations);
  *heap = allocations.load() - before;
  return 0;
}

// memcpy in as many parts as the pool has threads.
void scatterd_bench_copy(void* opaque_pool, void* to, const void* from,
                         int64_t size) {
  auto& pool = *static_cast<ThreadPool*>(opaque_pool);
  const int64_t parts = pool.num_threads();
  pool.ParallelFor(parts, [&](int64_t i) {
    const int64_t begin = size * i / parts;
    std::memcpy(static_cast<char*>(to) + begin,
                static_cast<const char*>(from) + begin,
                static_cast<size_t>(size * (i + 1) / parts - begin));
  });
}

// Nanoseconds of one of `iterations` calls of another library's function of
// eight arguments that returns null; -1 if it does not.
double scatterd_bench_time(void* (*function)(void*, void*, void*, void*, void*,
                                             void*, void*, void*),
                           void** arguments, int64_t iterations) {
  using Clock = std::chrono::steady_clock;
  void** const a = arguments;
  const auto begin = Clock::now();
  for (int64_t i = 0; i < iterations; ++i) {
    if (function(a[0], a[1], a[2], a[3], a[4], a[5], a[6], a[7]) != nullptr) {
      return -1;
    }
  }
  const std::chrono::duration<double, std::nano> elapsed = Clock::now() - begin;
  return elapsed.count() / static_cast<double>(iterations);
}

// 1 if the bytes are equal.
int scatterd_bench_equal(const void* a, const void* b, int64_t size) {
  return std::memcmp(a, b, static_cast<size_t>(size)) == 0 ? 1 : 0;
}

}  // extern "C"
