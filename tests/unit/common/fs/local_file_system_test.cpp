#include "common/fs/local/local_file_system.h"

#include <atomic>
#include <fcntl.h>
#include <signal.h>
#include <string>
#include <unistd.h>

#include <catch2/catch.hpp>
#include <sys/stat.h>
#include <sys/wait.h>

#include "common/base/thread.h"
#include "common/fs/path.h"
#include "common/fs/whole_file.h"
#include "tests/unit/common/fs/scratch_directory.h"

namespace weir::fs {
namespace {

TEST_CASE("A directory that cannot be made is told with the parent that refuses", "[fs][unit]") {
  LocalFileSystem file_system;
  const absl::Status refused = file_system.MakeDirs("/proc/weir-not-here/out");
  CHECK(refused.message().find("cannot make directory /proc/weir-not-here in /proc: ") == 0);
}

TEST_CASE("A process that dies leaves its lock free", "[fs][unit]") {
  const ScratchDirectory scratch;
  const std::string path = JoinPath(scratch.path(), "lock");
  int ready[2];
  REQUIRE(pipe(ready) == 0);
  const pid_t child = fork();
  REQUIRE(child >= 0);
  if (child == 0) {
    LocalFileSystem file_system;
    const auto held = file_system.Lock(path, "the child");
    const char answer = held.ok() ? 'y' : 'n';
    const bool told = write(ready[1], &answer, 1) == 1;
    while (told) pause();
    _exit(1);
  }
  char answer = 0;
  REQUIRE(read(ready[0], &answer, 1) == 1);
  REQUIRE(answer == 'y');
  LocalFileSystem file_system;
  const auto refused = file_system.Lock(path, "the parent");
  CHECK(refused.status().message().find("the child") != absl::string_view::npos);

  REQUIRE(kill(child, SIGKILL) == 0);
  REQUIRE(waitpid(child, nullptr, 0) == child);
  CHECK(file_system.Lock(path, "the parent").ok());
  close(ready[0]);
  close(ready[1]);
}

TEST_CASE("A lock's file has its holder's name at every moment", "[fs][unit]") {
  const ScratchDirectory scratch;
  const std::string path = JoinPath(scratch.path(), "lock");
  LocalFileSystem file_system;
  REQUIRE(file_system.Lock(path, "the owner").ok());
  std::atomic<bool> done{false};
  std::atomic<int> nameless{0};
  {
    const base::Thread reader("reader", [&done, &nameless, &path] {
      LocalFileSystem files;
      while (!done) {
        if (*ReadWholeFile(files, path, 100) != "the owner\n") ++nameless;
      }
    });
    for (int i = 0; i < 20'000; ++i) {
      if (!file_system.Lock(path, "the owner").ok()) ++nameless;
    }
    done = true;
  }
  CHECK(nameless == 0);
}

TEST_CASE("A full disk is RESOURCE_EXHAUSTED", "[fs][unit]") {
  LocalFileSystem file_system;
  auto full = file_system.OpenAppend("/dev/full");
  REQUIRE(full.ok());
  const absl::Status status = (*full)->Append("x");
  CHECK(absl::IsResourceExhausted(status));
  CHECK(status.message().find("/dev/full") != absl::string_view::npos);
}

TEST_CASE("RemoveTree removes a link and not what it points to", "[fs][unit]") {
  const ScratchDirectory scratch;
  LocalFileSystem file_system;
  const std::string kept = JoinPath(scratch.path(), "kept");
  const std::string tree = JoinPath(scratch.path(), "tree");
  REQUIRE(file_system.MakeDirs(kept).ok());
  REQUIRE(file_system.MakeDirs(tree).ok());
  REQUIRE(PublishFile(file_system, JoinPath(kept, "file"), "x").ok());
  REQUIRE(symlink(kept.c_str(), JoinPath(tree, "link").c_str()) == 0);

  REQUIRE(file_system.RemoveTree(tree).ok());
  CHECK(file_system.Stat(JoinPath(kept, "file")).ok());
}

TEST_CASE("Stat gives the time of change in microseconds", "[fs][unit]") {
  const ScratchDirectory scratch;
  LocalFileSystem file_system;
  const std::string path = JoinPath(scratch.path(), "a");
  REQUIRE(PublishFile(file_system, path, "x").ok());
  const timespec times[2] = {{1'700'000'000, 0}, {1'700'000'000, 123'456'789}};
  REQUIRE(utimensat(AT_FDCWD, path.c_str(), times, 0) == 0);
  CHECK(file_system.Stat(path)->mtime_us == 1'700'000'000'123'456);
}

}  // namespace
}  // namespace weir::fs
