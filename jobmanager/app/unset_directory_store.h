// UnsetDirectoryStore: the checkpoints of a stored job when this process is not told where they
// lie.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "common/coordination/completed_checkpoint_store.h"

namespace weir::jobmanager {

// The job waits: to start it from nothing would repeat all it has given out. Whoever sets
// state.checkpoints.dir again starts another process, so it waits for as long as this one lives.
//
// Thread: any.
class UnsetDirectoryStore final : public coordination::CompletedCheckpointStore {
 public:
  // `listed`: what the log says there is, rising. REQUIRES: not empty.
  explicit UnsetDirectoryStore(std::vector<CheckpointId> listed);

  // UNAVAILABLE, always.
  absl::StatusOr<coordination::Recovered> Recover(
      const coordination::RecoverOptions& options) override;
  coordination::AddResult Add(const std::string& location,
                              checkpoint::CheckpointMetadata metadata) override;
  coordination::AddResult ReadBack(CheckpointId id) override;
  std::optional<coordination::CompletedCheckpoint> Latest() const override { return std::nullopt; }
  std::vector<CheckpointId> ListedIds() const override { return listed_; }
  // Removes nothing: it does not know where.
  absl::Status Shutdown(coordination::JobEnd end) override { return absl::OkStatus(); }

 private:
  absl::Status Unset() const;

  const std::vector<CheckpointId> listed_;
};

}  // namespace weir::jobmanager
