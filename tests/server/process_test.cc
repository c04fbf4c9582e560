#include "server/process.h"

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>

#include "gtest/gtest.h"

namespace scatterd {
namespace {

constexpr uint64_t kGiB = uint64_t{1} << 30;

// A small copy of /proc and /sys.
class AvailableMemoryTest : public ::testing::Test {
 protected:
  AvailableMemoryTest() {
    std::string pattern = ::testing::TempDir() + "/process_test.XXXXXX";
    root_ = mkdtemp(pattern.data());
    Write("/proc/meminfo", "MemTotal:       8388608 kB\nMemFree: 1 kB\n");
  }
  ~AvailableMemoryTest() override { std::filesystem::remove_all(root_); }

  void Write(const std::string& path, const std::string& text) {
    const std::filesystem::path file = root_ + path;
    std::filesystem::create_directories(file.parent_path());
    std::ofstream(file) << text;
  }

  uint64_t Available() const { return AvailableMemoryBelow(root_); }

 private:
  std::string root_;
};

TEST_F(AvailableMemoryTest, IsTheMachinesWithoutControlGroups) {
  EXPECT_EQ(Available(), 8 * kGiB);
}

TEST_F(AvailableMemoryTest, IsTheUnifiedGroupsLimit) {
  Write("/proc/self/cgroup", "0::/a/b\n");
  Write("/sys/fs/cgroup/a/b/memory.max", "2147483648\n");
  EXPECT_EQ(Available(), 2 * kGiB);
}

TEST_F(AvailableMemoryTest, IsTheLeastLimitOfTheGroupsAbove) {
  Write("/proc/self/cgroup", "0::/a/b\n");
  Write("/sys/fs/cgroup/a/b/memory.max", "max\n");
  Write("/sys/fs/cgroup/a/memory.max", "1073741824\n");
  EXPECT_EQ(Available(), kGiB);
}

TEST_F(AvailableMemoryTest, IsTheContainersLimitAtTheTop) {
  Write("/proc/self/cgroup", "0::/\n");
  Write("/sys/fs/cgroup/memory.max", "1073741824\n");
  EXPECT_EQ(Available(), kGiB);
}

TEST_F(AvailableMemoryTest, IsTheOldMemoryControllersLimit) {
  Write("/proc/self/cgroup", "5:cpu:/x\n4:memory:/host/path\n0::/\n");
  Write("/sys/fs/cgroup/memory/memory.limit_in_bytes", "3221225472\n");
  EXPECT_EQ(Available(), 3 * kGiB);
}

TEST_F(AvailableMemoryTest, IgnoresTheOldControllersNoLimit) {
  Write("/proc/self/cgroup", "4:memory:/\n");
  Write("/sys/fs/cgroup/memory/memory.limit_in_bytes", "9223372036854771712\n");
  EXPECT_EQ(Available(), 8 * kGiB);
}

TEST_F(AvailableMemoryTest, IsSomethingWhereTheSystemTellsNothing) {
  EXPECT_GT(AvailableMemoryBelow("/no/such/root"), 0u);
}

TEST(AvailableMemory, IsPlausibleHere) {
  EXPECT_GT(AvailableMemory(), uint64_t{16} << 20);
}

}  // namespace
}  // namespace scatterd
