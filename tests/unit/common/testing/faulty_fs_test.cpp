#include "common/testing/faulty_fs.h"

#include <string>

#include <catch2/catch.hpp>

#include "common/fs/whole_file.h"

namespace weir::testing {
namespace {

std::unique_ptr<fs::WritableFile> MustCreate(FaultyFs& file_system, const std::string& path) {
  auto file = file_system.Create(path);
  REQUIRE(file.ok());
  return *std::move(file);
}

TEST_CASE("A crash loses what was not synced", "[testing][unit]") {
  FaultyFs file_system;
  const auto file = MustCreate(file_system, "/a");
  REQUIRE(file->Append("synced").ok());
  REQUIRE(file->Sync().ok());
  REQUIRE(file->Append(" and not").ok());
  REQUIRE(file_system.SyncDir("/").ok());

  file_system.Crash();
  CHECK(*fs::ReadWholeFile(file_system, "/a", 100) == "synced");
}

TEST_CASE("A crash loses a name whose directory was not synced", "[testing][unit]") {
  FaultyFs file_system;
  const auto file = MustCreate(file_system, "/a");
  REQUIRE(file->Append("x").ok());
  REQUIRE(file->Sync().ok());

  file_system.Crash();
  CHECK(absl::IsNotFound(file_system.Stat("/a").status()));
}

TEST_CASE("A crash undoes an unsynced rename as a whole", "[testing][unit]") {
  FaultyFs file_system;
  REQUIRE(fs::PublishFile(file_system, "/a", "A").ok());
  REQUIRE(file_system.Rename("/a", "/b").ok());

  file_system.Crash();
  CHECK(file_system.Stat("/a").ok());
  CHECK(absl::IsNotFound(file_system.Stat("/b").status()));
}

TEST_CASE("A crash may keep the oldest unsynced changes of names", "[testing][unit]") {
  FaultyFs file_system;
  REQUIRE(fs::PublishFile(file_system, "/a", "A").ok());
  REQUIRE(file_system.Rename("/a", "/b").ok());
  REQUIRE(file_system.Rename("/b", "/c").ok());
  REQUIRE(file_system.unsynced_change_count() == 2);

  file_system.Crash(1);
  CHECK(file_system.Stat("/b").ok());
  CHECK(absl::IsNotFound(file_system.Stat("/c").status()));
}

TEST_CASE("Files and locks of a dead process are dead", "[testing][unit]") {
  FaultyFs file_system;
  const auto file = MustCreate(file_system, "/a");
  const auto lock = file_system.Lock("/lock", "first");
  REQUIRE(lock.ok());
  REQUIRE(file->Append("x").ok());

  file_system.KillProcess();
  CHECK(absl::IsUnavailable(file->Append("y")));
  CHECK(file_system.Lock("/lock", "second").ok());
  CHECK(*fs::ReadWholeFile(file_system, "/a", 100) == "x");
}

TEST_CASE("Power stays off from the planned site on", "[testing][unit]") {
  FaultyFs file_system;
  file_system.PowerCutAt(2);
  const auto file = MustCreate(file_system, "/a");
  CHECK(absl::IsUnavailable(file->Append("x")));
  CHECK(absl::IsUnavailable(file_system.Stat("/a").status()));
  CHECK(file_system.fired_at() == "append to /a (site 2)");
  file_system.Crash();
  CHECK(file_system.List("/")->empty());
}

TEST_CASE("A flipped bit is reported as success", "[testing][unit]") {
  FaultyFs file_system;
  file_system.FailAt(1, Fault::kFlippedBit);
  const auto file = MustCreate(file_system, "/a");
  REQUIRE(file->Append("aaaa").ok());
  CHECK(*fs::ReadWholeFile(file_system, "/a", 100) != "aaaa");
  CHECK(file_system.has_fired());
}

TEST_CASE("A short write leaves half and says the disk is full", "[testing][unit]") {
  FaultyFs file_system;
  file_system.FailAt(1, Fault::kShortWrite);
  const auto file = MustCreate(file_system, "/a");
  CHECK(absl::IsResourceExhausted(file->Append("abcd")));
  CHECK(*fs::ReadWholeFile(file_system, "/a", 100) == "ab");
}

}  // namespace
}  // namespace weir::testing
