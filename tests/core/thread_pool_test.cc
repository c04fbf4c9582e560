#include "core/thread_pool.h"

#include <atomic>
#include <thread>
#include <vector>

#include "gtest/gtest.h"

namespace scatterd {
namespace {

TEST(ThreadPool, CallsEveryChunkOnceAndShowsItsWrites) {
  for (int threads : {1, 2, 3, 8}) {
    ThreadPool pool(threads);
    EXPECT_EQ(pool.num_threads(), threads);
    std::vector<int> calls(10007, 0);
    pool.ParallelFor(static_cast<int64_t>(calls.size()),
                     [&](int64_t i) { ++calls[static_cast<size_t>(i)]; });
    for (int count : calls) ASSERT_EQ(count, 1);
  }
}

TEST(ThreadPool, NoChunksAreNoWork) {
  ThreadPool pool(2);
  pool.ParallelFor(0, [](int64_t) { FAIL(); });
}

TEST(ThreadPool, OneThreadRunsInOrderOnTheCaller) {
  ThreadPool pool(1);
  std::vector<int64_t> order;
  const std::thread::id caller = std::this_thread::get_id();
  pool.ParallelFor(5, [&](int64_t i) {
    EXPECT_EQ(std::this_thread::get_id(), caller);
    order.push_back(i);
  });
  EXPECT_EQ(order, (std::vector<int64_t>{0, 1, 2, 3, 4}));
}

TEST(ThreadPool, ServesManyCallersAtOnce) {
  ThreadPool pool(2);
  std::atomic<int64_t> total{0};
  std::vector<std::thread> callers;
  for (int caller = 0; caller < 6; ++caller) {
    callers.emplace_back([&] {
      for (int round = 0; round < 50; ++round) {
        pool.ParallelFor(20, [&](int64_t i) { total += i; });
      }
    });
  }
  for (std::thread& caller : callers) caller.join();
  EXPECT_EQ(total, 6 * 50 * 190);
}

TEST(ThreadPool, ZeroThreadsMeansOnePerCpu) {
  EXPECT_EQ(ThreadPool(0).num_threads(), NumAvailableCpus());
  EXPECT_GE(NumAvailableCpus(), 1);
}

}  // namespace
}  // namespace scatterd
