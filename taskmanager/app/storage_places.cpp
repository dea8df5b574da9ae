#include "taskmanager/app/storage_places.h"

#include <glog/logging.h>

#include "common/checkpoint/memory_storage.h"

namespace weir::taskmanager {

checkpoint::CheckpointStorage& StorageSnapshotPlaces::StorageOf(const std::string& location) const {
  return checkpoint::IsMemoryLocation(location) ? in_memory_ : storage_;
}

absl::StatusOr<std::unique_ptr<state::SnapshotOutputFactory>> StorageSnapshotPlaces::OutputsFor(
    const checkpoint::Barrier& barrier) {
  return StorageOf(barrier.options.location).OutputsAt(barrier.options.location);
}

absl::StatusOr<std::unique_ptr<state::SnapshotInputFactory>> StorageSnapshotPlaces::InputsFor(
    const std::string& location) {
  return StorageOf(location).InputsAt(location);
}

void StorageSnapshotPlaces::Discard(const checkpoint::Barrier& barrier,
                                    const state::OperatorSubtaskState& part) {
  std::vector<state::StreamHandle> streams;
  checkpoint::ForEachStream(
      part, [&streams](const state::StreamHandle& stream) { streams.push_back(stream); });
  const absl::Status discarded =
      StorageOf(barrier.options.location).Discard(barrier.options.location, streams);
  if (discarded.ok()) return;
  LOG(WARNING) << "part of a checkpoint not discarded checkpoint=" << ToInt(barrier.id)
               << " cause=" << discarded;
}

}  // namespace weir::taskmanager
