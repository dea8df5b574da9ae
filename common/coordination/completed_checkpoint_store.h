// CompletedCheckpointStore: the durable list of one job's completed checkpoints.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <absl/status/status.h>
#include <absl/status/statusor.h>

#include "common/base/ids.h"
#include "common/checkpoint/coordinator_facts.h"
#include "common/checkpoint/metadata.h"
#include "common/coordination/job_end.h"

namespace weir::coordination {

struct CompletedCheckpoint {
  CheckpointId id = kNoCheckpoint;
  // Directory of its relative paths.
  std::string location;
  // Shared, because it is immutable and large: restore and history read it.
  std::shared_ptr<const checkpoint::CheckpointMetadata> metadata;
};

struct AddResult {
  checkpoint::StoreOutcome outcome = checkpoint::StoreOutcome::kRefused;
  absl::Status cause;  // why, unless stored
};

// Whether an unreadable newest checkpoint may be passed over.
enum class Fallback : uint8_t {
  kForbidden,
  // No sink commits outside, or every sink can take back what it committed above the restored id.
  kAllowed,
};
struct RecoverOptions {
  Fallback fallback = Fallback::kForbidden;
  // Passes over this id and those above as well: their state turned out to be unreadable.
  // REQUIRES: kNoCheckpoint, or fallback kAllowed.
  CheckpointId below = kNoCheckpoint;
};
struct SkippedCheckpoint {
  CheckpointId id = kNoCheckpoint;
  std::string location;
  absl::Status cause;
};
struct Recovered {
  std::optional<CompletedCheckpoint> newest;  // nullopt: the job starts anew
  std::vector<SkippedCheckpoint> skipped;     // passed over, newest first: to be reported
};

struct RetentionOptions {
  uint32_t retained = 3;  // 0 is taken as 1
  bool delete_on_cancel = false;
};

// The newest `retained` checkpoints are kept.
//
// Life:   Recover() once before anything else; after Shutdown() every Add() is refused.
// Thread: one at a time; the calls block.
class CompletedCheckpointStore {
 public:
  virtual ~CompletedCheckpointStore() = default;

  // Reads the list and checks the newest: its metadata and that every file it names is there in
  // its size.
  // DATA_LOSS: the newest is unreadable and no fallback is allowed. The message names the files and
  // the older checkpoints. UNAVAILABLE: the directory they should lie in is not there, or cannot be
  // reached; nothing was changed. Other codes: the storage's. After an error: call it again before
  // anything else.
  virtual absl::StatusOr<Recovered> Recover(const RecoverOptions& options) = 0;

  // Writes the metadata at `location` and lists the checkpoint. Once it is durable the oldest above
  // `retained` go; a failing removal fails nothing.
  virtual AddResult Add(const std::string& location, checkpoint::CheckpointMetadata metadata) = 0;
  // What became of an Add() that answered kUnknown.
  virtual AddResult ReadBack(CheckpointId id) = 0;

  // The highest id listed; nullopt: none.
  virtual std::optional<CompletedCheckpoint> Latest() const = 0;
  // Rising.
  virtual std::vector<CheckpointId> ListedIds() const = 0;

  // FINISHED removes all, CANCELED as the retention says, FAILED and SUSPENDED keep all. Where the
  // job never runs again and nothing is left, its place goes too.
  virtual absl::Status Shutdown(JobEnd end) = 0;
};

}  // namespace weir::coordination
