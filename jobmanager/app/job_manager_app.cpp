#include "jobmanager/app/job_manager_app.h"

#include <algorithm>
#include <unistd.h>
#include <utility>

#include <absl/strings/str_cat.h>
#include <glog/logging.h>

#include "common/base/check.h"
#include "common/base/id_source.h"
#include "common/base/random.h"
#include "common/base/status_macros.h"
#include "common/checkpoint/file_storage.h"
#include "common/checkpoint/memory_storage.h"
#include "common/coordination/file/file_checkpoint_store.h"
#include "common/coordination/file/file_stores.h"
#include "common/coordination/memory/memory_coordination.h"
#include "common/fs/path.h"
#include "common/graph/job_graph.h"

namespace weir::jobmanager {
namespace {

using coordination::JobEnd;
using job::JobState;

JobEnd EndOf(JobState state) {
  switch (state) {
    case JobState::kFinished:
      return JobEnd::kFinished;
    case JobState::kCanceled:
      return JobEnd::kCanceled;
    case JobState::kSuspended:
      return JobEnd::kSuspended;
    default:
      return JobEnd::kFailed;
  }
}

// As it is stored.
absl::Time WholeMicros(absl::Time time) {
  if (time == absl::InfinitePast()) return time;
  return absl::FromUnixMicros(absl::ToUnixMicros(time));
}

}  // namespace

JobManagerApp::JobManagerApp(JobManagerServices services)
    : services_(services), events_(services.loop), slots_(services.loop) {
}

JobManagerApp::~JobManagerApp() {
  events_.SetJob(nullptr);
}

absl::StatusOr<std::unique_ptr<JobManagerApp>> JobManagerApp::Open(const std::string& state_dir,
                                                                   JobManagerServices services) {
  auto app = std::unique_ptr<JobManagerApp>(new JobManagerApp(services));
  if (state_dir.empty()) {
    // Nothing but this process's memory bounds the state of a job that ends with it.
    app->storage_ = std::make_unique<checkpoint::MemoryCheckpointStorage>(
        checkpoint::kMemoryStateBytesUnlimited);
    return app;
  }
  WEIR_RETURN_IF_ERROR(app->OpenDirectory(state_dir));
  return app;
}

absl::Status JobManagerApp::OpenDirectory(const std::string& state_dir) {
  directory_ = state_dir;
  WEIR_ASSIGN_OR_RETURN(
      coordination_,
      coordination::FileCoordination::Open(
          services_.files, directory_, absl::StrCat("process ", getpid()), base::EntropySeed(),
          "stop that process or wait for its end, or use another --state-dir"));
  const coordination::CoordinationState state = coordination_->State();
  WEIR_RETURN_IF_ERROR(CheckOwn(state));
  if (!state.jobs().empty()) stored_ = state.jobs().begin()->second;
  if (!state.results().empty()) finished_ = state.results().begin()->second;
  WEIR_ASSIGN_OR_RETURN(const checkpoint::StreamOptions options,
                        checkpoint::CheckStreamOptions({}));
  storage_ = std::make_unique<checkpoint::FileCheckpointStorage>(services_.files, directory_,
                                                                 options, base::EntropySeed());
  if (!finished_.has_value()) return stored_.has_value() ? absl::OkStatus() : CheckUnused();
  // The process that stored the result may have died before it removed what nobody needs.
  id_ = finished_->id;
  MakeStores({});
  return CleanUp(id_, finished_->end);
}

// A cluster's log has the same form and may hold many jobs, which are planned from their stored
// descriptors; a run here stores none.
absl::Status JobManagerApp::CheckOwn(const coordination::CoordinationState& state) const {
  const bool has_foreign =
      std::any_of(state.jobs().begin(), state.jobs().end(), [](const auto& entry) {
        return !entry.second.source.text.empty() || !entry.second.source.max_parallelism;
      });
  if (!has_foreign && state.jobs().size() <= 1 && state.results().size() <= 1) {
    return absl::OkStatus();
  }
  return absl::FailedPreconditionError(absl::StrCat(
      directory_, " is the storage directory of a cluster: use another one for a local run"));
}

// The log says what is true. Without it, to start would sweep the checkpoints away.
absl::Status JobManagerApp::CheckUnused() const {
  WEIR_ASSIGN_OR_RETURN(const std::vector<fs::DirectoryEntry> entries,
                        services_.files.List(directory_));
  for (const fs::DirectoryEntry& entry : entries) {
    if (checkpoint::CheckpointIdOfDirectory(entry.name) == kNoCheckpoint) continue;
    return absl::FailedPreconditionError(
        absl::StrCat(directory_, " has the checkpoint ", entry.name, " but its log, ",
                     fs::JoinPath(directory_, "log"),
                     ", names no job: restore the log from a copy, or use an empty directory"));
  }
  return absl::OkStatus();
}

absl::Status JobManagerApp::CheckBelongs(const graph::Plan& plan) const {
  const std::string& name = finished_.has_value() ? finished_->name : stored_->name;
  if (name != plan.name) {
    return absl::FailedPreconditionError(
        absl::StrCat("the state directory ", directory_, " belongs to job '", name, "', not to '",
                     plan.name, "': use another directory for this job"));
  }
  if (finished_.has_value()) {
    return absl::FailedPreconditionError(
        absl::StrCat("the job of the state directory ", directory_, " has finished"));
  }
  if (stored_->source.max_parallelism == plan.settings.max_parallelism) return absl::OkStatus();
  return absl::FailedPreconditionError(absl::StrCat(
      "the state in ", directory_, " was made with max_parallelism ",
      *stored_->source.max_parallelism,
      ", which never changes: set `settings.max_parallelism: ", *stored_->source.max_parallelism,
      "` instead of ", plan.settings.max_parallelism, ", or start anew in another directory"));
}

absl::Status JobManagerApp::StoreJob(const graph::Plan& plan) {
  if (stored_.has_value() || finished_.has_value()) {
    WEIR_RETURN_IF_ERROR(CheckBelongs(plan));
  } else {
    // The descriptor stays where it is: every run plans what it is given.
    stored_ = coordination::StoredJob{.id = base::IdSource(base::EntropySeed()).Make<JobId>(),
                                      .name = plan.name,
                                      .submitted_at = WholeMicros(services_.clock.WallNow()),
                                      .source = {.max_parallelism = plan.settings.max_parallelism}};
    if (coordination_ != nullptr) {
      WEIR_RETURN_IF_ERROR(coordination::FileJobGraphStore(*coordination_).Put(*stored_));
    }
  }
  id_ = stored_->id;
  return absl::OkStatus();
}

void JobManagerApp::MakeStores(const graph::CheckpointingOptions& options) {
  const coordination::RetentionOptions retention{
      .retained = static_cast<uint32_t>(options.retained),
      .delete_on_cancel = options.on_cancel == graph::OnCancel::kDelete};
  if (coordination_ == nullptr) {
    counter_ = std::make_unique<coordination::MemoryCheckpointIdCounter>();
    store_ = std::make_unique<coordination::MemoryCompletedCheckpointStore>(*storage_, retention);
    return;
  }
  counter_ = std::make_unique<coordination::FileCheckpointIdCounter>(*coordination_, id_);
  store_ = std::make_unique<coordination::FileCompletedCheckpointStore>(
      *coordination_, services_.files, id_, directory_, *storage_, retention);
}

absl::Status JobManagerApp::Submit(std::shared_ptr<const graph::Plan> plan, rpc::TaskGateway& tasks,
                                   rpc::SinkPreparer& sinks, JobObserver observer) {
  WEIR_CHECK(job_ == nullptr);
  WEIR_RETURN_IF_ERROR(StoreJob(*plan));
  MakeStores(plan->settings.checkpointing);
  observer_ = std::move(observer);
  const uint64_t seed = base::EntropySeed();
  const graph::RestartOptions restart = plan->settings.restart;
  auto graph = std::make_shared<const graph::JobGraph>(graph::BuildJobGraph(*plan));
  job_ = std::make_unique<job::Job>(
      job::JobDescription{.id = id_,
                          // Without a log that counts leaders: no two processes share it.
                          .epoch = coordination_ == nullptr ? seed : coordination_->epoch(),
                          .source = {},  // no other process plans it
                          .plan = std::move(plan),
                          .graph = std::move(graph),
                          .restart = restart,
                          .seed = seed},
      job::JobServices{.checkpoints = {services_.clock, services_.timers, services_.io,
                                       services_.loop, *storage_, *counter_, *store_, tasks},
                       .sinks = sinks,
                       .slots = slots_});
  job_->lifecycle().AddListener([this](JobState from, JobState to) {
    if (to == JobState::kRunning && started_at_ == absl::InfinitePast()) {
      started_at_ = services_.clock.WallNow();
    }
    if (to == JobState::kRestarting) observer_.restarting(job_->lifecycle().cause());
    if (job::HasEnded(to)) OnEnded(to);
    return absl::OkStatus();
  });
  events_.SetJob(job_.get());
  job_->Start();
  return absl::OkStatus();
}

void JobManagerApp::Stop() {
  if (job_ == nullptr) return;
  if (coordination_ != nullptr) {
    job_->Suspend();
  } else {
    job_->Cancel();
  }
}

absl::Status JobManagerApp::CleanUp(JobId job, JobEnd end) {
  WEIR_RETURN_IF_ERROR(store_->Shutdown(end));
  WEIR_RETURN_IF_ERROR(counter_->Stop(end));
  if (coordination_ == nullptr || end != JobEnd::kFinished) return absl::OkStatus();
  return coordination::FileJobGraphStore(*coordination_).Remove(job);
}

absl::Status JobManagerApp::SettleEnd(const coordination::EndedJob& ended) {
  if (coordination_ != nullptr && ended.end == JobEnd::kFinished) {
    // First of all: whoever finds the result only cleans up.
    WEIR_RETURN_IF_ERROR(coordination::FileJobResultStore(*coordination_).Put(ended));
  }
  // With a directory a failed job goes on once its cause is gone, when the same command is given.
  const bool goes_on = coordination_ != nullptr && ended.end == JobEnd::kFailed;
  return CleanUp(ended.id, goes_on ? JobEnd::kSuspended : ended.end);
}

coordination::EndedJob JobManagerApp::Ended(JobState state) const {
  return {.id = id_,
          .name = stored_->name,
          .end = EndOf(state),
          .submitted_at = stored_->submitted_at,
          .started_at = WholeMicros(started_at_),
          .ended_at = WholeMicros(services_.clock.WallNow()),
          .last_checkpoint = job_->checkpoints().latest_completed(),
          .restarts = job_->counts().restarts};
}

void JobManagerApp::OnEnded(JobState state) {
  const JobOutcome outcome{state, job_->lifecycle().cause(), job_->counts().has_run};
  services_.io.Run([this, ended = Ended(state), outcome] {
    const absl::Status settled = SettleEnd(ended);
    services_.loop.PostControl([this, outcome, settled] {
      if (settled.ok()) return observer_.ended(outcome);
      LOG(WARNING) << "the end of the job could not be settled cause=" << settled;
      observer_.ended({job::JobState::kFailed, settled, outcome.has_run});
    });
  });
}

}  // namespace weir::jobmanager
