// What a restart finds in a state directory: after damage, and after power was cut anywhere.
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include <catch2/catch.hpp>

#include "common/checkpoint/file_storage.h"
#include "common/coordination/state_dir/state_dir_coordination.h"
#include "common/fs/path.h"
#include "common/testing/faulty_fs.h"
#include "tests/unit/common/coordination/coordination_harness.h"

namespace weir::coordination {
namespace {

using checkpoint::StoreOutcome;
using testing::Fault;
using testing::FaultyFs;

// One process using the directory.
struct Process {
  static absl::StatusOr<std::unique_ptr<Process>> Start(FaultyFs& files,
                                                        const RecoverOptions& options) {
    auto directory = StateDirectory::Open(files, "/state", "test");
    if (!directory.ok()) return directory.status();
    auto process = std::make_unique<Process>(files, *std::move(directory));
    absl::Status status = process->counter.Start();
    if (status.ok()) status = process->directory->RemoveOrphans().status();
    if (!status.ok()) return status;
    auto recovered = process->store.Recover(options);
    if (!recovered.ok()) return recovered.status();
    process->recovered = *std::move(recovered);
    return process;
  }
  Process(FaultyFs& files, std::unique_ptr<StateDirectory> opened)
      : directory(std::move(opened)),
        storage(files, "/state", *checkpoint::CheckStreamOptions({}), next_seed++),
        store(*directory, storage, {.retained = 2}),
        counter(*directory, kNoCheckpoint) {}

  // Takes one checkpoint as the coordinator would.
  AddResult Checkpoint() {
    const auto id = counter.GetAndIncrement();
    REQUIRE(id.ok());
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
  std::unique_ptr<StateDirectory> directory;
  checkpoint::FileCheckpointStorage storage;
  StateDirCompletedCheckpointStore store;
  StateDirCheckpointIdCounter counter;
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
      tried = (*process)->last_id;
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
      CHECK(added.outcome != StoreOutcome::kUnknown);
      process.reset();
      files.Crash();

      const auto next = Process::Start(files, {});
      if (next.ok()) {
        const int64_t id = ToInt((*next)->recovered.newest->id);
        CHECK(id == (added.outcome == StoreOutcome::kStored ? 2 : 1));
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

TEST_CASE("An unknown outcome is settled by reading back", "[coordination][unit]") {
  FaultyFs files;
  const auto process = MustStart(files);
  // The directory sync after the rename of the metadata is the last operation of an add.
  REQUIRE(process->Checkpoint().outcome == StoreOutcome::kStored);
  files.ClearFaults();
  REQUIRE(process->Checkpoint().outcome == StoreOutcome::kStored);
  const uint64_t operations = files.operation_count();
  files.FailAt(operations, Fault::kIoError);
  const AddResult added = process->Checkpoint();
  INFO(files.fired_at());
  REQUIRE(added.outcome == StoreOutcome::kUnknown);
  CHECK(process->store.Latest()->id == CheckpointId{2});
  files.FailAt(1, Fault::kIoError);
  CHECK(process->store.ReadBack(CheckpointId{3}).outcome == StoreOutcome::kUnknown);
  files.ClearFaults();
  CHECK(process->store.ReadBack(CheckpointId{3}).outcome == StoreOutcome::kStored);
  CHECK(process->store.Latest()->id == CheckpointId{3});
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
    CHECK(*process->counter.Get() == CheckpointId{3});
  }
  // What was passed over is never chosen again, even without leave to fall back.
  files.Crash();
  const auto process = MustStart(files);
  CHECK(process->recovered.newest->id == CheckpointId{1});
  CHECK(*process->counter.Get() == CheckpointId{3});
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
        "the damaged files from a copy, or start the job anew: with another state directory and an "
        "empty output directory for each file sink");
  CHECK(files.Stat("/state/chk-2").ok());
}

TEST_CASE("A disk that cannot be read just now is not passed over", "[coordination][unit]") {
  FaultyFs files;
  {
    const auto process = MustStart(files);
    REQUIRE(process->Checkpoint().outcome == StoreOutcome::kStored);
    REQUIRE(process->Checkpoint().outcome == StoreOutcome::kStored);
  }
  for (uint64_t site = 1;; ++site) {
    files.FailAt(site, Fault::kFullDisk);
    const auto process = Process::Start(files, {.fallback = Fallback::kAllowed});
    if (!files.has_fired()) break;
    INFO(files.fired_at());
    if (process.ok()) CHECK((*process)->recovered.newest->id == CheckpointId{2});
    files.KillProcess();
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
      JobResult result;
      result.id = {1, 2};
      ended = process->directory->WriteResult(result).ok();
      if (ended) (void)process->store.Shutdown(JobEnd::kFinished);
    }
    const bool fired = files.has_fired();
    INFO("site " << site << ": " << files.fired_at());
    files.Crash(site % (files.unsynced_change_count() + 1));
    const auto directory = StateDirectory::Open(files, "/state", "test");
    REQUIRE(directory.ok());
    const auto result = (*directory)->ReadResult();
    REQUIRE(result.ok());
    // Either the job has ended, or it can still go on from its checkpoint.
    if (ended) CHECK(result->has_value());
    if (!result->has_value()) CHECK((*directory)->PublishedIds()->size() == 1);
    if (!fired) break;
  }
}

}  // namespace
}  // namespace weir::coordination
