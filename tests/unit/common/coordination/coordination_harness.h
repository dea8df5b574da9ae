// What the coordination tests share: small checkpoints of one job.
#pragma once

#include <string>

#include "common/checkpoint/metadata.h"
#include "common/checkpoint/storage.h"

namespace weir::coordination {

// A checkpoint of one operator whose state says which id wrote it.
inline checkpoint::CheckpointMetadata SmallMetadata(int64_t id, const state::StreamHandle& stream) {
  checkpoint::CheckpointMetadata metadata;
  metadata.job_id = {1, 2};
  metadata.job_name = "job";
  metadata.id = CheckpointId{id};
  metadata.triggered_at = absl::FromUnixSeconds(id);
  metadata.max_parallelism = 128;
  checkpoint::OperatorSnapshot snapshot;
  snapshot.uid = "op";
  snapshot.id = checkpoint::OperatorIdOfUid("op");
  snapshot.max_parallelism = 128;
  snapshot.subtasks.resize(1);
  state::OperatorStateHandle handle;
  handle.lists["list"] = {state::ListMode::kSplitEven, {0}};
  handle.stream = stream;
  snapshot.subtasks[0].state.operator_managed = {handle};
  metadata.operators = {snapshot};
  return metadata;
}

inline std::string StateBytesOf(int64_t id) {
  return "state of " + std::to_string(id) + std::string(5000, 'x');
}

// Writes the state file of checkpoint `id`.
inline absl::StatusOr<state::StreamHandle> WriteState(checkpoint::CheckpointStorage& storage,
                                                      const std::string& location, int64_t id) {
  auto output = storage.OutputsAt(location)->Create();
  if (!output.ok()) return output.status();
  const absl::Status written = (*output)->Write(StateBytesOf(id));
  if (!written.ok()) return written;
  return (*output)->Finish();
}

}  // namespace weir::coordination
