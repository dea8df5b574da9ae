// LocalCluster: a jobmanager and a taskmanager in this process, on one control loop, for one job.
#pragma once

#include <csignal>
#include <functional>
#include <memory>
#include <optional>
#include <string>

#include <absl/status/status.h>
#include <absl/status/statusor.h>

#include "common/coordination/job_graph_store.h"
#include "common/coordination/job_result_store.h"
#include "common/graph/plan.h"
#include "jobmanager/app/job_manager_app.h"

namespace weir::cli {

// Sums over the job's subtasks, and where its checkpoints are.
struct LocalProgress {
  job::JobState state = job::JobState::kCreated;
  // All rows since the job last started, here or after a failure.
  int64_t rows_read = 0;     // emitted by sources
  int64_t rows_written = 0;  // by sinks
  int64_t rows_late = 0;
  int64_t rows_partially_late = 0;
  int64_t rows_skipped = 0;
  int64_t deletes_dropped = 0;
  int64_t restarts = 0;
  int64_t fallbacks = 0;
  CheckpointId restored = kNoCheckpoint;
  CheckpointId completed = kNoCheckpoint;  // the newest
  uint64_t checkpoints_completed = 0;
  uint64_t checkpoints_failed = 0;
  absl::Duration checkpoint_duration;  // of the newest complete one
  uint64_t checkpoint_bytes = 0;       // its state
};

struct LocalOutcome {
  jobmanager::JobOutcome job;
  LocalProgress progress;
  int signal = 0;  // that ended the run; 0: none did
};

// Told while the job runs. Thread: the main thread.
struct LocalObserver {
  absl::Duration progress_interval;
  std::function<void(const LocalProgress&)> progress;  // every progress_interval
  std::function<void(const absl::Status& cause)> restarting;
};

// Life:   Open(), Run() once.
// Thread: confined to the main thread, whose signals SIGINT and SIGTERM it takes while it runs.
class LocalCluster {
 public:
  // `state_dir` empty: nothing survives this process. Errors of JobManagerApp::Open().
  static absl::StatusOr<std::unique_ptr<LocalCluster>> Open(const std::string& state_dir);
  ~LocalCluster();
  LocalCluster(const LocalCluster&) = delete;
  LocalCluster& operator=(const LocalCluster&) = delete;

  // See JobManagerApp.
  const std::optional<coordination::StoredJob>& stored() const;
  const std::optional<coordination::EndedJob>& finished() const;

  // Runs the job to its end here. A first SIGINT or SIGTERM stops it cleanly, a second one ends the
  // process at once. Errors of JobManagerApp::Submit().
  absl::StatusOr<LocalOutcome> Run(std::shared_ptr<const graph::Plan> plan, LocalObserver observer);

 private:
  struct Parts;
  explicit LocalCluster(std::unique_ptr<Parts> parts);
  absl::Status WatchSignal(int signal);
  void Tick();
  LocalProgress Progress() const;

  std::unique_ptr<Parts> parts_;
};

}  // namespace weir::cli
