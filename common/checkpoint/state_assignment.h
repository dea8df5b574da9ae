// StateAssignment: which part of a checkpoint each new subtask starts from.
// Pure: from the metadata and the new job's operators to handles; nothing is read.
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <vector>

#include <absl/status/statusor.h>

#include "common/checkpoint/metadata.h"
#include "common/state/handles.h"

namespace weir::checkpoint {

// An operator of the job that restores.
struct NewOperator {
  std::string uid;
  uint32_t parallelism = 0;
  uint32_t max_parallelism = 0;
  std::string signature;
};

struct RestoreOptions {
  // Operators whose state is left behind on purpose.
  std::set<std::string> dropped_uids;
};

// What one new subtask starts from.
struct SubtaskRestore {
  // Keyed handles carry the intersection of their range with the subtask's, and its offsets.
  state::OperatorSubtaskState state;
  // The operator had consumed all its input everywhere: it processes none again, but what is
  // pending in its state is still committed.
  bool finished = false;

  bool operator==(const SubtaskRestore&) const = default;
};

// By uid, one per new subtask. An operator the checkpoint does not know starts empty.
using StateAssignment = std::map<std::string, std::vector<SubtaskRestore>>;

// At equal parallelism nothing moves, but for union lists (every subtask gets all) and broadcast
// lists that not every subtask reported. Else keyed state goes by key-group range, split-even lists
// in contiguous runs whose lengths differ by at most one, each list starting where the longer runs
// of the one before ended.
//
// FAILED_PRECONDITION: max_parallelism differs; an operator's signature differs; the checkpoint
// holds state of a uid the job has not and that is not dropped. The message names the uid.
// INVALID_ARGUMENT: parallelism 0 or above max_parallelism, or one uid twice.
absl::StatusOr<StateAssignment> AssignState(const CheckpointMetadata& metadata,
                                            const std::vector<NewOperator>& operators,
                                            const RestoreOptions& options);

}  // namespace weir::checkpoint
