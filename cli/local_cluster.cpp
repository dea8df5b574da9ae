#include "cli/local_cluster.h"

#include <unistd.h>
#include <utility>

#include "common/base/clock.h"
#include "common/base/status_macros.h"
#include "common/base/thread_pool.h"
#include "common/fs/local/local_file_system.h"
#include "common/rpc/control_loop.h"
#include "taskmanager/app/storage_places.h"
#include "taskmanager/app/task_manager_app.h"

namespace weir::cli {
namespace {

// Threads for blocking work: as many checkpoint parts are written at a time.
constexpr size_t kIoThreads = 4;

}  // namespace

// Destroyed from the last to the first: the tasks end, then the I/O pool does the work it accepted,
// then goes what that work stood on.
struct LocalCluster::Parts {
  fs::LocalFileSystem files;
  rpc::ControlLoop loop;
  std::unique_ptr<jobmanager::JobManagerApp> jobmanager;
  std::unique_ptr<taskmanager::StorageSnapshotPlaces> places;
  base::ThreadPool io{"io", kIoThreads};
  std::unique_ptr<taskmanager::TaskManagerApp> taskmanager;
  std::shared_ptr<const graph::Plan> plan;
  LocalObserver observer;
  std::optional<LocalOutcome> outcome;
  int signal = 0;
  std::optional<uint64_t> failed_before_stop;  // checkpoints, when the signal came
};

LocalCluster::LocalCluster(std::unique_ptr<Parts> parts) : parts_(std::move(parts)) {
}

LocalCluster::~LocalCluster() {
  parts_->taskmanager.reset();  // joins every task
}

absl::StatusOr<std::unique_ptr<LocalCluster>> LocalCluster::Open(const std::string& state_dir) {
  auto parts = std::make_unique<Parts>();
  const base::Clock& clock = base::SystemClock();
  WEIR_ASSIGN_OR_RETURN(parts->jobmanager, jobmanager::JobManagerApp::Open(
                                               state_dir, {clock, parts->files, parts->io,
                                                           parts->loop.mailbox(), parts->loop}));
  parts->places =
      std::make_unique<taskmanager::StorageSnapshotPlaces>(parts->jobmanager->storage());
  parts->taskmanager = std::make_unique<taskmanager::TaskManagerApp>(
      taskmanager::TaskManagerServices{clock, parts->files, parts->io, parts->loop.mailbox(),
                                       *parts->places, parts->jobmanager->task_events()});
  return std::unique_ptr<LocalCluster>(new LocalCluster(std::move(parts)));
}

const std::optional<coordination::StoredJob>& LocalCluster::stored() const {
  return parts_->jobmanager->stored();
}

const std::optional<coordination::EndedJob>& LocalCluster::finished() const {
  return parts_->jobmanager->finished();
}

absl::Status LocalCluster::WatchSignal(int signal) {
  return parts_->loop.WatchSignal(signal, [this, signal] {
    if (parts_->signal != 0) _exit(128 + signal);
    parts_->signal = signal;
    // What stopping cuts off is not a failure.
    const job::Job* const job = parts_->jobmanager->job();
    if (job != nullptr) parts_->failed_before_stop = job->checkpoints().history().counts().failed;
    parts_->jobmanager->Stop();
  });
}

LocalProgress LocalCluster::Progress() const {
  LocalProgress progress;
  const job::Job* job = parts_->jobmanager->job();
  if (job == nullptr) return progress;
  progress.state = job->lifecycle().state();
  progress.restarts = job->counts().restarts;
  progress.fallbacks = job->counts().fallbacks;
  progress.restored = job->counts().restored;
  const checkpoint::CheckpointHistory& history = job->checkpoints().history();
  progress.completed = job->checkpoints().latest_completed();
  progress.checkpoints_completed = history.counts().completed;
  progress.checkpoints_failed = parts_->failed_before_stop.value_or(history.counts().failed);
  if (history.latest_completed().has_value()) {
    progress.checkpoint_duration = history.latest_completed()->duration;
    progress.checkpoint_bytes = history.latest_completed()->state_bytes;
  }
  for (const rpc::TaskCounts& task : parts_->taskmanager->Counts()) {
    for (const rpc::OperatorCounts& counts : task.operators) {
      const graph::PlanNode& node = parts_->plan->nodes[counts.node];
      if (node.IsSource()) progress.rows_read += counts.rows_out;
      if (std::holds_alternative<graph::SinkSpec>(node.spec)) {
        progress.rows_written += counts.rows_out;
      }
      progress.rows_late += counts.rows_late;
      progress.rows_partially_late += counts.rows_partially_late;
      progress.rows_skipped += counts.rows_skipped;
      progress.deletes_dropped += counts.deletes_dropped;
    }
  }
  return progress;
}

void LocalCluster::Tick() {
  parts_->loop.RunAfter(parts_->observer.progress_interval, [this] {
    parts_->observer.progress(Progress());
    Tick();
  });
}

absl::StatusOr<LocalOutcome> LocalCluster::Run(std::shared_ptr<const graph::Plan> plan,
                                               LocalObserver observer) {
  parts_->plan = plan;
  parts_->observer = std::move(observer);
  WEIR_RETURN_IF_ERROR(WatchSignal(SIGINT));
  WEIR_RETURN_IF_ERROR(WatchSignal(SIGTERM));
  jobmanager::JobObserver of_job{
      .restarting = parts_->observer.restarting,
      .ended = [this](const jobmanager::JobOutcome& outcome) {
        parts_->outcome = LocalOutcome{outcome, Progress(), parts_->signal};
        parts_->loop.Stop();
      }};
  WEIR_RETURN_IF_ERROR(parts_->jobmanager->Submit(std::move(plan), *parts_->taskmanager,
                                                  *parts_->taskmanager, std::move(of_job)));
  Tick();
  parts_->loop.Run();
  return *parts_->outcome;
}

}  // namespace weir::cli
