// SnapshotWriter: the asynchronous half of a task's checkpoints: writes what the synchronous half
// cut, off the task's thread, then acknowledges or declines.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include <absl/base/thread_annotations.h>
#include <absl/functional/any_invocable.h>
#include <absl/status/status.h>

#include "common/base/clock.h"
#include "common/base/executor.h"
#include "common/base/mutex.h"
#include "common/checkpoint/coordinator_facts.h"
#include "common/rpc/task_gateway.h"
#include "common/state/keyed_backend.h"
#include "common/state/operator_state.h"

namespace weir::task {

// Where snapshots are written to and read from; made by app from the checkpoint storage.
// Thread: any.
class SnapshotPlaces {
 public:
  virtual ~SnapshotPlaces() = default;
  // Streams of the checkpoint a barrier names.
  virtual absl::StatusOr<std::unique_ptr<state::SnapshotOutputFactory>> OutputsFor(
      const checkpoint::Barrier& barrier) = 0;
  // Streams of the checkpoint at `location`.
  virtual absl::StatusOr<std::unique_ptr<state::SnapshotInputFactory>> InputsFor(
      const std::string& location) = 0;
  // Removes the files of a part that nobody was told of.
  virtual void Discard(const checkpoint::Barrier& barrier,
                       const state::OperatorSubtaskState& part) = 0;
};

// What one operator adds to a checkpoint.
struct OperatorPart {
  std::string uid;
  std::vector<absl::AnyInvocable<absl::Status()>> async_parts;  // first, in order
  std::unique_ptr<state::KeyedSnapshot> keyed;
  std::unique_ptr<state::OperatorSnapshot> lists;
};

// Life:      made with the task; CloseAndWait() before it goes.
// Thread:    Start(), Abort() and CloseAndWait() from the task's thread; the work runs on `io`.
// Invariant: each part is either reported or discarded, decided in one step under the lock.
class SnapshotWriter {
 public:
  SnapshotWriter(base::Executor& io, SnapshotPlaces& places, const base::Clock& clock,
                 checkpoint::Sender sender, rpc::TaskEvents& events);
  ~SnapshotWriter();

  // Writes `parts` and sends the acknowledgement, or a decline (ASYNC failure).
  void Start(const checkpoint::Barrier& barrier, std::vector<OperatorPart> parts,
             checkpoint::AckMetrics metrics, bool finished);
  // The checkpoint was given up: what is still being written is discarded and not reported.
  void Abort(CheckpointId id);
  // Aborts all and waits until nothing of this task runs any more.
  void CloseAndWait();

 private:
  struct Work;
  void Run(Work& work);
  absl::Status Write(Work& work, checkpoint::AckFacts* ack);
  // CANCELLED: it was aborted. Asked before each step that may wait for a disk: of the many that
  // wait for the same few threads when a job stops, none does what nobody wants any more.
  absl::Status CheckWanted(CheckpointId id) const;
  // False: it was aborted meanwhile.
  bool TakeForReport(CheckpointId id);

  base::Executor& io_;
  SnapshotPlaces& places_;
  const base::Clock& clock_;
  const checkpoint::Sender sender_;
  rpc::TaskEvents& events_;
  mutable base::Mutex mutex_;
  base::CondVar ended_;
  std::map<CheckpointId, bool> running_ ABSL_GUARDED_BY(mutex_);  // false: aborted
  size_t running_count_ ABSL_GUARDED_BY(mutex_) = 0;
};

}  // namespace weir::task
