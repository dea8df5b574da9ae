// What must hold: what was answered with OK is there after any crash; what was refused is not; a
// leader that was followed by another writes nothing more, however late it wakes.
#include "common/coordination/file/file_coordination.h"

#include <set>

#include <absl/strings/str_cat.h>
#include <catch2/catch.hpp>

#include "common/coordination/file/file_stores.h"
#include "common/fs/whole_file.h"
#include "common/testing/faulty_fs.h"

namespace weir::coordination {
namespace {

using Leader = std::unique_ptr<FileCoordination>;

absl::StatusOr<Leader> Lead(testing::FaultyFs& files) {
  static uint64_t seed = 0;
  return FileCoordination::Open(files, "/ha", "test", ++seed);
}

StoredJob JobOf(uint64_t number) {
  return {
      .id = {1, number}, .name = absl::StrCat("job-", number), .submitted_at = absl::UnixEpoch()};
}

std::set<uint64_t> NumbersOf(const FileCoordination& leader) {
  std::set<uint64_t> numbers;
  const CoordinationState state = leader.State();
  for (const auto& [id, job] : state.jobs()) numbers.insert(id.low);
  return numbers;
}

TEST_CASE("A second process does not lead while the first one does", "[coordination][unit]") {
  testing::FaultyFs files;
  absl::StatusOr<Leader> first = Lead(files);
  REQUIRE(first.ok());
  const absl::Status refused = Lead(files).status();
  CHECK(absl::IsFailedPrecondition(refused));
  CHECK(refused.message() ==
        "/ha/lock is locked by test; stop that process, or use another directory");
  const uint64_t epoch = (*first)->epoch();
  first->reset();
  const absl::StatusOr<Leader> second = Lead(files);
  REQUIRE(second.ok());
  CHECK((*second)->epoch() > epoch);
}

TEST_CASE("A leader whose lock was lost is fenced by the log", "[coordination][unit]") {
  testing::FaultyFs files;
  const auto old = RecordLog::Lead(files, "/log", 1, "first");
  REQUIRE(old.ok());
  const auto next = RecordLog::Lead(files, "/log", 2, "second");
  REQUIRE(next.ok());
  CHECK((*next)->epoch() > (*old)->epoch());
  SECTION("before the new one has written") {
    CHECK(absl::IsAborted((*old)->Append(RecordLog::Kind::kChange, "late")));
    CHECK((*next)->Append(RecordLog::Kind::kChange, "kept").ok());
  }
  SECTION("after compaction freed the very name it would take") {
    for (int i = 0; i < 5; ++i) {
      REQUIRE((*next)->Append(RecordLog::Kind::kChange, "kept").ok());
    }
    REQUIRE((*next)->Append(RecordLog::Kind::kSnapshot, "all").ok());
    (*next)->Compact((*next)->newest());
    CHECK(absl::IsAborted((*old)->Append(RecordLog::Kind::kChange, "late")));
    const auto records = (*next)->Read();
    REQUIRE(records.ok());
    REQUIRE(records->size() == 1);
    CHECK(records->front().payload == "all");
  }
  CHECK(absl::IsAborted((*old)->Append(RecordLog::Kind::kChange, "later")));
}

TEST_CASE("A leader whose directory was replaced by another one stops", "[coordination][unit]") {
  testing::FaultyFs files;
  const auto old = RecordLog::Lead(files, "/log", 1, "first");
  REQUIRE(old.ok());
  for (int i = 0; i < 5; ++i) REQUIRE((*old)->Append(RecordLog::Kind::kChange, "x").ok());
  REQUIRE(files.RemoveTree("/log").ok());
  const auto next = RecordLog::Lead(files, "/log", 2, "second");
  REQUIRE(next.ok());
  CHECK(absl::IsAborted((*old)->Append(RecordLog::Kind::kChange, "late")));
}

// Every place at which the disk can fail or power can be lost, one after the other.
TEST_CASE("What was answered survives a fault at any operation", "[coordination][unit]") {
  const testing::Fault fault = GENERATE(testing::Fault::kPowerCut, testing::Fault::kFullDisk,
                                        testing::Fault::kIoError, testing::Fault::kShortWrite);
  constexpr uint64_t kJobs = 4;
  bool has_fired = true;
  for (uint64_t site = 1; has_fired; ++site) {
    for (const uint64_t changes_kept : {uint64_t{0}, uint64_t{1}, uint64_t{100}}) {
      testing::FaultyFs files;
      files.FailAt(site, fault);
      std::set<uint64_t> stored;
      std::set<uint64_t> maybe;
      absl::StatusOr<Leader> leader = Lead(files);
      for (uint64_t number = 1; leader.ok() && number <= kJobs; ++number) {
        FileJobGraphStore store(**leader);
        const absl::Status put = store.Put(JobOf(number));
        if (put.ok()) stored.insert(number);
        if (absl::IsAborted(put)) maybe.insert(number);
      }
      has_fired = files.has_fired();
      CAPTURE(site, changes_kept, files.fired_at());
      if (leader.ok()) leader->reset();
      files.Crash(changes_kept);
      const absl::StatusOr<Leader> next = Lead(files);
      REQUIRE(next.ok());
      const std::set<uint64_t> found = NumbersOf(**next);
      for (const uint64_t number : stored) CHECK(found.contains(number));
      for (const uint64_t number : found) {
        CHECK((stored.contains(number) || maybe.contains(number)));
      }
    }
  }
}

TEST_CASE("A snapshot takes the place of the records before it", "[coordination][unit]") {
  testing::FaultyFs files;
  {
    absl::StatusOr<Leader> leader = Lead(files);
    REQUIRE(leader.ok());
    FileJobGraphStore store(**leader);
    for (uint64_t i = 0; i < 2 * kRecordsPerSnapshot + 7; ++i) {
      REQUIRE(store.Put(JobOf(i % 3)).ok());
    }
    CHECK(files.List("/ha/log")->size() < kRecordsPerSnapshot);
  }
  const absl::StatusOr<Leader> next = Lead(files);
  REQUIRE(next.ok());
  CHECK(NumbersOf(**next) == std::set<uint64_t>{0, 1, 2});
}

TEST_CASE("A damaged or missing record is named, never passed over", "[coordination][unit]") {
  testing::FaultyFs files;
  {
    const absl::StatusOr<Leader> leader = Lead(files);
    REQUIRE(leader.ok());
    FileJobGraphStore store(**leader);
    for (uint64_t number = 1; number <= 3; ++number) REQUIRE(store.Put(JobOf(number)).ok());
  }
  const std::string path = "/ha/log/0000000000000000003";
  SECTION("missing") {
    REQUIRE(files.Remove(path).ok());
  }
  SECTION("a change of another version of Weir") {
    const std::string change(17, '\xEE');
    REQUIRE(files.Remove(path).ok());
    REQUIRE(files.Remove("/ha/log/0000000000000000004").ok());
    const auto log = RecordLog::Lead(files, "/ha/log", 99, change);
    REQUIRE((*log)->newest() == 3);
  }
  SECTION("another byte") {
    std::string bytes = *fs::ReadWholeFile(files, path, 1 << 20);
    bytes[bytes.size() / 2] = static_cast<char>(bytes[bytes.size() / 2] ^ 1);
    REQUIRE(fs::PublishFile(files, path, bytes).ok());
  }
  const absl::Status refused = Lead(files).status();
  CHECK(absl::IsDataLoss(refused));
  CHECK_THAT(std::string(refused.message()), Catch::Contains(path));
  CHECK_THAT(
      std::string(refused.message()),
      Catch::Contains("; restore that file from a copy, or start with an empty directory "
                      "instead of /ha: what it knew of jobs is lost then, so give them again, "
                      "with an empty output directory for each file sink"));
}

TEST_CASE("Ids go on above what any process may have given out", "[coordination][unit]") {
  testing::FaultyFs files;
  std::set<int64_t> given;
  for (int life = 0; life < 3; ++life) {
    const absl::StatusOr<Leader> leader = Lead(files);
    REQUIRE(leader.ok());
    FileCheckpointIdCounter counter(**leader, {1, 2});
    REQUIRE(counter.Start().ok());
    for (int i = 0; i < 50; ++i) {
      const auto id = counter.GetAndIncrement();
      REQUIRE(id.ok());
      CHECK(given.insert(ToInt(*id)).second);
      CHECK(ToInt(*id) == *given.rbegin());
    }
  }
}

}  // namespace
}  // namespace weir::coordination
