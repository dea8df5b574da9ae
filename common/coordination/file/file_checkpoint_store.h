// FileCompletedCheckpointStore: one job's completed checkpoints, listed in a FileCoordination.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "common/checkpoint/storage.h"
#include "common/coordination/completed_checkpoint_store.h"
#include "common/coordination/file/file_coordination.h"

namespace weir::coordination {

// First the metadata, then the list: what is listed can be read.
//
// Life:      `coordination`, `files` and `storage` outlive it.
// Invariant: listed_ is what the log says, but for an Add() whose outcome is unknown.
class FileCompletedCheckpointStore final : public CompletedCheckpointStore {
 public:
  // `root`: the job's checkpoint directory, in which `storage` makes its locations.
  FileCompletedCheckpointStore(FileCoordination& coordination, fs::FileSystem& files, JobId job,
                               std::string root, checkpoint::CheckpointStorage& storage,
                               RetentionOptions retention);

  absl::StatusOr<Recovered> Recover(const RecoverOptions& options) override;
  AddResult Add(const std::string& location, checkpoint::CheckpointMetadata metadata) override;
  AddResult ReadBack(CheckpointId id) override;
  std::optional<CompletedCheckpoint> Latest() const override { return latest_; }
  std::vector<CheckpointId> ListedIds() const override;
  absl::Status Shutdown(JobEnd end) override;

 private:
  absl::StatusOr<CompletedCheckpoint> ReadWhole(const ListedCheckpoint& listed) const;
  absl::Status CheckDirectory(const std::vector<ListedCheckpoint>& listed) const;
  absl::Status CheckFiles(const CompletedCheckpoint& read) const;
  absl::Status Refusal(const SkippedCheckpoint& newest) const;
  absl::Status SetAside(const std::vector<SkippedCheckpoint>& skipped);
  std::vector<ListedCheckpoint> InLog(std::vector<ListedCheckpoint> listed) const;
  absl::Status WriteList(std::vector<ListedCheckpoint> listed);
  void RemoveUnlisted();
  absl::Status RemoveAll();
  absl::Status RemoveDirectoryIfEmpty();

  FileCoordination& coordination_;
  fs::FileSystem& files_;
  const JobId job_;
  const std::string root_;
  checkpoint::CheckpointStorage& storage_;
  const RetentionOptions retention_;
  std::vector<ListedCheckpoint> listed_;  // rising
  std::optional<CompletedCheckpoint> latest_;
  // Why the outcome of an Add() cannot be known here.
  absl::Status unknown_cause_ = absl::AbortedError("this process leads no more");
  bool shut_down_ = false;
};

}  // namespace weir::coordination
