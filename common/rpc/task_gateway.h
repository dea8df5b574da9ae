// TaskGateway and TaskEvents: what a jobmanager says to the tasks of a job, and what they answer.
// In one process the calls are direct; between processes an adapter carries them.
#pragma once

#include <string>

#include <absl/functional/any_invocable.h>
#include <absl/status/status.h>
#include <absl/status/statusor.h>

#include "common/base/ids.h"
#include "common/checkpoint/checkpoint_types.h"
#include "common/checkpoint/coordinator_facts.h"
#include "common/rpc/task_deployment.h"

namespace weir::rpc {

// Told by tasks. Thread: any; implementations post to their own thread.
class TaskEvents {
 public:
  virtual ~TaskEvents() = default;
  virtual void OnTaskRunning(const checkpoint::Sender& sender) = 0;
  // All input is consumed; the task goes on for barriers and notifications.
  virtual void OnEndOfData(const checkpoint::Sender& sender) = 0;
  // The task has ended: OK = finished, CANCELLED = cancelled when asked to, else failed. The last
  // event of an attempt, sent when nothing of it runs any more.
  virtual void OnTaskEnded(const checkpoint::Sender& sender, const absl::Status& status) = 0;
  virtual void OnAck(checkpoint::AckFacts ack) = 0;
  virtual void OnDecline(const checkpoint::DeclineFacts& decline) = 0;
};

// Asked by the jobmanager. Thread: the caller's control loop; nothing blocks. Where a call crosses
// to another process, what its answer would refuse comes as an event instead: a failed deployment
// as OnTaskEnded of its attempts, a failed trigger as OnDecline.
class TaskGateway {
 public:
  virtual ~TaskGateway() = default;
  // Makes and starts every task. Failures of single tasks come as events; a refusal of the whole
  // comes back here and starts nothing.
  virtual absl::Status Deploy(JobDeployment deployment) = 0;
  // NOT_FOUND: the attempt has ended or never was. Otherwise the trigger is in its mailbox.
  virtual absl::Status Trigger(AttemptId attempt, const checkpoint::Barrier& barrier) = 0;
  // Unknown attempts are ignored.
  virtual void NotifyComplete(AttemptId attempt, CheckpointId id) = 0;
  virtual void NotifyAborted(AttemptId attempt, CheckpointId id) = 0;
  virtual void Cancel(AttemptId attempt) = 0;
  // Every attempt of the job has ended and none follows before the next Deploy() or Prepare():
  // drops what is kept for it, its counters and the places its sinks hold. Between processes the
  // answer is a last report. A job that is unknown is ignored.
  virtual void Release(JobId job) = 0;
};

struct SinkPreparation {
  CheckpointId highest_seen = kNoCheckpoint;  // of any id the sinks' places name
};
// What the sinks of a job must settle once before any subtask starts: leftovers of former runs are
// removed, and a place that belongs to someone else is refused.
// Thread: the caller's control loop; nothing blocks.
class SinkPreparer {
 public:
  using Done = absl::AnyInvocable<void(absl::StatusOr<SinkPreparation>)>;
  virtual ~SinkPreparer() = default;
  // `done` runs on the caller's loop. FAILED_PRECONDITION: a place that must not be written.
  virtual void Prepare(const JobDeployment& deployment, Done done) = 0;
};

}  // namespace weir::rpc
