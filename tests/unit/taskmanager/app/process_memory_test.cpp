#include "taskmanager/app/process_memory.h"

#include <catch2/catch.hpp>

#include "common/fs/path.h"
#include "tests/unit/common/fs/scratch_directory.h"

namespace weir::taskmanager {
namespace {

// A directory that stands for "/".
class Root {
 public:
  const std::string& path() const { return scratch_.path(); }
  void Put(const std::string& file, const std::string& text) const {
    fs::LocalFileSystem files;
    const std::string path = this->path() + file;
    REQUIRE(files.MakeDirs(fs::DirectoryOf(path)).ok());
    (void)files.Remove(path);
    const auto made = files.Create(path);
    REQUIRE(made.ok());
    REQUIRE((*made)->Append(text).ok());
    REQUIRE((*made)->Close().ok());
  }

 private:
  fs::ScratchDirectory scratch_;
};

TEST_CASE("Without limits there is what the machine has", "[app][unit]") {
  const Root root;
  const uint64_t machine = MemoryOfMachine(root.path());
  CHECK(machine > (uint64_t{64} << 20));
  root.Put("/proc/self/cgroup", "0::/a\n");
  root.Put("/sys/fs/cgroup/a/memory.max", "max\n");
  CHECK(MemoryOfMachine(root.path()) == machine);
  root.Put("/proc/self/cgroup", "not what it should be\n5:memory\n0::\n");
  CHECK(MemoryOfMachine(root.path()) == machine);
}

TEST_CASE("The least limit of the control groups above counts", "[app][unit]") {
  const Root root;
  SECTION("version 2") {
    root.Put("/proc/self/cgroup", "0::/pod/container\n");
    root.Put("/sys/fs/cgroup/pod/container/memory.max", "30000000\n");
    root.Put("/sys/fs/cgroup/pod/memory.max", "20000000\n");
    CHECK(MemoryOfMachine(root.path()) == 20'000'000);
  }
  SECTION("version 2 in a namespace of its own") {
    root.Put("/proc/self/cgroup", "0::/\n");
    root.Put("/sys/fs/cgroup/memory.max", "10000000\n");
    CHECK(MemoryOfMachine(root.path()) == 10'000'000);
  }
  SECTION("version 1") {
    root.Put("/proc/self/cgroup", "7:cpu:/x\n5:memory:/job\n");
    root.Put("/sys/fs/cgroup/memory/job/memory.limit_in_bytes", "40000000\n");
    CHECK(MemoryOfMachine(root.path()) == 40'000'000);
  }
}

}  // namespace
}  // namespace weir::taskmanager
