#include "taskmanager/app/process_memory.h"

#include <algorithm>
#include <limits>
#include <unistd.h>
#include <vector>

#include <absl/strings/match.h>
#include <absl/strings/numbers.h>
#include <absl/strings/str_cat.h>
#include <absl/strings/str_split.h>
#include <absl/strings/strip.h>

#include "common/fs/local/local_file_system.h"
#include "common/fs/path.h"
#include "common/fs/whole_file.h"

namespace weir::taskmanager {
namespace {

constexpr uint64_t kFileBytesMax = 64 * 1024;
constexpr uint64_t kNoLimit = std::numeric_limits<uint64_t>::max();

std::string Read(const std::string& path) {
  fs::LocalFileSystem files;
  return fs::ReadWholeFile(files, path, kFileBytesMax).value_or("");
}

// A file with one number; "max", or none at all, is no limit.
uint64_t LimitIn(const std::string& path) {
  uint64_t bytes = 0;
  return absl::SimpleAtoi(Read(path), &bytes) ? bytes : kNoLimit;
}

// The limit of a group and of every one it lies in.
uint64_t LimitAbove(const std::string& mount, std::string group, StringView file) {
  uint64_t least = LimitIn(absl::StrCat(mount, "/", file));
  for (; group.size() > 1; group = fs::DirectoryOf(group)) {
    least = std::min(least, LimitIn(absl::StrCat(mount, group, "/", file)));
  }
  return least;
}

}  // namespace

uint64_t MemoryOfMachine(const std::string& root) {
  uint64_t least =
      static_cast<uint64_t>(sysconf(_SC_PHYS_PAGES)) * static_cast<uint64_t>(sysconf(_SC_PAGESIZE));
  const std::string groups = Read(absl::StrCat(root, "/proc/self/cgroup"));
  for (const StringView line : absl::StrSplit(groups, '\n')) {
    // "0::/path" in version 2, "5:memory:/path" in version 1.
    const std::vector<std::string> parts = absl::StrSplit(line, absl::MaxSplits(':', 2));
    if (parts.size() != 3 || !absl::StartsWith(parts[2], "/")) continue;
    const std::string mount = absl::StrCat(root, "/sys/fs/cgroup");
    if (parts[1].empty()) least = std::min(least, LimitAbove(mount, parts[2], "memory.max"));
    if (parts[1] == "memory") {
      least = std::min(
          least, LimitAbove(absl::StrCat(mount, "/memory"), parts[2], "memory.limit_in_bytes"));
    }
  }
  return least;
}

}  // namespace weir::taskmanager
