#include "common/checkpoint/storage.h"

#include <memory>
#include <string>

#include <catch2/catch.hpp>

#include "common/checkpoint/file_storage.h"
#include "common/checkpoint/memory_storage.h"
#include "common/fs/whole_file.h"
#include "common/testing/faulty_fs.h"
#include "tests/unit/common/checkpoint/sample_metadata.h"

namespace weir::checkpoint {
namespace {

using testing::FaultyFs;

std::unique_ptr<FileCheckpointStorage> OnFiles(FaultyFs& files) {
  return std::make_unique<FileCheckpointStorage>(files, "/cp", *CheckStreamOptions({}), 7);
}

TEST_CASE("A location is made once, and naming one makes none", "[checkpoint][unit]") {
  FaultyFs files;
  const auto storage = OnFiles(files);
  CHECK(*storage->MakeLocation(CheckpointId{17}) == "/cp/chk-17");
  CHECK(absl::IsAlreadyExists(storage->MakeLocation(CheckpointId{17}).status()));
  storage->OutputsAt("/cp/chk-18");
  storage->InputsAt("/cp/chk-18");
  CHECK(absl::IsNotFound(files.Stat("/cp/chk-18").status()));
}

TEST_CASE("Only Weir's own spelling names a checkpoint", "[checkpoint][unit]") {
  CHECK(CheckpointIdOfDirectory("chk-17") == CheckpointId{17});
  for (const char* const other : {"chk-", "chk-0", "chk--1", "chk-017", "chk-17x", "17", "chk-+1",
                                  "chk-99999999999999999999"}) {
    CHECK(CheckpointIdOfDirectory(other) == kNoCheckpoint);
  }
}

TEST_CASE("Metadata is there as a whole or not at all, wherever power fails",
          "[checkpoint][unit]") {
  for (uint64_t site = 1;; ++site) {
    FaultyFs files;
    const auto storage = OnFiles(files);
    const std::string location = *storage->MakeLocation(CheckpointId{1});
    files.PowerCutAt(site);
    const bool ok = storage->WriteMetadata(location, SampleMetadata()).ok();
    const bool fired = files.has_fired();
    INFO("site " << site << ": " << files.fired_at());
    files.Crash(site % (files.unsynced_change_count() + 1));
    const auto read = storage->ReadMetadata(location);
    if (read.ok()) {
      CHECK(*read == SampleMetadata());
    } else {
      CHECK(absl::IsNotFound(read.status()));
      CHECK_FALSE(ok);
    }
    if (!fired) break;
  }
}

TEST_CASE("A bit that flips on its way to the disk is found", "[checkpoint][unit]") {
  FaultyFs files;
  const auto storage = OnFiles(files);
  const std::string location = *storage->MakeLocation(CheckpointId{1});
  files.FailAt(1, testing::Fault::kFlippedBit);
  REQUIRE(storage->WriteMetadata(location, SampleMetadata()).ok());
  const absl::Status status = storage->ReadMetadata(location).status();
  CHECK(absl::IsDataLoss(status));
  CHECK(status.message().find("/cp/chk-1/_metadata") != absl::string_view::npos);
}

TEST_CASE("A half removed location never looks complete", "[checkpoint][unit]") {
  for (uint64_t site = 1;; ++site) {
    FaultyFs files;
    const auto storage = OnFiles(files);
    const std::string location = *storage->MakeLocation(CheckpointId{1});
    REQUIRE(fs::PublishFile(files, location + "/state", "x").ok());
    REQUIRE(storage->WriteMetadata(location, SampleMetadata()).ok());
    files.PowerCutAt(site);
    const bool ok = storage->RemoveLocation(location).ok();
    const bool fired = files.has_fired();
    INFO("site " << site << ": " << files.fired_at());
    files.Crash(site % (files.unsynced_change_count() + 1));
    if (storage->ReadMetadata(location).ok()) {
      CHECK_FALSE(ok);
      CHECK(files.Stat(location + "/state").ok());
    }
    CHECK(storage->RemoveLocation(location).ok());
    CHECK(absl::IsNotFound(files.Stat(location).status()));
    if (!fired) break;
  }
}

TEST_CASE("Discard deletes files, spares inline streams and the directory", "[checkpoint][unit]") {
  FaultyFs files;
  const auto storage = OnFiles(files);
  const std::string location = *storage->MakeLocation(CheckpointId{1});
  REQUIRE(fs::PublishFile(files, location + "/a", "x").ok());
  REQUIRE(fs::PublishFile(files, location + "/b", "x").ok());
  REQUIRE(fs::PublishFile(files, "/cp/c", "x").ok());
  CHECK(storage->Discard(location, {{"a", "", 1}, {"gone", "", 1}, {"", "x", 1}, {"/cp/c", "", 1}})
            .ok());
  CHECK(files.List(location)->size() == 1);
  CHECK(absl::IsNotFound(files.Stat("/cp/c").status()));
}

TEST_CASE("Savepoints get a fresh directory of their own", "[checkpoint][unit]") {
  FaultyFs files;
  const auto storage = OnFiles(files);
  const JobId job{0x1234567800000000, 1};
  const std::string first = *storage->MakeSavepointLocation(job, "");
  const std::string second = *storage->MakeSavepointLocation(job, "/elsewhere");
  CHECK(first.rfind("/cp/savepoint-12345678-", 0) == 0);
  CHECK(second.rfind("/elsewhere/savepoint-12345678-", 0) == 0);
  CHECK(files.Stat(second)->is_directory);
}

TEST_CASE("Memory storage keeps metadata until its location goes", "[checkpoint][unit]") {
  MemoryCheckpointStorage storage;
  const std::string location = *storage.MakeLocation(CheckpointId{1});
  CHECK(absl::IsNotFound(storage.ReadMetadata(location).status()));
  REQUIRE(storage.WriteMetadata(location, SampleMetadata()).ok());
  CHECK(*storage.ReadMetadata(location) == SampleMetadata());
  REQUIRE(storage.RemoveLocation(location).ok());
  CHECK(absl::IsNotFound(storage.ReadMetadata(location).status()));
}

}  // namespace
}  // namespace weir::checkpoint
