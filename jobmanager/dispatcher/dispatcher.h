// Dispatcher: all jobs of a jobmanager: takes them in, answers for them, settles their ends.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include <absl/functional/any_invocable.h>
#include <absl/status/status.h>
#include <absl/time/time.h>

#include "common/base/clock.h"
#include "common/base/executor.h"
#include "common/base/id_source.h"
#include "common/base/mailbox.h"
#include "common/base/timer_service.h"
#include "common/coordination/job_graph_store.h"
#include "common/coordination/job_result_store.h"
#include "common/graph/settings.h"
#include "common/rpc/task_gateway.h"
#include "jobmanager/dispatcher/cluster_view.h"
#include "jobmanager/dispatcher/job_api.h"
#include "jobmanager/dispatcher/job_stores.h"
#include "jobmanager/dispatcher/managed_job.h"
#include "jobmanager/dispatcher/request_memory.h"
#include "jobmanager/dispatcher/task_event_router.h"
#include "jobmanager/resources/slot_provider.h"
#include "jobmanager/resources/task_manager_registry.h"

namespace weir::dispatcher {

// Most jobs that run or wait at one time, submissions under way included.
inline constexpr size_t kLiveJobsMax = 1000;
// Most ended jobs that are remembered, unless set otherwise.
inline constexpr size_t kEndedJobsDefault = 500;

// What becomes of the jobs when the process stops.
enum class OnStop : uint8_t {
  kSuspend,  // they are stored: the next process goes on with them
  kCancel,   // nothing would recover them
};

struct DispatcherOptions {
  std::string version;  // of this build
  uint64_t epoch = 0;   // the leader's
  OnStop on_stop = OnStop::kSuspend;
  std::optional<graph::RestartOptions> restart;  // the cluster's default
  size_t ended_jobs_max = kEndedJobsDefault;     // `jobmanager.archive.max-jobs`
  uint64_t seed = 0;                             // of ids
};

// All outlive the dispatcher.
struct DispatcherServices {
  const base::Clock& clock;
  base::TimerService& timers;
  base::Executor& io;
  base::Mailbox& loop;
  rpc::TaskGateway& tasks;
  rpc::SinkPreparer& sinks;
  TaskEventRouter& events;  // what tasks of `tasks` are told to speak to
  resources::SlotProvider& slots;
  coordination::JobGraphStore& graphs;
  coordination::JobResultStore& results;
  JobStoresFactory& stores;
  ClusterView& cluster;
};

// Thread: the control loop's. Each may be null.
struct DispatcherObserver {
  // Another process may lead: this one must stop, and change nothing that is stored.
  std::function<void(const absl::Status& cause)> leadership_lost;
  std::function<void(JobId job, job::JobState from, job::JobState to, const absl::Status& cause)>
      state_changed;
  // Everything about the end is stored; OK, or what went wrong with that.
  std::function<void(JobId job, job::JobState state, const absl::Status& settled)> settled;
};

// Life:      Start(), then it is ready; Stop(), then it may go. Work on the I/O pool that outlives
// it
//            finds nobody.
// Thread:    the control loop's.
// Invariant: two jobs of one name never run at one time.
// Invariant: a job, and that it is cancelled, is stored before it is answered for; its result
// before
//            anything of it goes; its graph goes last.
class Dispatcher final : public JobApi, public resources::RegistryListener {
 public:
  Dispatcher(DispatcherOptions options, DispatcherServices services, DispatcherObserver observer);
  ~Dispatcher() override;
  Dispatcher(const Dispatcher&) = delete;
  Dispatcher& operator=(const Dispatcher&) = delete;

  // Reads what is stored and goes on with the jobs that have not ended. `done` runs on the loop,
  // once: INVALID_ARGUMENT: the cluster's default of restarts; others: the stores'.
  void Start(absl::AnyInvocable<void(absl::Status)> done);
  // Takes no job any more and ends those there are. `done` runs on the loop when all is settled.
  void Stop(absl::AnyInvocable<void()> done);

  // The newest counters of tasks. Those of attempts that are unknown are dropped.
  void OnCounts(const std::vector<rpc::TaskCounts>& counts);
  // Null: unknown, or it has ended.
  const job::Job* FindJob(JobId id) const;

  // --- JobApi ---
  void Submit(SubmitRequest request, Done<SubmitAnswer> done) override;
  std::vector<JobSummary> List(bool ended) const override;
  absl::StatusOr<JobDetail> Describe(StringView reference) const override;
  void Cancel(StringView reference, Done<JobSummary> done) override;
  absl::StatusOr<std::vector<checkpoint::CheckpointStats>> Checkpoints(
      StringView reference) const override;
  void TriggerCheckpoint(StringView reference, Done<CheckpointId> done) override;
  void Logs(const LogQuery& query, Done<std::vector<rpc::LogLine>> done) override;
  ClusterDetail Cluster() const override;
  bool IsReady(std::string* why) const override;

  // --- RegistryListener ---
  void OnReport(const resources::RegisteredTaskManager& taskmanager) override;

 private:
  enum class Phase : uint8_t { kIdle, kReading, kReady, kStopping };
  // A job on its way in; shared with work on the I/O pool, one after the other.
  struct Submission;
  // What a former process left.
  struct Leftovers;

  // --- Taking jobs in (submission.cpp) ---
  absl::Status CheckRequest(const SubmitRequest& request) const;
  void OnPlanned(const std::shared_ptr<Submission>& submission);
  absl::Status CheckPlan(const Submission& submission) const;
  void OnStored(const std::shared_ptr<Submission>& submission);
  void Answer(Submission& submission, absl::StatusOr<SubmitAnswer> answer);

  // --- What a former process left (recovery.cpp) ---
  void OnLeftovers(const std::shared_ptr<Leftovers>& leftovers);

  // --- The end of a job (dispatcher.cpp) ---
  ManagedJob& Add(coordination::StoredJob stored, PlannedJob planned, JobStores stores,
                  job::StartedBy started_by);
  void OnStateChanged(JobId id, job::JobState from, job::JobState to);
  void OnCancelStored(JobId id, const absl::Status& marked, Done<JobSummary> done);
  void SettleEnd(ManagedJob& ended);
  void OnSettled(JobId id, const absl::Status& settled);
  void ForgetOldest();
  void MaybeStopped();
  void NoteIfFenced(const absl::Status& status);
  void RunIo(absl::AnyInvocable<void()> work, absl::AnyInvocable<void()> done);

  const ManagedJob* FindLiveByName(StringView name) const;
  absl::StatusOr<ManagedJob*> Find(StringView reference) const;
  absl::StatusOr<TaskManagerId> FindTaskManager(StringView prefix) const;

  const DispatcherOptions options_;
  const DispatcherServices services_;
  const DispatcherObserver observer_;
  const absl::Time started_at_;
  base::IdSource ids_;
  Phase phase_ = Phase::kIdle;
  std::map<JobId, std::unique_ptr<ManagedJob>> jobs_;
  std::set<std::string> names_coming_;  // of submissions that are being stored
  size_t submissions_ = 0;              // under way
  size_t settling_ = 0;                 // ends under way
  RequestMemory requests_;
  std::map<std::string, std::vector<Done<SubmitAnswer>>> joined_;  // by request id under way
  absl::AnyInvocable<void()> stopped_;
  bool fenced_ = false;
  std::shared_ptr<Dispatcher*> self_;  // held weakly by work elsewhere
};

}  // namespace weir::dispatcher
