// CheckpointMetadata: everything a restore needs to know about one completed checkpoint.
// Bytes: metadata_codec.h. Which state goes where on restore: state_assignment.h.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include <absl/time/time.h>

#include "common/base/ids.h"
#include "common/base/string_view.h"
#include "common/checkpoint/checkpoint_types.h"
#include "common/state/handles.h"

namespace weir::checkpoint {

using OperatorId = base::Id128<struct OperatorTag>;

// Frozen: the id of an operator is a function of its uid for ever (golden-tested).
OperatorId OperatorIdOfUid(StringView uid);

// One old subtask's part.
struct SubtaskSnapshot {
  state::OperatorSubtaskState state;
  // It had consumed all its input when it acknowledged, or ended before this checkpoint.
  bool finished = false;

  bool operator==(const SubtaskSnapshot&) const = default;
};

struct OperatorSnapshot {
  std::string uid;
  OperatorId id;
  uint32_t max_parallelism = 0;
  // What the operator's state means, written by the planner and compared on restore.
  std::string signature;
  // One per subtask: size() is the parallelism.
  std::vector<SubtaskSnapshot> subtasks;

  bool operator==(const OperatorSnapshot&) const = default;
  uint32_t Parallelism() const { return static_cast<uint32_t>(subtasks.size()); }
  bool IsFinished() const;
};

// What a named callback of the jobmanager wants back on restore.
struct MasterHookState {
  std::string name;
  uint32_t version = 0;
  std::string bytes;

  bool operator==(const MasterHookState&) const = default;
};

struct CheckpointMetadata {
  JobId job_id;
  std::string job_name;
  CheckpointId id = kNoCheckpoint;
  absl::Time triggered_at;  // wall time, whole microseconds
  CheckpointKind kind = CheckpointKind::kCheckpoint;
  uint32_t max_parallelism = 0;             // the job's; never changes
  std::vector<OperatorSnapshot> operators;  // sorted by uid, each once
  std::vector<MasterHookState> master_hooks;

  bool operator==(const CheckpointMetadata&) const = default;
};

// Bytes of all handles of one subtask, inline ones included.
uint64_t StateBytes(const state::OperatorSubtaskState& state);
// Calls `visit` with every stream handle of `state`.
void ForEachStream(const state::OperatorSubtaskState& state,
                   const std::function<void(const state::StreamHandle&)>& visit);

}  // namespace weir::checkpoint
