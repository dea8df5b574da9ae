// StorageSnapshotPlaces: gives tasks the streams of a checkpoint storage.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "common/checkpoint/metadata.h"
#include "common/checkpoint/storage.h"
#include "taskmanager/task/snapshot_writer.h"

namespace weir::taskmanager {

// Life: `storage` outlives it. Thread: any.
class StorageSnapshotPlaces final : public task::SnapshotPlaces {
 public:
  explicit StorageSnapshotPlaces(checkpoint::CheckpointStorage& storage) : storage_(storage) {}

  absl::StatusOr<std::unique_ptr<state::SnapshotOutputFactory>> OutputsFor(
      const checkpoint::Barrier& barrier) override;
  absl::StatusOr<std::unique_ptr<state::SnapshotInputFactory>> InputsFor(
      const std::string& location) override;
  // A file that cannot be removed is a warning: the sweep of orphans finds it.
  void Discard(const checkpoint::Barrier& barrier,
               const state::OperatorSubtaskState& part) override;

 private:
  checkpoint::CheckpointStorage& storage_;
};

}  // namespace weir::taskmanager
