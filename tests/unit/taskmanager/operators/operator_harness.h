// OperatorHarness: runs one subtask of an operator as a task would, without one: drives calls that
// are blocked to their end, collects what is emitted and checks the operator's contract on the way:
// at most kEmitBatchesMax batches a call, no empty batch, both rows of an update next to each other
// in one batch. State is snapshotted into memory and restored into any parallelism.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include <absl/status/status.h>

#include "common/state/handles.h"
#include "common/testing/faulty_fs.h"
#include "common/testing/manual_clock.h"
#include "taskmanager/operators/operator.h"

namespace weir::operators {

// Collects batches. Fails the running test if one breaks the contract.
class CheckingSink final : public BatchSink {
 public:
  void Emit(types::BatchPtr batch) override;
  // A new call of the operator begins.
  void BeginCall() { emitted_in_call_ = 0; }
  int emitted_in_call() const { return emitted_in_call_; }
  std::vector<types::BatchPtr> Take() { return std::move(batches_); }

 private:
  std::vector<types::BatchPtr> batches_;
  int emitted_in_call_ = 0;
};

// Which of an operator's parallel instances.
struct SubtaskPlace {
  uint32_t subtask = 0;
  uint32_t parallelism = 1;
  uint32_t max_parallelism = 128;
};

// Life: the operator outlives it. Each call must return OK unless its Status is handed out.
class OperatorHarness {
 public:
  explicit OperatorHarness(const Operator& op, SubtaskPlace place = {});

  // Opens with the state of all subtasks of a former run (of any parallelism), or none.
  // List state with ListMode::kUnion only: every subtask gets every element.
  absl::Status TryStart(const std::vector<state::OperatorSubtaskState>& restored = {});
  void Start(const std::vector<state::OperatorSubtaskState>& restored = {});

  absl::Status TryPush(const types::BatchPtr& batch);
  void Push(const types::BatchPtr& batch);
  absl::Status TryWatermark(EventTimeUs time);
  void Watermark(EventTimeUs time);
  // The maximal watermark, then the end of the input.
  absl::Status TryEnd();
  void End();

  // What a checkpoint taken now holds.
  state::OperatorSubtaskState Snapshot();

  std::vector<types::BatchPtr> TakeOutput() { return sink_.Take(); }
  const OperatorMetrics& metrics() const { return metrics_; }
  OperatorState& state() { return *state_; }
  SubtaskContext& context() { return context_; }
  testing::FaultyFs& files() { return files_; }
  testing::ManualClock& clock() { return clock_; }
  // Calls that returned kBlocked so far.
  int blocked_count() const { return blocked_count_; }

 private:
  absl::Status Drive(absl::StatusOr<Verdict> verdict);

  const Operator& op_;
  state::KeyedBackend keyed_;
  state::OperatorState lists_;
  OperatorMetrics metrics_;
  testing::ManualClock clock_;
  testing::FaultyFs files_;
  SubtaskContext context_;
  CheckingSink sink_;
  std::unique_ptr<OperatorState> state_;
  int blocked_count_ = 0;
  int64_t next_checkpoint_ = 1;
};

}  // namespace weir::operators
