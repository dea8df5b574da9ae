#include "taskmanager/app/storage_places.h"

#include <glog/logging.h>

namespace weir::taskmanager {

absl::StatusOr<std::unique_ptr<state::SnapshotOutputFactory>> StorageSnapshotPlaces::OutputsFor(
    const checkpoint::Barrier& barrier) {
  return storage_.OutputsAt(barrier.options.location);
}

absl::StatusOr<std::unique_ptr<state::SnapshotInputFactory>> StorageSnapshotPlaces::InputsFor(
    const std::string& location) {
  return storage_.InputsAt(location);
}

void StorageSnapshotPlaces::Discard(const checkpoint::Barrier& barrier,
                                    const state::OperatorSubtaskState& part) {
  std::vector<state::StreamHandle> streams;
  checkpoint::ForEachStream(
      part, [&streams](const state::StreamHandle& stream) { streams.push_back(stream); });
  const absl::Status discarded = storage_.Discard(barrier.options.location, streams);
  if (discarded.ok()) return;
  LOG(WARNING) << "part of a checkpoint not discarded checkpoint=" << ToInt(barrier.id)
               << " cause=" << discarded;
}

}  // namespace weir::taskmanager
