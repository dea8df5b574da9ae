// Task: one running subtask: a mailbox state machine over an operator chain.
// Records, timers, triggers, notifications and cancellation exclude each other without a lock,
// because each step takes one of them.
#pragma once

#include <atomic>
#include <deque>
#include <memory>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include <absl/status/status.h>
#include <absl/time/time.h>

#include "common/base/clock.h"
#include "common/base/executor.h"
#include "common/base/mailbox.h"
#include "common/checkpoint/barrier_aligner.h"
#include "common/checkpoint/coordinator_facts.h"
#include "common/rpc/task_gateway.h"
#include "common/state/handles.h"
#include "common/state/memory_budget.h"
#include "taskmanager/network/channel.h"
#include "taskmanager/task/chain.h"
#include "taskmanager/task/input_watermarks.h"
#include "taskmanager/task/operator_runtime.h"
#include "taskmanager/task/snapshot_writer.h"
#include "taskmanager/task/task_output.h"

namespace weir::task {

enum class StepResult : uint8_t {
  kRan,       // call again
  kIdle,      // call again after a poke, a mail, or at NextWake()
  kFinished,  // the task has ended and said so
};

// Who a task is and what it stands on. The services outlive it.
struct TaskIdentity {
  checkpoint::Sender sender;
  std::string vertex_name;
  uint32_t subtask = 0;
  uint32_t parallelism = 1;
};
struct TaskServices {
  const base::Clock& clock;
  base::Executor& io;
  SnapshotPlaces& places;
  rpc::TaskEvents& events;
  std::shared_ptr<state::MemoryBudget> state_memory;  // of all tasks; null: no limit
};
// What a task starts from.
struct TaskRestore {
  CheckpointId id = kNoCheckpoint;  // kNoCheckpoint: a first start
  std::string location;
  std::map<std::string, state::OperatorSubtaskState> states;  // by operator uid
};

// Life:      made by the job's execution, which outlives it and all its peers' senders.
// Thread:    Step() and NextWake() from one thread; Trigger(), Notify*() and Cancel() from any;
//            AddEdge() before the first step.
// Invariant: a checkpoint is taken only while the chain is idle, so a batch is atomic.
// Invariant: exactly one OnTaskEnded is sent, as the last event.
class Task {
 public:
  // `runtimes`: head to tail; a source only as the first. `channels`: what the rows of each channel
  // look like, of all input edges together; none for a source.
  Task(TaskIdentity identity, TaskServices services,
       std::vector<std::unique_ptr<OperatorRuntime>> runtimes,
       std::vector<types::SchemaPtr> channels, TaskRestore restore);
  ~Task();

  const TaskIdentity& identity() const { return identity_; }
  // Thread: any. Set once OnTaskEnded has been sent: no step does anything more.
  std::shared_ptr<const std::atomic<bool>> ended() const { return has_ended_; }
  network::InputGate& gate() { return gate_; }
  base::Mailbox& mailbox() { return mailbox_; }
  const std::vector<std::unique_ptr<OperatorRuntime>>& runtimes() const { return runtimes_; }
  void AddEdge(std::unique_ptr<network::OutputEdge> edge) { output_.AddEdge(std::move(edge)); }

  void Trigger(const checkpoint::Barrier& barrier);
  void NotifyComplete(CheckpointId id);
  void NotifyAborted(CheckpointId id);
  void Cancel();
  // Ends the task with `cause`, which is not of its own making: a channel broke.
  void Fail(const absl::Status& cause);

  StepResult Step();
  // After kIdle: the steady time at which to step even without a poke.
  absl::Duration NextWake() const { return next_wake_; }

 private:
  struct Complete {
    CheckpointId id;
  };
  struct Aborted {
    CheckpointId id;
  };
  using Control = std::variant<checkpoint::Barrier, Complete, Aborted>;
  class SourceCollector;

  // task_restore.cpp
  absl::Status Restore();
  absl::Status RestoreState(OperatorRuntime& runtime, const state::SnapshotInputFactory* inputs);

  // task.cpp
  StepResult End(const absl::Status& status);
  absl::StatusOr<StepResult> Work();
  absl::StatusOr<bool> RunControls();
  absl::StatusOr<StepResult> PollSource();
  absl::StatusOr<StepResult> TakeElement();
  StepResult IdleUntil(absl::Duration wake);
  absl::Status CheckStateMemory();
  absl::Status WithPlace(const absl::Status& status) const;

  // task_input.cpp
  absl::Status OnElement(network::GateElement element);
  absl::Status Apply(const checkpoint::AlignerDecisions& decisions);
  void FeedWatermark(std::optional<EventTimeUs> watermark);
  void FeedIdleness();
  void OnChannelEnded(uint32_t channel);

  // task_checkpoint.cpp
  absl::Status PerformCheckpoint(const checkpoint::Barrier& barrier, absl::Duration alignment);
  absl::StatusOr<std::vector<OperatorPart>> CutParts(const checkpoint::Barrier& barrier);
  absl::Status OnNotifyComplete(CheckpointId id);
  absl::Status OnNotifyAborted(CheckpointId id);
  void Decline(CheckpointId id, checkpoint::FailureReason reason, const absl::Status& cause);
  void ForwardCancel(CheckpointId id);

  const TaskIdentity identity_;
  const TaskServices services_;
  std::vector<std::unique_ptr<OperatorRuntime>> runtimes_;
  TaskRestore restore_;
  base::Mailbox mailbox_;
  const std::vector<types::SchemaPtr> channels_;
  network::InputGate gate_;
  TaskOutput output_;
  InputWatermarks watermarks_;
  bool is_idle_downstream_ = false;
  std::optional<checkpoint::BarrierAligner> aligner_;         // a source has no channels to align
  absl::Duration aligning_since_ = absl::InfiniteDuration();  // steady
  SnapshotWriter writer_;
  std::unique_ptr<operators::OperatorState> source_state_;
  std::optional<Chain> chain_;

  std::atomic<bool> cancelled_{false};  // a stop flag: set once, read in every step
  std::deque<Control> controls_;        // waits for the chain to be idle
  absl::Status failure_;                // from outside
  bool is_restored_ = false;
  bool source_finished_ = false;
  bool end_reported_ = false;
  bool may_finish_ = false;  // the checkpoint that ends the job is complete
  // Shared with whoever waits for the end, which may be that of the task itself.
  const std::shared_ptr<std::atomic<bool>> has_ended_ = std::make_shared<std::atomic<bool>>(false);
  CheckpointId last_barrier_ = kNoCheckpoint;    // the newest whose barrier went out
  CheckpointId ending_barrier_ = kNoCheckpoint;  // of the kind after which the task ends
  uint64_t state_bytes_ = 0;                     // taken from the system, when last looked at
  absl::Duration source_wait_until_ = -absl::InfiniteDuration();
  absl::Duration next_wake_ = absl::InfiniteDuration();
};

}  // namespace weir::task
