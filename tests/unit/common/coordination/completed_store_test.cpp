// What every CompletedCheckpointStore must do.
#include <memory>
#include <vector>

#include <catch2/catch.hpp>

#include "common/checkpoint/file_storage.h"
#include "common/checkpoint/memory_storage.h"
#include "common/coordination/completed_checkpoint_store.h"
#include "common/coordination/file/file_checkpoint_store.h"
#include "common/coordination/memory/memory_coordination.h"
#include "common/testing/faulty_fs.h"
#include "tests/unit/common/coordination/coordination_harness.h"

namespace weir::coordination {
namespace {

using checkpoint::StoreOutcome;
using Ids = std::vector<int64_t>;

struct InMemory {
  checkpoint::MemoryCheckpointStorage storage;
  std::unique_ptr<CompletedCheckpointStore> Make(RetentionOptions retention) {
    return std::make_unique<MemoryCompletedCheckpointStore>(storage, retention);
  }
};

struct InFile {
  testing::FaultyFs files;
  std::unique_ptr<FileCoordination> coordination = *FileCoordination::Open(files, "/ha", "test", 3);
  checkpoint::FileCheckpointStorage storage{files, "/state", *checkpoint::CheckStreamOptions({}),
                                            7};
  std::unique_ptr<CompletedCheckpointStore> Make(RetentionOptions retention) {
    return std::make_unique<FileCompletedCheckpointStore>(*coordination, files, JobId{1, 2},
                                                          "/state", storage, retention);
  }
};

template <class Place>
AddResult AddTo(CompletedCheckpointStore& store, Place& place, int64_t id) {
  const std::string location = *place.storage.MakeLocation(CheckpointId{id});
  const auto stream = WriteState(place.storage, location, id);
  REQUIRE(stream.ok());
  return store.Add(location, SmallMetadata(id, *stream));
}

Ids IdsOf(const CompletedCheckpointStore& store) {
  Ids ids;
  for (const CheckpointId id : store.ListedIds()) ids.push_back(ToInt(id));
  return ids;
}

TEMPLATE_TEST_CASE("A store starts empty and its latest follows", "[coordination][unit]", InMemory,
                   InFile) {
  TestType place;
  const auto store = place.Make({.retained = 4});
  REQUIRE(store->Recover({}).ok());
  CHECK_FALSE(store->Latest().has_value());
  for (const int64_t id : {1, 2, 4}) {
    CHECK(AddTo(*store, place, id).outcome == StoreOutcome::kStored);
    CHECK(store->Latest()->id == CheckpointId{id});
    CHECK(store->Latest()->metadata->triggered_at == absl::FromUnixSeconds(id));
  }
  CHECK(IdsOf(*store) == Ids{1, 2, 4});
}

TEMPLATE_TEST_CASE("The newest are retained and the older ones removed", "[coordination][unit]",
                   InMemory, InFile) {
  TestType place;
  const auto store = place.Make({.retained = 1});
  REQUIRE(store->Recover({}).ok());
  for (int64_t id = 1; id <= 4; ++id) {
    CHECK(AddTo(*store, place, id).outcome == StoreOutcome::kStored);
    CHECK(IdsOf(*store) == Ids{id});
    if (id > 1) {
      const std::string older = *place.storage.MakeLocation(CheckpointId{id - 1});
      CHECK(absl::IsNotFound(place.storage.ReadMetadata(older).status()));
      CHECK(place.storage.RemoveLocation(older).ok());
    }
  }
}

TEMPLATE_TEST_CASE("Retaining none retains one", "[coordination][unit]", InMemory, InFile) {
  TestType place;
  const auto store = place.Make({.retained = 0});
  REQUIRE(store->Recover({}).ok());
  AddTo(*store, place, 1);
  CHECK(IdsOf(*store) == Ids{1});
}

TEMPLATE_TEST_CASE("A lower id that comes late does not push out the newest",
                   "[coordination][unit]", InMemory, InFile) {
  TestType place;
  const auto store = place.Make({.retained = 1});
  REQUIRE(store->Recover({}).ok());
  AddTo(*store, place, 2);
  CHECK(AddTo(*store, place, 1).outcome == StoreOutcome::kStored);
  CHECK(IdsOf(*store) == Ids{2});
  CHECK(store->Latest()->id == CheckpointId{2});
}

TEMPLATE_TEST_CASE("Every add after shutdown is refused", "[coordination][unit]", InMemory,
                   InFile) {
  TestType place;
  const auto store = place.Make({});
  REQUIRE(store->Recover({}).ok());
  REQUIRE(store->Shutdown(JobEnd::kSuspended).ok());
  CHECK(AddTo(*store, place, 1).outcome == StoreOutcome::kRefused);
}

TEMPLATE_TEST_CASE("Reading back tells listed from not listed", "[coordination][unit]", InMemory,
                   InFile) {
  TestType place;
  const auto store = place.Make({});
  REQUIRE(store->Recover({}).ok());
  AddTo(*store, place, 1);
  CHECK(store->ReadBack(CheckpointId{1}).outcome == StoreOutcome::kStored);
  CHECK(store->ReadBack(CheckpointId{2}).outcome == StoreOutcome::kRefused);
}

TEMPLATE_TEST_CASE("A newest that turned out unreadable is passed over when allowed",
                   "[coordination][unit]", InMemory, InFile) {
  TestType place;
  const auto store = place.Make({});
  REQUIRE(store->Recover({}).ok());
  for (const int64_t id : {1, 2, 3}) AddTo(*store, place, id);
  const auto recovered = store->Recover({Fallback::kAllowed, CheckpointId{2}});
  REQUIRE(recovered.ok());
  CHECK(recovered->newest->id == CheckpointId{1});
  REQUIRE(recovered->skipped.size() == 2);
  CHECK(recovered->skipped[0].id == CheckpointId{3});
  CHECK(IdsOf(*store) == Ids{1});
}

TEST_CASE("A finished job removes its checkpoints, others keep them as told",
          "[coordination][unit]") {
  struct Case {
    JobEnd end;
    bool delete_on_cancel;
    bool kept;
  };
  for (const Case& c : {Case{JobEnd::kFinished, false, false}, Case{JobEnd::kFailed, true, true},
                        Case{JobEnd::kSuspended, true, true}, Case{JobEnd::kCanceled, false, true},
                        Case{JobEnd::kCanceled, true, false}}) {
    INFO(ToString(c.end) << " " << c.delete_on_cancel);
    InFile place;
    const auto store = place.Make({.retained = 2, .delete_on_cancel = c.delete_on_cancel});
    REQUIRE(store->Recover({}).ok());
    for (const int64_t id : {1, 2, 3}) AddTo(*store, place, id);
    REQUIRE(store->Shutdown(c.end).ok());
    const auto next = place.Make({});
    REQUIRE(next->Recover({}).ok());
    CHECK(IdsOf(*next).size() == (c.kept ? 2 : 0));
    CHECK(place.files.Stat("/state/chk-3").ok() == c.kept);
  }
}

TEST_CASE("A list may be moved with its checkpoints", "[coordination][unit]") {
  InFile place;
  const auto store = place.Make({});
  REQUIRE(store->Recover({}).ok());
  for (const int64_t id : {1, 2}) AddTo(*store, place, id);
  REQUIRE(place.files.Rename("/state", "/elsewhere").ok());
  checkpoint::FileCheckpointStorage storage(place.files, "/elsewhere",
                                            *checkpoint::CheckStreamOptions({}), 8);
  FileCompletedCheckpointStore moved(*place.coordination, place.files, JobId{1, 2}, "/elsewhere",
                                     storage, {});
  const auto recovered = moved.Recover({});
  REQUIRE(recovered.ok());
  CHECK(recovered->newest->location == "/elsewhere/chk-2");
}

}  // namespace
}  // namespace weir::coordination
