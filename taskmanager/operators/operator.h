// Operator: what a step does to its rows, a batch at a time.
// An Operator is immutable and shared by all subtasks; everything mutable is in its OperatorState.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include <absl/functional/any_invocable.h>
#include <absl/status/status.h>
#include <absl/status/statusor.h>

#include "common/base/ids.h"
#include "common/checkpoint/checkpoint_types.h"
#include "common/types/record_batch.h"
#include "taskmanager/operators/subtask_context.h"

namespace weir::operators {

// Most batches an operator emits in one call; then it returns kBlocked and is resumed.
inline constexpr int kEmitBatchesMax = 4;

enum class Verdict : uint8_t {
  kDone,     // the call's work is complete
  kBlocked,  // more is to be emitted: call Resume() once the emitted batches have gone on
};

// Takes what an operator emits. Never blocks.
class BatchSink {
 public:
  virtual ~BatchSink() = default;
  // REQUIRES: at most kEmitBatchesMax times per call of the operator. `batch` is not null.
  virtual void Emit(types::BatchPtr batch) = 0;
};

// The mutable part of one subtask's operator.
class OperatorState {
 public:
  virtual ~OperatorState() = default;
};

// What an operator adds to a checkpoint beside its keyed and list state, which are taken for it.
struct SnapshotRequest {
  CheckpointId id = kNoCheckpoint;
  checkpoint::CheckpointOptions options;
  // Work that must be durable before the checkpoint is acknowledged (a sink's pre-commit), run on
  // the I/O pool. It must own all it uses.
  std::vector<absl::AnyInvocable<absl::Status()>>* async_parts = nullptr;
};

// Thread: all calls for one OperatorState come from its task's thread, one at a time. Errors fail
// the task.
class Operator {
 public:
  virtual ~Operator() = default;

  // Registers the state the operator keeps, in `context`. Nothing is restored yet.
  virtual absl::StatusOr<std::unique_ptr<OperatorState>> NewState(
      SubtaskContext& context) const = 0;
  // State is restored (or empty at a first start). Before any row.
  virtual absl::Status Open(OperatorState& state) const { return absl::OkStatus(); }

  virtual absl::StatusOr<Verdict> OnBatch(const types::BatchPtr& batch, OperatorState& state,
                                          BatchSink& out) const = 0;
  // Event time moved on to `time`. The watermark itself goes on downstream after kDone.
  virtual absl::StatusOr<Verdict> OnWatermark(EventTimeUs time, OperatorState& state,
                                              BatchSink& out) const {
    return Verdict::kDone;
  }
  // Input has ended; called after OnWatermark(kEventTimeMax).
  virtual absl::StatusOr<Verdict> OnEndOfData(OperatorState& state, BatchSink& out) const {
    return Verdict::kDone;
  }
  // Goes on with the call that returned kBlocked.
  virtual absl::StatusOr<Verdict> Resume(OperatorState& state, BatchSink& out) const {
    return Verdict::kDone;
  }

  // A barrier is about to leave: rows held back for a fuller batch must be emitted now.
  virtual absl::Status PrepareSnapshot(OperatorState& state, BatchSink& out) const {
    return absl::OkStatus();
  }
  // Copies what the operator keeps outside its registered tables into its list states. Quick; slow
  // work goes into request.async_parts.
  virtual absl::Status Snapshot(const SnapshotRequest& request, OperatorState& state) const {
    return absl::OkStatus();
  }
  // Checkpoint `id` is complete. May come for several ids at once only as the newest; may be
  // missed.
  virtual absl::Status NotifyComplete(CheckpointId id, OperatorState& state) const {
    return absl::OkStatus();
  }
  virtual absl::Status NotifyAborted(CheckpointId id, OperatorState& state) const {
    return absl::OkStatus();
  }
};

// Stands at the head of a source's chain: makes rows instead of taking them.
class SourceSink : public BatchSink {
 public:
  virtual void EmitWatermark(EventTimeUs time) = 0;
  virtual void EmitIdle(bool is_idle) = 0;
};

enum class PollVerdict : uint8_t {
  kMore,      // call again when there is room
  kWait,      // nothing until `wait_until`
  kFinished,  // no row follows, for ever
};

struct PollResult {
  PollVerdict verdict = PollVerdict::kMore;
  absl::Duration wait_until = absl::InfiniteDuration();  // on Clock::SteadyNow()'s axis
};

// Immutable, as Operator. Thread: as Operator.
class SourceOperator {
 public:
  virtual ~SourceOperator() = default;
  virtual absl::StatusOr<std::unique_ptr<OperatorState>> NewState(
      SubtaskContext& context) const = 0;
  virtual absl::Status Open(OperatorState& state) const = 0;
  // Emits at most kEmitBatchesMax batches and returns; never blocks.
  virtual absl::StatusOr<PollResult> Poll(OperatorState& state, SourceSink& out) const = 0;
  virtual absl::Status Snapshot(const SnapshotRequest& request, OperatorState& state) const = 0;
  virtual absl::Status NotifyComplete(CheckpointId id, OperatorState& state) const {
    return absl::OkStatus();
  }
};

}  // namespace weir::operators
