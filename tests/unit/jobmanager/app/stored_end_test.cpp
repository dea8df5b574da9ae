// What must hold: wherever the end of a job is cut off, the next process comes to the same end and
// leaves nothing, or the job can still run.
#include <memory>
#include <string>

#include <catch2/catch.hpp>

#include "common/coordination/file/file_stores.h"
#include "common/testing/faulty_fs.h"
#include "jobmanager/app/cluster_stores.h"
#include "tests/unit/jobmanager/dispatcher/dispatcher_world.h"

namespace weir::dispatcher {
namespace {

using job::JobState;

// The processes of one cluster, over files. `world`: all but the stores, for one process.
class FileCluster {
 public:
  FileCluster() { world_.dispatcher.reset(); }

  // Another process takes over. False: the disk fails.
  bool Begin() {
    End();
    auto log = coordination::FileCoordination::Open(files, "/ha", "test", ++seed_);
    if (!log.ok()) return false;
    log_ = *std::move(log);
    graphs_ = std::make_unique<coordination::FileJobGraphStore>(*log_);
    results_ = std::make_unique<coordination::FileJobResultStore>(*log_);
    stores_ = std::make_unique<jobmanager::ClusterStores>(files, "/chk", log_.get(), ++seed_);
    const DispatcherServices services{world_.clock, world_.timers, world_.io,     world_.loop,
                                      world_.tasks, world_.tasks,  world_.events, world_.slots,
                                      *graphs_,     *results_,     *stores_,      world_.cluster};
    world_.dispatcher = std::make_unique<Dispatcher>(
        DispatcherOptions{.version = "test", .epoch = log_->epoch(), .seed = ++seed_}, services,
        DispatcherObserver{});
    return world_.Start().ok();
  }
  void End() {
    world_.dispatcher.reset();
    world_.Settle();
    world_.tasks.deployed.clear();
    log_.reset();
  }

  // Takes a checkpoint to its end.
  void Checkpoint(JobId id) {
    world_.tasks.triggered.clear();
    world_.dispatcher->TriggerCheckpoint(id.ToString(), [](const absl::StatusOr<CheckpointId>&) {});
    world_.Settle();
    REQUIRE_FALSE(world_.tasks.triggered.empty());
    const rpc::JobDeployment deployment = world_.tasks.deployed.at(id);
    for (const rpc::TaskDeployment& task : deployment.tasks) {
      checkpoint::AckFacts ack;
      ack.sender = {id, deployment.epoch, task.attempt};
      ack.id = world_.tasks.triggered.front();
      world_.events.OnAck(std::move(ack));
    }
    world_.Settle();
  }
  // Its directory, with or without checkpoints in it.
  bool HasDirectory(JobId id) { return files.Stat("/chk/" + id.ToString()).ok(); }
  bool IsStored(JobId id) const { return log_->State().jobs().contains(id); }
  DispatcherWorld& world() { return world_; }

  testing::FaultyFs files;

 private:
  DispatcherWorld world_;
  uint64_t seed_ = 10;
  std::unique_ptr<coordination::FileCoordination> log_;
  std::unique_ptr<coordination::FileJobGraphStore> graphs_;
  std::unique_ptr<coordination::FileJobResultStore> results_;
  std::unique_ptr<jobmanager::ClusterStores> stores_;
};

constexpr char kSettings[] = "{parallelism: 1, checkpointing: {interval: 1h, on_cancel: delete}}";

JobId RunningJob(FileCluster& cluster) {
  REQUIRE(cluster.Begin());
  const JobId id = cluster.world().MustSubmit(JobText("numbers", kSettings));
  cluster.world().RunTasks(id);
  cluster.Checkpoint(id);
  cluster.Checkpoint(id);
  REQUIRE(cluster.HasDirectory(id));
  return id;
}

TEST_CASE("The newest checkpoint of a former process is shown", "[app][unit]") {
  FileCluster cluster;
  const JobId id = RunningJob(cluster);
  const JobSummary before = cluster.world().dispatcher->Describe("numbers")->summary;
  cluster.world().clock.Advance(absl::Minutes(7));
  REQUIRE(cluster.Begin());
  const JobSummary after = cluster.world().dispatcher->Describe(id.ToString())->summary;
  CHECK(after.completed == CheckpointId{2});
  CHECK(after.completed_at == before.completed_at);
  CHECK(after.restored == CheckpointId{2});
  CHECK(after.checkpoints_completed == 0);
}

TEST_CASE("A job without checkpoints leaves no directory, whatever its end", "[app][unit]") {
  for (const absl::Status& end : {absl::OkStatus(), absl::InternalError("boom")}) {
    FileCluster cluster;
    REQUIRE(cluster.Begin());
    const JobId id = cluster.world().MustSubmit(JobText("numbers"));
    CHECK(cluster.HasDirectory(id));
    cluster.world().EndTasks(id, end);
    CHECK_FALSE(cluster.HasDirectory(id));
    CHECK(cluster.files.Stat("/chk").ok());
  }
}

TEST_CASE("A failed job keeps its checkpoints", "[app][unit]") {
  FileCluster cluster;
  const JobId id = RunningJob(cluster);
  cluster.world().EndTasks(id, absl::InvalidArgumentError("boom"));
  CHECK(cluster.world().StateOf(id) == JobState::kFailed);
  CHECK(cluster.files.Stat("/chk/" + id.ToString() + "/chk-2").ok());
}

TEST_CASE("Wherever power is cut at a job's end, the next process finishes it", "[app][unit]") {
  bool has_fired = true;
  bool ever_ran_again = false;
  bool ever_cleaned_up = false;
  for (uint64_t site = 1; has_fired; ++site) {
    FileCluster cluster;
    const JobId id = RunningJob(cluster);
    cluster.files.PowerCutAt(site);
    cluster.world().EndTasks(id, absl::OkStatus());
    has_fired = cluster.files.has_fired();
    CAPTURE(site, cluster.files.fired_at());
    cluster.End();
    cluster.files.Crash(site % (cluster.files.unsynced_change_count() + 1));

    const bool was_left = cluster.HasDirectory(id);
    REQUIRE(cluster.Begin());
    const JobState state = cluster.world().StateOf(id);
    if (state == JobState::kFinished) {
      CHECK_FALSE(cluster.HasDirectory(id));
      CHECK_FALSE(cluster.IsStored(id));
      ever_cleaned_up = ever_cleaned_up || was_left;
    } else {
      CHECK(state == JobState::kRunning);
      CHECK(cluster.world().tasks.deployed.at(id).restored == CheckpointId{2});
      ever_ran_again = true;
    }
  }
  CHECK(ever_ran_again);
  CHECK(ever_cleaned_up);
}

TEST_CASE("Wherever power is cut after a cancel was answered, the job ends CANCELED",
          "[app][unit]") {
  bool has_fired = true;
  for (uint64_t site = 1; has_fired; ++site) {
    FileCluster cluster;
    const JobId id = RunningJob(cluster);
    cluster.files.PowerCutAt(site);
    bool is_accepted = false;
    cluster.world().dispatcher->Cancel(
        "numbers", [&](const absl::StatusOr<JobSummary>& answer) { is_accepted = answer.ok(); });
    cluster.world().Settle();
    if (is_accepted) cluster.world().EndCancelled(id);
    has_fired = cluster.files.has_fired();
    CAPTURE(site, cluster.files.fired_at(), is_accepted);
    cluster.End();
    cluster.files.Crash(site % (cluster.files.unsynced_change_count() + 1));

    REQUIRE(cluster.Begin());
    const JobState state = cluster.world().StateOf(id);
    if (is_accepted) REQUIRE(state == JobState::kCanceled);
    if (state != JobState::kCanceled) continue;
    CHECK(cluster.world().tasks.deployed.empty());
    CHECK_FALSE(cluster.HasDirectory(id));
    CHECK_FALSE(cluster.IsStored(id));
  }
}

}  // namespace
}  // namespace weir::dispatcher
