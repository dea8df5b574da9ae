// JobApi: everything people and tools may ask a jobmanager, as plain values. HTTP is one adapter of
// it.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <absl/functional/any_invocable.h>
#include <absl/status/status.h>
#include <absl/status/statusor.h>
#include <absl/time/time.h>

#include "common/base/ids.h"
#include "common/base/string_view.h"
#include "common/checkpoint/checkpoint_history.h"
#include "common/config/diagnostic.h"
#include "common/graph/job_source.h"
#include "common/rpc/task_manager_facts.h"
#include "jobmanager/job/job_lifecycle.h"

namespace weir::dispatcher {

// Names a submission: the same one again gives the same job and starts nothing.
inline constexpr size_t kRequestIdBytesMax = 128;

struct SubmitRequest {
  graph::JobSource source;
  std::string request_id;  // empty: none
};
struct SubmitAnswer {
  JobId job;         // nil: refused
  std::string name;  // the job's
  bool is_new = false;
  config::Diagnostics diagnostics;  // errors if refused, else warnings and notes
};

struct JobSummary {
  JobId id;
  std::string name;
  job::JobState state = job::JobState::kCreated;
  std::string waits_for;  // what keeps it from running; empty: nothing
  uint32_t parallelism = 0;
  uint32_t tasks = 0;
  uint32_t tasks_running = 0;
  uint32_t tasks_finished = 0;
  uint32_t tasks_failed = 0;
  absl::Time submitted_at;
  absl::Time started_at = absl::InfinitePast();  // first RUNNING
  absl::Time ended_at = absl::InfiniteFuture();  // of a terminal state
  int64_t restarts = 0;
  bool has_counts = true;  // false: it ended before this jobmanager, counts below were not kept
  CheckpointId restored = kNoCheckpoint;
  CheckpointId completed = kNoCheckpoint;  // the newest
  absl::Time completed_at = absl::InfinitePast();
  absl::Duration completed_in;   // zero: not known, and neither is the next
  uint64_t completed_bytes = 0;  // of state
  uint64_t checkpoints_completed = 0;
  uint64_t checkpoints_failed = 0;
  int64_t rows_read = 0;     // emitted by sources in this attempt of the job
  int64_t rows_written = 0;  // by sinks
  int64_t rows_late = 0;
  int64_t rows_skipped = 0;
  std::string cause;  // of FAILING, RESTARTING and FAILED: the root cause
};

struct StepDetail {
  std::string id;
  std::string label;
  uint32_t parallelism = 0;
  rpc::OperatorCounts counts;  // summed over subtasks
};
struct SubtaskDetail {
  std::string vertex;
  uint32_t subtask = 0;
  std::string state;  // "DEPLOYING" "RUNNING" "FINISHED" "FAILED" "CANCELED"
  AttemptId attempt;
  std::string taskmanager;  // short id
  std::string host;
};
struct FailureDetail {
  absl::Time at;
  std::string vertex;  // empty: not of one task
  uint32_t subtask = 0;
  std::string taskmanager;
  std::string host;
  std::string message;
};
struct JobDetail {
  JobSummary summary;
  std::string description;
  std::vector<StepDetail> steps;
  std::vector<SubtaskDetail> subtasks;
  std::vector<FailureDetail> failures;  // of the newest incident, the root cause first
};

struct TaskManagerDetail {
  rpc::TaskManagerFacts facts;
  uint32_t slots_free = 0;
  absl::Time registered_at;
  absl::Time heard_at;
  uint64_t resident_bytes = 0;
};
struct ClusterDetail {
  std::string version;
  uint64_t epoch = 0;
  absl::Time started_at;
  std::vector<TaskManagerDetail> taskmanagers;
};

// Which log, and how much of it. Both empty: the jobmanager's own.
struct LogQuery {
  std::string job;          // a job reference: lines of all daemons about it
  std::string taskmanager;  // id prefix
  size_t lines_max = 1000;
};

// A job reference is a name, a full id, or a unique id prefix of at least 4 digits. The newest job
// that has not ended wins for a name, else the newest.
// Errors of every call with a reference: NOT_FOUND; INVALID_ARGUMENT (ambiguous: lists candidates).
//
// Thread: the control loop's; `done` runs on it, later or inside the call.
class JobApi {
 public:
  template <class T>
  using Done = absl::AnyInvocable<void(absl::StatusOr<T>)>;
  virtual ~JobApi() = default;

  // ALREADY_EXISTS: a job of that name has not ended. UNAVAILABLE: not the leader (yet).
  // A descriptor with errors is an answer with diagnostics.
  virtual void Submit(SubmitRequest request, Done<SubmitAnswer> done) = 0;
  // Newest first; without `ended` only those that have not ended.
  virtual std::vector<JobSummary> List(bool ended) const = 0;
  virtual absl::StatusOr<JobDetail> Describe(StringView reference) const = 0;
  // `done` when the request is stored: from then on the job ends CANCELED, if not here then under
  // the next jobmanager; the state tells when it is done. OK if CANCELED already.
  // FAILED_PRECONDITION: it has ended otherwise.
  virtual void Cancel(StringView reference, Done<JobSummary> done) = 0;
  // Newest first.
  virtual absl::StatusOr<std::vector<checkpoint::CheckpointStats>> Checkpoints(
      StringView reference) const = 0;
  // `done` with the completed checkpoint's id. FAILED_PRECONDITION: the job does not run.
  virtual void TriggerCheckpoint(StringView reference, Done<CheckpointId> done) = 0;
  virtual void Logs(const LogQuery& query, Done<std::vector<rpc::LogLine>> done) = 0;
  virtual ClusterDetail Cluster() const = 0;
  // Leader and able to take jobs; `*why` says what is missing otherwise.
  virtual bool IsReady(std::string* why) const = 0;
};

}  // namespace weir::dispatcher
