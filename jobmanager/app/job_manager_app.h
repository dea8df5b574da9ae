// JobManagerApp: the jobmanager without its process: one job with its coordination and storage.
// Everything it stands on comes from outside, so that it runs beside a taskmanager in one process.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>

#include <absl/status/status.h>
#include <absl/status/statusor.h>

#include "common/base/clock.h"
#include "common/base/executor.h"
#include "common/base/mailbox.h"
#include "common/base/timer_service.h"
#include "common/checkpoint/storage.h"
#include "common/coordination/checkpoint_id_counter.h"
#include "common/coordination/completed_checkpoint_store.h"
#include "common/coordination/file/file_coordination.h"
#include "common/coordination/job_graph_store.h"
#include "common/coordination/job_result_store.h"
#include "common/fs/file_system.h"
#include "common/graph/plan.h"
#include "common/rpc/task_gateway.h"
#include "jobmanager/app/task_event_mail.h"
#include "jobmanager/job/job.h"
#include "jobmanager/resources/local_slots.h"

namespace weir::jobmanager {

// All outlive the app.
struct JobManagerServices {
  const base::Clock& clock;
  fs::FileSystem& files;
  base::Executor& io;
  base::Mailbox& loop;
  base::TimerService& timers;
};

// How a job ended here.
struct JobOutcome {
  job::JobState state = job::JobState::kFailed;
  absl::Status cause;
  bool has_run = false;  // tasks were deployed, so more than a conflict can be the cause
};

// Told what becomes of the job. Thread: the control loop's.
struct JobObserver {
  // A failure after which the job starts again.
  std::function<void(const absl::Status& cause)> restarting;
  // Once, when everything about the end is durable.
  std::function<void(const JobOutcome& outcome)> ended;
};

// Life:   Open(), Submit() once, destroyed after the outcome was told and every task is gone.
// Thread: the control loop's; Open() blocks and comes before the loop runs.
class JobManagerApp {
 public:
  // With a directory the job survives this process; without one (empty) it lives in its memory.
  // FAILED_PRECONDITION: another process holds the directory, it is a cluster's, or checkpoints lie
  // in it of which its log knows nothing. DATA_LOSS: its log is damaged. Others: common/fs.
  static absl::StatusOr<std::unique_ptr<JobManagerApp>> Open(const std::string& state_dir,
                                                             JobManagerServices services);
  ~JobManagerApp();

  // The job the directory belongs to, from its first start until it has finished.
  const std::optional<coordination::StoredJob>& stored() const { return stored_; }
  // How the directory's job finished, if it has.
  const std::optional<coordination::EndedJob>& finished() const { return finished_; }

  checkpoint::CheckpointStorage& storage() { return *storage_; }
  rpc::TaskEvents& task_events() { return events_; }

  // Makes and starts the job.
  // FAILED_PRECONDITION: the directory belongs to a job of another name or max_parallelism, or its
  // job has finished.
  absl::Status Submit(std::shared_ptr<const graph::Plan> plan, rpc::TaskGateway& tasks,
                      rpc::SinkPreparer& sinks, JobObserver observer);
  // Null before Submit().
  const job::Job* job() const { return job_.get(); }

  // Ends the job: SUSPENDED if it survives this process, else CANCELED. Before Submit(): nothing.
  void Stop();

 private:
  explicit JobManagerApp(JobManagerServices services);
  absl::Status OpenDirectory(const std::string& state_dir);
  absl::Status CheckOwn(const coordination::CoordinationState& state) const;
  absl::Status CheckUnused() const;
  absl::Status CheckBelongs(const graph::Plan& plan) const;
  absl::Status StoreJob(const graph::Plan& plan);
  void MakeStores(const graph::CheckpointingOptions& options);
  void OnEnded(job::JobState state);
  coordination::EndedJob Ended(job::JobState state) const;
  absl::Status SettleEnd(const coordination::EndedJob& ended);
  absl::Status CleanUp(JobId job, coordination::JobEnd end);

  const JobManagerServices services_;
  TaskEventMail events_;
  resources::LocalSlots slots_;
  std::string directory_;                                         // empty: in memory
  std::unique_ptr<coordination::FileCoordination> coordination_;  // null: in memory
  std::optional<coordination::StoredJob> stored_;
  std::optional<coordination::EndedJob> finished_;
  JobId id_;
  absl::Time started_at_ = absl::InfinitePast();
  std::unique_ptr<checkpoint::CheckpointStorage> storage_;
  std::unique_ptr<coordination::CheckpointIdCounter> counter_;
  std::unique_ptr<coordination::CompletedCheckpointStore> store_;
  JobObserver observer_;
  std::unique_ptr<job::Job> job_;
};

}  // namespace weir::jobmanager
