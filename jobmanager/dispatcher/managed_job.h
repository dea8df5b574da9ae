// ManagedJob: one job of a dispatcher: while it runs with all it stands on, afterwards what people
// may want to know of it.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include <absl/time/time.h>

#include "common/coordination/job_graph_store.h"
#include "common/coordination/job_result_store.h"
#include "common/graph/job_graph.h"
#include "common/graph/plan.h"
#include "jobmanager/dispatcher/job_api.h"
#include "jobmanager/dispatcher/job_stores.h"
#include "jobmanager/job/job.h"

namespace weir::dispatcher {

// What a job's source becomes.
struct PlannedJob {
  std::shared_ptr<const graph::Plan> plan;       // shared with every task
  std::shared_ptr<const graph::JobGraph> graph;  // likewise
  graph::RestartOptions restart;
};

// What a job is made with. The references outlive it.
struct JobMaking {
  uint64_t epoch = 0;
  uint64_t seed = 0;
  job::StartedBy started_by = job::StartedBy::kPerson;
  const base::Clock& clock;
  base::TimerService& timers;
  base::Executor& io;
  base::Mailbox& loop;
  rpc::TaskGateway& tasks;
  rpc::SinkPreparer& sinks;
  resources::SlotProvider& slots;
};

// Life:      live until Retire(); work on the I/O pool may outlive it and keeps the stores alive.
// Thread:    the control loop's.
// Invariant: job() is null exactly after Retire(), or if a former process saw the job's end.
class ManagedJob {
 public:
  ManagedJob(coordination::StoredJob stored, PlannedJob planned, JobStores stores,
             const JobMaking& making);
  // A job that ended before this process.
  explicit ManagedJob(const coordination::EndedJob& ended);
  ~ManagedJob();

  JobId id() const { return summary_.id; }
  const std::string& name() const { return summary_.name; }
  const std::string& request_id() const { return request_id_; }
  absl::Time submitted_at() const { return summary_.submitted_at; }

  job::Job* job() const { return job_.get(); }
  // Shared with work on the I/O pool that settles the end. Null when retired.
  const std::shared_ptr<JobStores>& stores() const { return stores_; }
  job::JobState state() const;

  // To be told of every change: keeps when it first ran, and whose counters count.
  void OnStateChanged(job::JobState to);
  // Counters of attempts that are not of the newest execution are dropped.
  void OnCounts(const rpc::TaskCounts& counts);

  JobSummary Summary() const;
  JobDetail Detail() const;
  // The newest first.
  std::vector<checkpoint::CheckpointStats> Checkpoints() const;
  // REQUIRES: the state is terminal.
  coordination::EndedJob Ended() const;

  // Lets go of all but what people may ask for. REQUIRES: HasEnded(state()).
  void Retire();

 private:
  void FillFromJob(JobSummary* summary) const;
  void FillRows(JobSummary* summary) const;
  std::vector<StepDetail> Steps() const;

  std::string request_id_;
  std::string description_;
  std::shared_ptr<const graph::Plan> plan_;  // null: an earlier process's
  JobSummary summary_;                       // up to date once retired
  std::vector<SubtaskDetail> subtasks_;      // likewise
  std::vector<FailureDetail> failures_;
  std::vector<checkpoint::CheckpointStats> checkpoints_;
  std::map<AttemptId, std::vector<rpc::OperatorCounts>> counts_;  // of the newest execution
  std::shared_ptr<JobStores> stores_;
  std::unique_ptr<KeepingExecutor> io_;
  std::unique_ptr<job::Job> job_;
};

}  // namespace weir::dispatcher
