// CheckpointCoordinator: carries out what the pure coordinator core decides: timers, calls to
// tasks, and storage on the I/O pool. It decides nothing itself.
#pragma once

#include <deque>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <absl/functional/any_invocable.h>
#include <absl/status/status.h>
#include <absl/status/statusor.h>

#include "common/base/clock.h"
#include "common/base/executor.h"
#include "common/base/mailbox.h"
#include "common/base/serial_executor.h"
#include "common/base/timer_service.h"
#include "common/checkpoint/coordinator_core.h"
#include "common/checkpoint/storage.h"
#include "common/coordination/checkpoint_id_counter.h"
#include "common/coordination/completed_checkpoint_store.h"
#include "common/rpc/task_gateway.h"

namespace weir::checkpointing {

// Told what checkpointing means for the job. Thread: the coordinator's.
class CheckpointOwner {
 public:
  virtual ~CheckpointOwner() = default;
  // More failures in a row than tolerated.
  virtual void OnCheckpointingFailed(const absl::Status& cause) = 0;
  // What became of a checkpoint stays unknown (ABORTED): this process must not lead any more, and
  // every file is left where it is. OnQuiesced() follows only after OnShutdown().
  virtual void OnLeadershipLost(const absl::Status& cause) = 0;
  // Nothing is pending: the newest completed checkpoint may be read.
  virtual void OnQuiesced() = 0;
};

// All outlive the coordinator.
struct CheckpointServices {
  const base::Clock& clock;
  base::TimerService& timers;
  base::Executor& io;
  base::Mailbox& loop;  // of the coordinator's thread
  checkpoint::CheckpointStorage& storage;
  coordination::CheckpointIdCounter& counter;
  coordination::CompletedCheckpointStore& store;
  rpc::TaskGateway& tasks;
};

// Life:   one per job, from CREATED until the job has ended. Work on the I/O pool that outlives it
//         finds nobody and changes nothing here.
// Thread: the control loop's.
class CheckpointCoordinator {
 public:
  CheckpointCoordinator(checkpoint::JobFacts job, checkpoint::CoordinatorSettings settings,
                        CheckpointId restored, uint64_t seed, CheckpointServices services,
                        CheckpointOwner& owner);
  ~CheckpointCoordinator();

  void OnDeployed(const std::vector<checkpoint::AttemptFacts>& attempts);
  void OnTaskState(AttemptId attempt, checkpoint::TaskState state);
  void OnEndOfData(AttemptId attempt);
  void OnJobRunning();
  void OnRestart(const std::string& cause);
  void OnShutdown(checkpoint::ShutdownReason reason);
  void OnAck(checkpoint::AckFacts ack);
  void OnDecline(const checkpoint::DeclineFacts& decline);

  // A checkpoint that a person asks for. `done` runs once, later or inside the call, with the id of
  // the completed checkpoint, or with why it did not come to that: FAILED_PRECONDITION, ABORTED,
  // RESOURCE_EXHAUSTED, DEADLINE_EXCEEDED, the storage's; UNAVAILABLE: this was destroyed before.
  using TriggerDone = absl::AnyInvocable<void(absl::StatusOr<CheckpointId>)>;
  void Trigger(TriggerDone done);

  const checkpoint::CheckpointHistory& history() const { return core_.history(); }
  CheckpointId latest_completed() const { return core_.latest_completed(); }

 private:
  checkpoint::Now Now() const;
  // Carries out `actions` in order; those that further facts bring come after.
  void Execute(checkpoint::Actions actions);
  // Runs `work` on `io` and `done` with its result here, unless this is gone by then.
  template <class Result>
  void RunOn(base::Executor& io, absl::AnyInvocable<Result()> work,
             absl::AnyInvocable<void(Result)> done);

  void Do(checkpoint::ArmTimer action);
  void Do(checkpoint::CancelTimer action);
  void Do(const checkpoint::FetchId& action);
  void Do(const checkpoint::RemoveLocation& action);
  void Do(const checkpoint::CallMasterHooks& action);
  void Do(const checkpoint::SendTrigger& action);
  void Do(checkpoint::WriteMetadataAndStore action);
  void Do(checkpoint::ReadStoreBack action);
  void Do(checkpoint::NotifyComplete action);
  void Do(checkpoint::NotifyAborted action);
  void Do(checkpoint::DiscardState action);
  void Do(checkpoint::RequestEnded action);
  void Do(const checkpoint::FailJob& action);
  void Do(const checkpoint::GiveUpLeadership& action);
  void Do(checkpoint::Quiesced action);
  void Do(const checkpoint::LogLine& action);

  using TimerKey = std::pair<checkpoint::TimerKind, CheckpointId>;

  const CheckpointServices services_;
  CheckpointOwner& owner_;
  checkpoint::CoordinatorCore core_;
  std::map<TimerKey, base::TimerId> timers_;
  std::map<checkpoint::RequestToken, TriggerDone> asked_;
  uint64_t last_token_ = 0;
  // The store takes one call at a time, and two checkpoints may complete at once.
  base::SerialExecutor store_io_;
  std::deque<checkpoint::Action> waiting_;
  bool executing_ = false;
  // Held weakly by work on the I/O pool: whether this still lives. Used on the loop only.
  std::shared_ptr<CheckpointCoordinator*> self_;
};

}  // namespace weir::checkpointing
