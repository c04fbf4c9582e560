#include "server/process.h"

#include <malloc.h>

#include <algorithm>
#include <fstream>
#include <limits>
#include <sstream>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"

namespace scatterd {
namespace {

constexpr uint64_t kUnlimited = std::numeric_limits<uint64_t>::max();

// Where the system tells nothing at all.
constexpr uint64_t kFallbackMemory = uint64_t{1} << 30;

std::string ReadFile(const std::string& path) {
  std::ifstream file(path);
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

// The number of bytes in a control group's limit file; "max" and files that
// are not there do not limit.
uint64_t ReadLimit(const std::string& path) {
  uint64_t limit = 0;
  const bool is_number = absl::SimpleAtoi(ReadFile(path), &limit);
  return is_number && limit > 0 ? limit : kUnlimited;
}

// The least limit of the group and of the groups above it.  The topmost one
// counts too: inside a container it is often the container's own.
uint64_t GroupLimit(const std::string& mount, absl::string_view group,
                    absl::string_view file) {
  uint64_t limit = ReadLimit(absl::StrCat(mount, "/", file));
  while (group.size() > 1) {
    limit = std::min(limit, ReadLimit(absl::StrCat(mount, group, "/", file)));
    group = group.substr(0, group.rfind('/'));
  }
  return limit;
}

// Lines of /proc/self/cgroup: "0::/group" (v2) and "4:memory:/group" (v1).
uint64_t ControlGroupLimit(const std::string& root) {
  const std::string mount = root + "/sys/fs/cgroup";
  const std::string groups = ReadFile(root + "/proc/self/cgroup");
  uint64_t limit = kUnlimited;
  for (absl::string_view line : absl::StrSplit(groups, '\n')) {
    const std::vector<absl::string_view> parts =
        absl::StrSplit(line, absl::MaxSplits(':', 2));
    if (parts.size() != 3) continue;
    if (parts[1].empty()) {
      limit = std::min(limit, GroupLimit(mount, parts[2], "memory.max"));
    } else if (absl::StrContains(parts[1], "memory")) {
      limit = std::min(limit, GroupLimit(mount + "/memory", parts[2],
                                         "memory.limit_in_bytes"));
    }
  }
  return limit;
}

uint64_t MachineMemory(const std::string& root) {
  const std::string info = ReadFile(root + "/proc/meminfo");
  for (absl::string_view line : absl::StrSplit(info, '\n')) {
    if (!absl::ConsumePrefix(&line, "MemTotal:")) continue;
    absl::ConsumeSuffix(&line, "kB");
    uint64_t kib = 0;
    if (absl::SimpleAtoi(line, &kib)) return kib * 1024;
  }
  return kUnlimited;
}

}  // namespace

bool TuneMalloc() {
  // glibc refuses a larger mmap threshold, and setting any one of these turns
  // off its own adaptation, so all are set.
  constexpr int kMmapThreshold = 32 << 20;
  constexpr int kTrimThreshold = 2047 << 20;
  constexpr int kTopPad = 64 << 20;
  return (mallopt(M_ARENA_MAX, 1) & mallopt(M_MMAP_THRESHOLD, kMmapThreshold) &
          mallopt(M_TRIM_THRESHOLD, kTrimThreshold) &
          mallopt(M_TOP_PAD, kTopPad)) != 0;
}

uint64_t AvailableMemoryBelow(const std::string& root) {
  const uint64_t memory =
      std::min(MachineMemory(root), ControlGroupLimit(root));
  return memory == kUnlimited ? kFallbackMemory : memory;
}

uint64_t AvailableMemory() { return AvailableMemoryBelow(""); }

}  // namespace scatterd
