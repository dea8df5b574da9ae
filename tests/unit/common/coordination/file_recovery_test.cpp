// What a restart finds in a job's directory: after damage, and after power was cut anywhere.
#include <algorithm>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include <catch2/catch.hpp>

#include "common/checkpoint/file_storage.h"
#include "common/coordination/file/file_checkpoint_store.h"
#include "common/coordination/file/file_stores.h"
#include "common/fs/path.h"
#include "common/testing/faulty_fs.h"
#include "tests/unit/common/coordination/coordination_harness.h"

namespace weir::coordination {
namespace {

using checkpoint::StoreOutcome;
using testing::Fault;
using testing::FaultyFs;

constexpr JobId kJob{1, 2};

// One process using the directory.
struct Process {
  static absl::StatusOr<std::unique_ptr<Process>> Start(FaultyFs& files,
                                                        const RecoverOptions& options) {
    auto coordination = FileCoordination::Open(files, "/state", "test", next_seed++);
    if (!coordination.ok()) return coordination.status();
    auto process = std::make_unique<Process>(files, *std::move(coordination));
    const absl::Status started = process->counter.Start();
    if (!started.ok()) return started;
    auto recovered = process->store.Recover(options);
    if (!recovered.ok()) return recovered.status();
    process->recovered = *std::move(recovered);
    return process;
  }
  Process(FaultyFs& files, std::unique_ptr<FileCoordination> opened)
      : coordination(std::move(opened)),
        storage(files, "/state", *checkpoint::CheckStreamOptions({}), next_seed++),
        store(*coordination, files, kJob, "/state", storage, {.retained = 2}),
        counter(*coordination, kJob) {}

  // Takes one checkpoint as the coordinator would.
  AddResult Checkpoint() {
    const auto id = counter.GetAndIncrement();
    if (!id.ok()) return {StoreOutcome::kRefused, id.status()};
    last_id = ToInt(*id);
    const auto location = storage.MakeLocation(*id);
    if (!location.ok()) return {StoreOutcome::kRefused, location.status()};
    const auto stream = WriteState(storage, *location, last_id);
    if (!stream.ok()) return {StoreOutcome::kRefused, stream.status()};
    return store.Add(*location, SmallMetadata(last_id, *stream));
  }
  // The state of the recovered checkpoint, read through its handles.
  std::string RecoveredState() const {
    const CompletedCheckpoint& newest = *recovered.newest;
    const auto& state = newest.metadata->operators[0].subtasks[0].state;
    const auto input = const_cast<checkpoint::FileCheckpointStorage&>(storage)
                           .InputsAt(newest.location)
                           ->Open(state.operator_managed[0].stream);
    REQUIRE(input.ok());
    std::string bytes;
    REQUIRE((*input)->Read((*input)->Size(), &bytes).ok());
    return bytes;
  }

  static uint64_t next_seed;
  std::unique_ptr<FileCoordination> coordination;
  checkpoint::FileCheckpointStorage storage;
  FileCompletedCheckpointStore store;
  FileCheckpointIdCounter counter;
  Recovered recovered;
  int64_t last_id = 0;
};
uint64_t Process::next_seed = 1;

std::unique_ptr<Process> MustStart(FaultyFs& files, const RecoverOptions& options = {}) {
  auto process = Process::Start(files, options);
  REQUIRE(process.ok());
  return *std::move(process);
}

std::string FileOf(const CompletedCheckpoint& checkpoint) {
  return fs::JoinPath(
      checkpoint.location,
      checkpoint.metadata->operators[0].subtasks[0].state.operator_managed[0].stream.path);
}

TEST_CASE("Wherever power is cut, the newest durable checkpoint comes back whole",
          "[coordination][unit]") {
  uint64_t sites = 0;
  for (uint64_t site = 1;; ++site) {
    FaultyFs files;
    int64_t stored_before = 0;
    {
      const auto process = MustStart(files);
      REQUIRE(process->Checkpoint().outcome == StoreOutcome::kStored);
      REQUIRE(process->Checkpoint().outcome == StoreOutcome::kStored);
      stored_before = 2;
    }
    files.PowerCutAt(site);
    int64_t stored = stored_before;
    int64_t tried = stored_before;
    const auto process = Process::Start(files, {});
    for (int i = 0; process.ok() && i < 3; ++i) {
      const AddResult added = (*process)->Checkpoint();
      tried = std::max(tried, (*process)->last_id);
      if (added.outcome == StoreOutcome::kStored) stored = tried;
    }
    const bool fired = files.has_fired();
    INFO("site " << site << ": " << files.fired_at());
    files.Crash(site % (files.unsynced_change_count() + 1));

    const auto next = MustStart(files);
    REQUIRE(next->recovered.newest.has_value());
    const int64_t id = ToInt(next->recovered.newest->id);
    CHECK(id >= stored);
    CHECK(id <= tried);
    CHECK(next->RecoveredState() == StateBytesOf(id));
    CHECK(next->recovered.skipped.empty());
    CHECK(next->Checkpoint().outcome == StoreOutcome::kStored);
    CHECK(next->last_id > id);
    sites = site;
    if (!fired) break;
  }
  CHECK(sites > 50);
}

TEST_CASE("Wherever an operation fails, nothing garbled is ever recovered",
          "[coordination][unit]") {
  for (const Fault fault :
       {Fault::kFullDisk, Fault::kIoError, Fault::kShortWrite, Fault::kFlippedBit}) {
    for (uint64_t site = 1;; ++site) {
      FaultyFs files;
      auto process = MustStart(files);
      REQUIRE(process->Checkpoint().outcome == StoreOutcome::kStored);
      files.FailAt(site, fault);
      AddResult added = process->Checkpoint();
      const bool fired = files.has_fired();
      INFO("fault " << static_cast<int>(fault) << " site " << site << ": " << files.fired_at());
      files.ClearFaults();
      if (added.outcome == StoreOutcome::kUnknown) {
        added = process->store.ReadBack(CheckpointId{process->last_id});
      }
      const bool is_known = added.outcome != StoreOutcome::kUnknown;
      // Nothing is left open but by what failed after the record was written.
      if (!is_known) CHECK_FALSE(process->coordination->Leads());
      process.reset();
      files.Crash();

      const auto next = Process::Start(files, {});
      if (next.ok()) {
        const int64_t id = ToInt((*next)->recovered.newest->id);
        if (is_known) CHECK(id == (added.outcome == StoreOutcome::kStored ? 2 : 1));
        CHECK((id == 1 || id == 2));
        // A bit flipped in the state is found by the blocks inside, which this state has not.
        if (fault != Fault::kFlippedBit) CHECK((*next)->RecoveredState() == StateBytesOf(id));
      } else {
        CHECK(fault == Fault::kFlippedBit);
        CHECK(absl::IsDataLoss(next.status()));
      }
      if (!fired) break;
    }
  }
}

TEST_CASE("Whether a checkpoint is listed is for the next leader to say if it cannot be known",
          "[coordination][unit]") {
  FaultyFs files;
  {
    const auto process = MustStart(files);
    REQUIRE(process->Checkpoint().outcome == StoreOutcome::kStored);
    files.ClearFaults();
    REQUIRE(process->Checkpoint().outcome == StoreOutcome::kStored);
    // After the link of a record come the directory's sync, its listing and the removal of its
    // temporary.
    const uint64_t operations = files.operation_count();
    files.FailAt(operations - 2, Fault::kIoError);
    const AddResult added = process->Checkpoint();
    INFO(files.fired_at());
    REQUIRE(added.outcome == StoreOutcome::kUnknown);
    CHECK(process->store.Latest()->id == CheckpointId{2});
    files.ClearFaults();
    CHECK(process->store.ReadBack(CheckpointId{3}).outcome == StoreOutcome::kUnknown);
    CHECK(process->store.ReadBack(CheckpointId{2}).outcome == StoreOutcome::kStored);
    CHECK(process->Checkpoint().outcome != StoreOutcome::kStored);
  }
  const auto next = MustStart(files);
  CHECK(next->recovered.newest->id >= CheckpointId{2});
  CHECK(next->RecoveredState() == StateBytesOf(ToInt(next->recovered.newest->id)));
}

TEST_CASE("An unreadable newest checkpoint is an error that names files and older ones",
          "[coordination][unit]") {
  FaultyFs files;
  std::string damaged;
  {
    const auto process = MustStart(files);
    REQUIRE(process->Checkpoint().outcome == StoreOutcome::kStored);
    REQUIRE(process->Checkpoint().outcome == StoreOutcome::kStored);
    damaged = FileOf(*process->store.Latest());
  }
  SECTION("truncated metadata") {
    damaged = "/state/chk-2/_metadata";
    files.Truncate(damaged, 100);
  }
  SECTION("flipped bit in the metadata") {
    damaged = "/state/chk-2/_metadata";
    files.FlipBit(damaged, 77);
  }
  SECTION("short state file") {
    files.Truncate(damaged, 100);
  }
  SECTION("missing state file") {
    REQUIRE(files.Remove(damaged).ok());
  }

  const absl::Status refused = Process::Start(files, {}).status();
  CHECK(absl::IsDataLoss(refused));
  CHECK(refused.message().find(damaged) != absl::string_view::npos);
  CHECK(refused.message().find("older ones: chk-1;") != absl::string_view::npos);
  CHECK(files.Stat("/state/chk-2").ok());

  {
    const auto process = MustStart(files, {.fallback = Fallback::kAllowed});
    CHECK(process->recovered.newest->id == CheckpointId{1});
    REQUIRE(process->recovered.skipped.size() == 1);
    CHECK(process->recovered.skipped[0].id == CheckpointId{2});
    CHECK(process->recovered.skipped[0].cause.message().find(damaged) != absl::string_view::npos);
    CHECK(*process->counter.Get() > CheckpointId{2});
  }
  // What was passed over is never chosen again, even without leave to fall back.
  files.Crash();
  const auto process = MustStart(files);
  CHECK(process->recovered.newest->id == CheckpointId{1});
  CHECK(*process->counter.Get() > CheckpointId{2});
  CHECK(files.Stat("/state/broken-2").ok());
}

TEST_CASE("With nothing readable left the job does not start anew by itself",
          "[coordination][unit]") {
  FaultyFs files;
  {
    const auto process = MustStart(files);
    REQUIRE(process->Checkpoint().outcome == StoreOutcome::kStored);
  }
  files.FlipBit("/state/chk-1/_metadata", 50);
  const absl::Status refused = Process::Start(files, {.fallback = Fallback::kAllowed}).status();
  CHECK(absl::IsDataLoss(refused));
  CHECK(files.Stat("/state/chk-1/_metadata").ok());
}

TEST_CASE("Where nothing is readable, each checkpoint is named with what to do",
          "[coordination][unit]") {
  FaultyFs files;
  {
    const auto process = MustStart(files);
    REQUIRE(process->Checkpoint().outcome == StoreOutcome::kStored);
    REQUIRE(process->Checkpoint().outcome == StoreOutcome::kStored);
  }
  files.Truncate("/state/chk-1/_metadata", 10);
  files.Truncate("/state/chk-2/_metadata", 10);
  const absl::Status refused = Process::Start(files, {.fallback = Fallback::kAllowed}).status();
  CHECK(absl::IsDataLoss(refused));
  CHECK(refused.message() ==
        "all 2 checkpoints of the job are damaged; checkpoint 2 in /state/chk-2: "
        "/state/chk-2/_metadata: cut short: 10 bytes are no whole record; checkpoint 1 in "
        "/state/chk-1: /state/chk-1/_metadata: cut short: 10 bytes are no whole record; restore "
        "the damaged files from a copy, or start the job anew, with an empty output directory for "
        "each file sink (a local run also with another --state-dir)");
  CHECK(files.Stat("/state/chk-2").ok());
}

TEST_CASE(
    "A checkpoint directory that is not there is waited for, and nothing is made in its place",
    "[coordination][unit]") {
  FaultyFs files;
  const auto lead = [&files] { return FileCoordination::Open(files, "/ha", "test", 1); };
  const auto storage_of = [&files] {
    return checkpoint::FileCheckpointStorage(files, "/disk/job",
                                             *checkpoint::CheckStreamOptions({}), 2);
  };
  {
    const auto coordination = *lead();
    auto storage = storage_of();
    FileCompletedCheckpointStore store(*coordination, files, kJob, "/disk/job", storage, {});
    REQUIRE(store.Recover({}).ok());
    for (const int64_t id : {1, 2}) {
      const auto location = storage.MakeLocation(CheckpointId{id});
      REQUIRE(
          store.Add(*location, SmallMetadata(id, *WriteState(storage, *location, id))).outcome ==
          StoreOutcome::kStored);
    }
  }
  const bool parent_too = GENERATE(false, true);
  if (parent_too) {
    REQUIRE(files.Rename("/disk", "/unmounted").ok());
  } else {
    REQUIRE(files.Rename("/disk/job", "/unmounted").ok());
  }
  const auto coordination = *lead();
  auto storage = storage_of();
  FileCompletedCheckpointStore store(*coordination, files, kJob, "/disk/job", storage, {});
  const absl::Status away = store.Recover({.fallback = Fallback::kAllowed}).status();
  CHECK(absl::IsUnavailable(away));
  CHECK(away.message() ==
        "the checkpoint directory /disk/job is not there; it should hold 2 checkpoints of the job: "
        "mount its disk or put the directory back, then the job goes on by itself; or cancel the "
        "job");
  CHECK(absl::IsNotFound(files.Stat("/disk/job").status()));
  CHECK(coordination->State().Checkpoints(kJob).size() == 2);
  REQUIRE(files.Rename("/unmounted", parent_too ? "/disk" : "/disk/job").ok());
  const auto recovered = store.Recover({.fallback = Fallback::kAllowed});
  REQUIRE(recovered.ok());
  CHECK(recovered->newest->id == CheckpointId{2});
  CHECK(recovered->skipped.empty());
  CHECK(files.Stat("/disk/job/chk-1").ok());
}

TEST_CASE("A disk that cannot be read just now is not passed over", "[coordination][unit]") {
  for (uint64_t site = 1;; ++site) {
    FaultyFs files;
    {
      const auto process = MustStart(files);
      REQUIRE(process->Checkpoint().outcome == StoreOutcome::kStored);
      REQUIRE(process->Checkpoint().outcome == StoreOutcome::kStored);
    }
    files.FailAt(site, Fault::kFullDisk);
    const auto process = Process::Start(files, {.fallback = Fallback::kAllowed});
    if (!files.has_fired()) break;
    INFO(files.fired_at());
    if (process.ok()) CHECK((*process)->recovered.newest->id == CheckpointId{2});
  }
}

TEST_CASE("The savepoint of a stop is found by the next start", "[coordination][unit]") {
  FaultyFs files;
  {
    const auto process = MustStart(files);
    REQUIRE(process->Checkpoint().outcome == StoreOutcome::kStored);
    const auto location = process->storage.MakeSavepointLocation({1, 2}, "/save");
    const auto stream = WriteState(process->storage, *location, 9);
    checkpoint::CheckpointMetadata metadata = SmallMetadata(9, *stream);
    metadata.kind = checkpoint::CheckpointKind::kStop;
    REQUIRE(process->store.Add(*location, metadata).outcome == StoreOutcome::kStored);
    CHECK(*process->storage.ReadMetadata(*location) == metadata);
  }
  files.Crash();
  const auto process = MustStart(files);
  CHECK(process->recovered.newest->id == CheckpointId{9});
  CHECK(process->RecoveredState() == StateBytesOf(9));
}

TEST_CASE("A result makes the end of a job last", "[coordination][unit]") {
  for (uint64_t site = 1;; ++site) {
    FaultyFs files;
    bool ended = false;
    {
      const auto process = MustStart(files);
      REQUIRE(process->Checkpoint().outcome == StoreOutcome::kStored);
      files.PowerCutAt(site);
      const EndedJob result{
          .id = kJob, .started_at = absl::UnixEpoch(), .ended_at = absl::UnixEpoch()};
      ended = FileJobResultStore(*process->coordination).Put(result).ok();
      if (ended) (void)process->store.Shutdown(JobEnd::kFinished);
    }
    const bool fired = files.has_fired();
    INFO("site " << site << ": " << files.fired_at());
    files.Crash(site % (files.unsynced_change_count() + 1));
    const auto next = MustStart(files);
    const bool has_result = !next->coordination->State().results().empty();
    // Either the job has ended, or it can still go on from its checkpoint.
    if (ended) CHECK(has_result);
    if (!has_result) CHECK(next->recovered.newest->id == CheckpointId{1});
    if (!fired) break;
  }
}

}  // namespace
}  // namespace weir::coordination
