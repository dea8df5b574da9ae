// StorageSnapshotPlaces: gives tasks the streams of a checkpoint storage.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "common/checkpoint/metadata.h"
#include "common/checkpoint/storage.h"
#include "taskmanager/task/snapshot_writer.h"

namespace weir::taskmanager {

// What was made in memory travels in acknowledgements; its location says so.
//
// Life: the storages outlive it. Thread: any.
class StorageSnapshotPlaces final : public task::SnapshotPlaces {
 public:
  // One storage for all.
  explicit StorageSnapshotPlaces(checkpoint::CheckpointStorage& storage)
      : StorageSnapshotPlaces(storage, storage) {}
  // `in_memory` for locations that a checkpoint storage in memory has made, `storage` for others.
  StorageSnapshotPlaces(checkpoint::CheckpointStorage& storage,
                        checkpoint::CheckpointStorage& in_memory)
      : storage_(storage), in_memory_(in_memory) {}

  absl::StatusOr<std::unique_ptr<state::SnapshotOutputFactory>> OutputsFor(
      const checkpoint::Barrier& barrier) override;
  absl::StatusOr<std::unique_ptr<state::SnapshotInputFactory>> InputsFor(
      const std::string& location) override;
  // A file that cannot be removed is a warning: the sweep of orphans finds it.
  void Discard(const checkpoint::Barrier& barrier,
               const state::OperatorSubtaskState& part) override;

 private:
  checkpoint::CheckpointStorage& StorageOf(const std::string& location) const;

  checkpoint::CheckpointStorage& storage_;
  checkpoint::CheckpointStorage& in_memory_;
};

}  // namespace weir::taskmanager
