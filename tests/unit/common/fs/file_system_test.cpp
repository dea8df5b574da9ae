// What every FileSystem must do: the same cases for the machine's files and for those in memory.
#include "common/fs/file_system.h"

#include <memory>
#include <string>

#include <catch2/catch.hpp>

#include "common/fs/local/local_file_system.h"
#include "common/fs/path.h"
#include "common/fs/whole_file.h"
#include "common/testing/faulty_fs.h"
#include "tests/unit/common/fs/scratch_directory.h"

namespace weir::fs {
namespace {

struct LocalPlace {
  LocalFileSystem file_system;
  ScratchDirectory scratch;
  std::string root = scratch.path();
};

struct MemoryPlace {
  testing::FaultyFs file_system;
  std::string root = "/";
};

void WriteFile(FileSystem& file_system, const std::string& path, StringView bytes) {
  auto file = file_system.Create(path);
  REQUIRE(file.ok());
  REQUIRE((*file)->Append(bytes).ok());
  REQUIRE((*file)->Sync().ok());
  REQUIRE((*file)->Close().ok());
}

std::string Contents(FileSystem& file_system, const std::string& path) {
  const auto bytes = ReadWholeFile(file_system, path, 1 << 20);
  return bytes.ok() ? *bytes : "error: " + bytes.status().ToString();
}

TEMPLATE_TEST_CASE("A file holds what was appended", "[fs][unit]", LocalPlace, MemoryPlace) {
  TestType place;
  const std::string path = JoinPath(place.root, "a");
  WriteFile(place.file_system, path, "one");
  auto more = place.file_system.OpenAppend(path);
  REQUIRE(more.ok());
  REQUIRE((*more)->Append(" two").ok());
  REQUIRE((*more)->Close().ok());

  CHECK(Contents(place.file_system, path) == "one two");
  CHECK(place.file_system.Stat(path)->size == 7);
  CHECK_FALSE(place.file_system.Stat(path)->is_directory);
}

TEMPLATE_TEST_CASE("Create never overwrites", "[fs][unit]", LocalPlace, MemoryPlace) {
  TestType place;
  const std::string path = JoinPath(place.root, "a");
  WriteFile(place.file_system, path, "kept");

  CHECK(absl::IsAlreadyExists(place.file_system.Create(path).status()));
  CHECK(Contents(place.file_system, path) == "kept");
}

TEMPLATE_TEST_CASE("A closed file takes nothing more", "[fs][unit]", LocalPlace, MemoryPlace) {
  TestType place;
  auto file = place.file_system.Create(JoinPath(place.root, "a"));
  REQUIRE(file.ok());
  REQUIRE((*file)->Close().ok());
  CHECK((*file)->Close().ok());
  CHECK(absl::IsFailedPrecondition((*file)->Append("x")));
  CHECK(absl::IsFailedPrecondition((*file)->Sync()));
}

TEMPLATE_TEST_CASE("RandomFile reads anywhere and less at the end", "[fs][unit]", LocalPlace,
                   MemoryPlace) {
  TestType place;
  const std::string path = JoinPath(place.root, "a");
  WriteFile(place.file_system, path, "0123456789");
  auto file = place.file_system.OpenRandom(path);
  REQUIRE(file.ok());
  std::string bytes(4, ' ');
  CHECK(*(*file)->ReadAt(3, bytes.data(), 4) == 4);
  CHECK(bytes == "3456");
  CHECK(*(*file)->ReadAt(8, bytes.data(), 4) == 2);
  CHECK(*(*file)->ReadAt(20, bytes.data(), 4) == 0);
}

TEMPLATE_TEST_CASE("Rename replaces and Link does not", "[fs][unit]", LocalPlace, MemoryPlace) {
  TestType place;
  const std::string a = JoinPath(place.root, "a");
  const std::string b = JoinPath(place.root, "b");
  WriteFile(place.file_system, a, "A");
  WriteFile(place.file_system, b, "B");

  CHECK(absl::IsAlreadyExists(place.file_system.Link(a, b)));
  CHECK(Contents(place.file_system, b) == "B");
  REQUIRE(place.file_system.Rename(a, b).ok());
  CHECK(Contents(place.file_system, b) == "A");
  CHECK(absl::IsNotFound(place.file_system.Stat(a).status()));
  REQUIRE(place.file_system.Link(b, a).ok());
  REQUIRE(place.file_system.Remove(b).ok());
  CHECK(Contents(place.file_system, a) == "A");
}

TEMPLATE_TEST_CASE("A missing path is NOT_FOUND by name", "[fs][unit]", LocalPlace, MemoryPlace) {
  TestType place;
  const std::string path = JoinPath(place.root, "no/such");
  CHECK(absl::IsNotFound(place.file_system.Stat(path).status()));
  CHECK(absl::IsNotFound(place.file_system.Create(path).status()));
  CHECK(absl::IsNotFound(place.file_system.OpenSequential(path).status()));
  CHECK(absl::IsNotFound(place.file_system.Remove(path)));
  CHECK(absl::IsNotFound(place.file_system.List(path).status()));
  CHECK(place.file_system.RemoveTree(path).ok());
  CHECK(place.file_system.OpenRandom(path).status().message().find(path) !=
        absl::string_view::npos);
}

TEMPLATE_TEST_CASE("Directories are made with their parents, listed sorted and removed whole",
                   "[fs][unit]", LocalPlace, MemoryPlace) {
  TestType place;
  const std::string top = JoinPath(place.root, "top");
  REQUIRE(place.file_system.MakeDirs(top + "/x/y").ok());
  REQUIRE(place.file_system.MakeDirs(top + "/x/y").ok());
  WriteFile(place.file_system, top + "/b", "1");
  WriteFile(place.file_system, top + "/a", "1");

  const auto entries = place.file_system.List(top);
  REQUIRE(entries.ok());
  CHECK(*entries == std::vector<DirectoryEntry>{{"a", false}, {"b", false}, {"x", true}});
  CHECK(place.file_system.SyncDir(top).ok());
  CHECK(absl::IsFailedPrecondition(place.file_system.Remove(top)));
  CHECK(absl::IsFailedPrecondition(place.file_system.OpenRandom(top).status()));
  CHECK(absl::IsFailedPrecondition(place.file_system.MakeDirs(top + "/a")));
  REQUIRE(place.file_system.RemoveTree(top).ok());
  CHECK(absl::IsNotFound(place.file_system.Stat(top).status()));
}

TEMPLATE_TEST_CASE("A lock has one holder, who is named to the next", "[fs][unit]", LocalPlace,
                   MemoryPlace) {
  TestType place;
  const std::string path = JoinPath(place.root, "lock");
  auto held = place.file_system.Lock(path, "process 17");
  REQUIRE(held.ok());

  const auto second = place.file_system.Lock(path, "process 18");
  CHECK(absl::IsFailedPrecondition(second.status()));
  CHECK(second.status().message().find("process 17") != absl::string_view::npos);
  held->reset();
  CHECK(place.file_system.Lock(path, "process 18").ok());
}

}  // namespace
}  // namespace weir::fs
