// What must hold: a checkpoint directory is made where none can be missed, and never where the
// checkpoints of stored jobs should lie.
#include "jobmanager/app/cluster_stores.h"

#include <catch2/catch.hpp>

#include "common/coordination/file/file_stores.h"
#include "common/testing/faulty_fs.h"

namespace weir::jobmanager {
namespace {

constexpr JobId kStored{1, 2};
constexpr JobId kNew{3, 4};

// A jobmanager's stores, over a log that lists a checkpoint of a stored job if asked to.
struct World {
  explicit World(bool lists_checkpoints) {
    REQUIRE(coordination::FileJobGraphStore(*log)
                .Put({.id = kStored, .name = "old", .submitted_at = absl::UnixEpoch()})
                .ok());
    if (!lists_checkpoints) return;
    REQUIRE(log->Update([](const coordination::CoordinationState&) {
                 return std::vector<coordination::Change>{
                     coordination::CheckpointsSet{kStored, {{CheckpointId{1}, "chk-1"}}}};
               })
                .ok());
  }
  bool IsThere(const std::string& path) { return files.Stat(path).ok(); }

  testing::FaultyFs files;
  std::unique_ptr<coordination::FileCoordination> log =
      *coordination::FileCoordination::Open(files, "/ha", "test", 1);
  ClusterStores stores{files, "/disk/chk", log.get(), 2};
};

TEST_CASE("A directory in which nothing is missed is made", "[app][unit]") {
  World world(/*lists_checkpoints=*/false);
  CHECK(world.stores.PrepareDirectory().ok());
  CHECK(world.IsThere("/disk/chk"));
  CHECK(world.stores.Make(kNew, {}).ok());
  CHECK(world.IsThere("/disk/chk/" + kNew.ToString()));
}

TEST_CASE("A directory that is away is not made", "[app][unit]") {
  World world(/*lists_checkpoints=*/true);
  CHECK(world.stores.PrepareDirectory().ok());
  CHECK(world.stores.Make(kStored, {}).ok());
  const absl::Status refused = world.stores.Make(kNew, {}).status();
  CHECK(absl::IsUnavailable(refused));
  CHECK(refused.message() ==
        "the checkpoint directory /disk/chk is not there, and other jobs wait for it: mount its "
        "disk or put it back");
  CHECK_FALSE(world.IsThere("/disk"));
}

TEST_CASE("In an empty directory a stored job gets no directory of its own", "[app][unit]") {
  World world(/*lists_checkpoints=*/true);
  REQUIRE(world.files.MakeDirs("/disk/chk").ok());
  CHECK(world.stores.PrepareDirectory().ok());
  CHECK(world.stores.Make(kStored, {}).ok());
  CHECK(world.stores.Make(kNew, {}).ok());
  CHECK(world.IsThere("/disk/chk/" + kNew.ToString()));
  CHECK_FALSE(world.IsThere("/disk/chk/" + kStored.ToString()));
}

TEST_CASE("Without a directory a job with listed checkpoints waits", "[app][unit]") {
  World world(/*lists_checkpoints=*/true);
  ClusterStores unset(world.files, "", world.log.get(), 2);
  CHECK(unset.PrepareDirectory().ok());
  auto stored = unset.Make(kStored, {});
  REQUIRE(stored.ok());
  const absl::Status waits = stored->checkpoints->Recover({}).status();
  CHECK(absl::IsUnavailable(waits));
  CHECK(waits.message() ==
        "state.checkpoints.dir is not set, while the log of the cluster lists 1 checkpoint of the "
        "job: set it to what it was and start the jobmanager again, then the job goes on; or "
        "cancel the job");
  // Nothing of it is forgotten before it is cancelled.
  CHECK(world.log->State().Checkpoints(kStored).size() == 1);
  CHECK(stored->checkpoints->Shutdown(coordination::JobEnd::kSuspended).ok());
  CHECK(world.log->State().Checkpoints(kStored).size() == 1);
  // A job that left nothing behind starts as ever.
  auto fresh = unset.Make(kNew, {});
  REQUIRE(fresh.ok());
  CHECK_FALSE(fresh->checkpoints->Recover({})->newest.has_value());
}

}  // namespace
}  // namespace weir::jobmanager
