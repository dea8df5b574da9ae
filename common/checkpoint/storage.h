// CheckpointStorage: where checkpoints lie. A location is the directory of one checkpoint.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include <absl/status/status.h>
#include <absl/status/statusor.h>

#include "common/base/ids.h"
#include "common/base/string_view.h"
#include "common/checkpoint/metadata.h"
#include "common/state/handles.h"
#include "common/state/snapshot_stream.h"

namespace weir::checkpoint {

// Errors are those of common/fs/file_system.h unless a method says otherwise.
//
// Life:   outlives the factories it makes.
// Thread: any; the calls block.
class CheckpointStorage {
 public:
  virtual ~CheckpointStorage() = default;

  // Makes the location of checkpoint `id`, durably. ALREADY_EXISTS: it is taken.
  virtual absl::StatusOr<std::string> MakeLocation(CheckpointId id) = 0;
  // Makes a fresh location of a savepoint below `target`; empty: in the storage's own place.
  virtual absl::StatusOr<std::string> MakeSavepointLocation(JobId job,
                                                            const std::string& target) = 0;
  // Removes a location with all in it; what makes it a completed checkpoint goes first. OK if
  // nothing is there.
  virtual absl::Status RemoveLocation(const std::string& location) = 0;
  // Deletes the files of `streams`, relative ones below `location`. All are tried; the first error
  // is returned. OK if nothing is there.
  virtual absl::Status Discard(const std::string& location,
                               const std::vector<state::StreamHandle>& streams) = 0;

  // Streams of a checkpoint to be written or read at `location`. Makes no directory.
  virtual std::unique_ptr<state::SnapshotOutputFactory> OutputsAt(const std::string& location) = 0;
  virtual std::unique_ptr<state::SnapshotInputFactory> InputsAt(const std::string& location) = 0;

  // Durable once it returns OK. After another result it may be there or not.
  virtual absl::Status WriteMetadata(const std::string& location,
                                     const CheckpointMetadata& metadata) = 0;
  // NOT_FOUND: no completed checkpoint is there. DATA_LOSS: damaged; the message names the file.
  virtual absl::StatusOr<CheckpointMetadata> ReadMetadata(const std::string& location) = 0;
};

}  // namespace weir::checkpoint
