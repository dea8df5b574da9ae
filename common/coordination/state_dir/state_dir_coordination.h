// Coordination in a StateDirectory: a job that survives its process.
// The list of completed checkpoints is the directory itself: a chk-<id> with _metadata is listed.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include <absl/base/thread_annotations.h>

#include "common/base/mutex.h"
#include "common/checkpoint/storage.h"
#include "common/coordination/checkpoint_id_counter.h"
#include "common/coordination/completed_checkpoint_store.h"
#include "common/coordination/state_dir/state_directory.h"

namespace weir::coordination {

// Nothing is written here: the location made for every id is what the next start finds.
class StateDirCheckpointIdCounter final : public CheckpointIdCounter {
 public:
  // `seen`: the highest id the caller knows of elsewhere, for example from names of sink files.
  StateDirCheckpointIdCounter(const StateDirectory& directory, CheckpointId seen);

  absl::Status Start() override;
  absl::StatusOr<CheckpointId> GetAndIncrement() override;
  absl::StatusOr<CheckpointId> Get() override;
  absl::Status RaiseTo(CheckpointId next) override;
  absl::Status Stop(JobEnd end) override;

 private:
  absl::Status CheckRunning() const ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);

  const StateDirectory& directory_;
  const CheckpointId seen_;
  base::Mutex mutex_;
  int64_t next_ ABSL_GUARDED_BY(mutex_) = 1;
  bool running_ ABSL_GUARDED_BY(mutex_) = false;
};

// Life:      `directory` and `storage`, whose place is the directory, outlive the store.
// Invariant: every id in listed_ has its _metadata, but for one whose removal failed half-way.
class StateDirCompletedCheckpointStore final : public CompletedCheckpointStore {
 public:
  StateDirCompletedCheckpointStore(const StateDirectory& directory,
                                   checkpoint::CheckpointStorage& storage,
                                   RetentionOptions retention);

  absl::StatusOr<Recovered> Recover(const RecoverOptions& options) override;
  AddResult Add(const std::string& location, checkpoint::CheckpointMetadata metadata) override;
  AddResult ReadBack(CheckpointId id) override;
  std::optional<CompletedCheckpoint> Latest() const override { return latest_; }
  std::vector<CheckpointId> ListedIds() const override;
  absl::Status Shutdown(JobEnd end) override;

 private:
  absl::StatusOr<CompletedCheckpoint> ReadWhole(CheckpointId id) const;
  absl::Status CheckFiles(const CompletedCheckpoint& read) const;
  absl::Status Refusal(const SkippedCheckpoint& newest) const;
  absl::Status SetAside(const std::vector<SkippedCheckpoint>& skipped);
  AddResult OutcomeOf(CheckpointId id, const absl::Status& written) const;
  AddResult OnStored(CompletedCheckpoint stored);
  void RemoveSurplus();
  absl::Status RemoveAll();

  const StateDirectory& directory_;
  checkpoint::CheckpointStorage& storage_;
  const RetentionOptions retention_;
  std::vector<CheckpointId> listed_;  // rising
  std::optional<CompletedCheckpoint> latest_;
  std::optional<CompletedCheckpoint> unknown_;  // the last Add() whose outcome is unknown
  bool shut_down_ = false;
};

}  // namespace weir::coordination
