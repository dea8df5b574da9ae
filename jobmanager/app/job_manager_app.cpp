#include "jobmanager/app/job_manager_app.h"

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
#include "common/coordination/memory/memory_coordination.h"
#include "common/coordination/state_dir/state_dir_coordination.h"
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
  WEIR_ASSIGN_OR_RETURN(directory_,
                        coordination::StateDirectory::Open(services_.files, state_dir,
                                                           absl::StrCat("process ", getpid())));
  WEIR_ASSIGN_OR_RETURN(record_, directory_->ReadJob());
  WEIR_ASSIGN_OR_RETURN(result_, directory_->ReadResult());
  WEIR_ASSIGN_OR_RETURN(const checkpoint::StreamOptions options,
                        checkpoint::CheckStreamOptions({}));
  storage_ = std::make_unique<checkpoint::FileCheckpointStorage>(services_.files, state_dir,
                                                                 options, base::EntropySeed());
  if (!result_.has_value()) return absl::OkStatus();
  // The process that stored the result may have died before it removed what nobody needs.
  return coordination::StateDirCompletedCheckpointStore(*directory_, *storage_, {})
      .Shutdown(result_->end);
}

absl::Status JobManagerApp::RecordJob(const graph::Plan& plan) {
  const uint32_t max_parallelism = static_cast<uint32_t>(plan.settings.max_parallelism);
  if (record_.has_value()) {
    if (record_->name != plan.name) {
      return absl::FailedPreconditionError(absl::StrCat(
          "the state directory ", directory_->path(), " belongs to job '", record_->name,
          "', not to '", plan.name, "': use another directory for this job"));
    }
    if (record_->max_parallelism != max_parallelism) {
      return absl::FailedPreconditionError(absl::StrCat(
          "the state in ", directory_->path(), " was made with max_parallelism ",
          record_->max_parallelism,
          ", which never changes: set `settings.max_parallelism: ", record_->max_parallelism,
          "` instead of ", max_parallelism, ", or start anew in another directory"));
    }
    return absl::OkStatus();
  }
  record_ = coordination::JobRecord{.id = base::IdSource(base::EntropySeed()).Make<JobId>(),
                                    .name = plan.name,
                                    .max_parallelism = max_parallelism};
  return directory_ == nullptr ? absl::OkStatus() : directory_->WriteJob(*record_);
}

absl::Status JobManagerApp::MakeStores(const graph::CheckpointingOptions& options) {
  const coordination::RetentionOptions retention{
      .retained = static_cast<uint32_t>(options.retained),
      .delete_on_cancel = options.on_cancel == graph::OnCancel::kDelete};
  if (directory_ == nullptr) {
    counter_ = std::make_unique<coordination::MemoryCheckpointIdCounter>();
    store_ = std::make_unique<coordination::MemoryCompletedCheckpointStore>(*storage_, retention);
    return absl::OkStatus();
  }
  counter_ =
      std::make_unique<coordination::StateDirCheckpointIdCounter>(*directory_, kNoCheckpoint);
  store_ = std::make_unique<coordination::StateDirCompletedCheckpointStore>(*directory_, *storage_,
                                                                            retention);
  // The counter first: it goes on above the ids of directories that are removed next.
  WEIR_RETURN_IF_ERROR(counter_->Start());
  return directory_->RemoveOrphans().status();
}

absl::Status JobManagerApp::Submit(std::shared_ptr<const graph::Plan> plan, rpc::TaskGateway& tasks,
                                   rpc::SinkPreparer& sinks, JobObserver observer) {
  WEIR_CHECK(job_ == nullptr);
  WEIR_RETURN_IF_ERROR(RecordJob(*plan));
  WEIR_RETURN_IF_ERROR(MakeStores(plan->settings.checkpointing));
  observer_ = std::move(observer);
  const uint64_t seed = base::EntropySeed();
  const graph::RestartOptions restart = plan->settings.restart;
  auto graph = std::make_shared<const graph::JobGraph>(graph::BuildJobGraph(*plan));
  job_ = std::make_unique<job::Job>(
      job::JobDescription{.id = record_->id,
                          .epoch = seed,  // no two processes share it
                          .source = {},   // no other process plans it
                          .plan = std::move(plan),
                          .graph = std::move(graph),
                          .restart = restart,
                          .seed = seed},
      job::JobServices{.checkpoints = {services_.clock, services_.timers, services_.io,
                                       services_.loop, *storage_, *counter_, *store_, tasks},
                       .sinks = sinks,
                       .slots = slots_});
  job_->lifecycle().AddListener([this](JobState from, JobState to) {
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
  if (directory_ != nullptr) {
    job_->Suspend();
  } else {
    job_->Cancel();
  }
}

absl::Status JobManagerApp::SettleEnd(JobEnd end, CheckpointId last) {
  if (end == JobEnd::kFinished && directory_ != nullptr) {
    // First of all: whoever finds the result only cleans up.
    WEIR_RETURN_IF_ERROR(directory_->WriteResult({.id = record_->id,
                                                  .end = end,
                                                  .ended_at = services_.clock.WallNow(),
                                                  .last_checkpoint = last,
                                                  .message = "all input processed and committed"}));
  }
  WEIR_RETURN_IF_ERROR(store_->Shutdown(end));
  return counter_->Stop(end);
}

void JobManagerApp::OnEnded(JobState state) {
  const JobEnd end = EndOf(state);
  const CheckpointId last = job_->checkpoints().latest_completed();
  const JobOutcome outcome{state, job_->lifecycle().cause(), job_->counts().has_run};
  services_.io.Run([this, end, last, outcome] {
    const absl::Status settled = SettleEnd(end, last);
    services_.loop.PostControl([this, outcome, settled] {
      if (settled.ok()) return observer_.ended(outcome);
      LOG(WARNING) << "the end of the job could not be settled cause=" << settled;
      observer_.ended({job::JobState::kFailed, settled, outcome.has_run});
    });
  });
}

}  // namespace weir::jobmanager
