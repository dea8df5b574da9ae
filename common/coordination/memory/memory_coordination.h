// Coordination in the memory of this process: a job that ends with it.
#pragma once

#include <map>
#include <string>
#include <vector>

#include <absl/base/thread_annotations.h>

#include "common/base/mutex.h"
#include "common/checkpoint/storage.h"
#include "common/coordination/checkpoint_id_counter.h"
#include "common/coordination/completed_checkpoint_store.h"

namespace weir::coordination {

// Invariant: next_ only rises.
class MemoryCheckpointIdCounter final : public CheckpointIdCounter {
 public:
  absl::Status Start() override;
  absl::StatusOr<CheckpointId> GetAndIncrement() override;
  absl::StatusOr<CheckpointId> Get() override;
  absl::Status RaiseTo(CheckpointId next) override;
  absl::Status Stop(JobEnd end) override;

 private:
  absl::Status CheckRunning() const ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);

  base::Mutex mutex_;
  int64_t next_ ABSL_GUARDED_BY(mutex_) = 1;
  bool running_ ABSL_GUARDED_BY(mutex_) = false;
};

// Invariant: at most `retained` entries after an Add().
class MemoryCompletedCheckpointStore final : public CompletedCheckpointStore {
 public:
  // `storage` outlives the store.
  MemoryCompletedCheckpointStore(checkpoint::CheckpointStorage& storage,
                                 RetentionOptions retention);

  absl::StatusOr<Recovered> Recover(const RecoverOptions& options) override;
  AddResult Add(const std::string& location, checkpoint::CheckpointMetadata metadata) override;
  AddResult ReadBack(CheckpointId id) override;
  std::optional<CompletedCheckpoint> Latest() const override;
  std::vector<CheckpointId> ListedIds() const override;
  absl::Status Shutdown(JobEnd end) override;

 private:
  checkpoint::CheckpointStorage& storage_;
  const RetentionOptions retention_;
  std::map<CheckpointId, CompletedCheckpoint> listed_;
  bool shut_down_ = false;
};

}  // namespace weir::coordination
