// FileCheckpointStorage: checkpoints as directories of one file system.
//   <directory>/chk-<id>/        exclusive files and _metadata, which makes it complete
//   <directory>/shared/          files several checkpoints use
//   <directory>/taskowned/       files whose life the tasks decide
//   <directory>/savepoint-<short job id>-<random>/
#pragma once

#include <cstddef>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include <absl/base/thread_annotations.h>

#include "common/base/mutex.h"
#include "common/checkpoint/file_streams.h"
#include "common/checkpoint/storage.h"
#include "common/fs/file_system.h"

namespace weir::checkpoint {

inline constexpr char kMetadataFileName[] = "_metadata";
inline constexpr char kSharedDirectoryName[] = "shared";
inline constexpr char kTaskOwnedDirectoryName[] = "taskowned";
inline constexpr char kCheckpointDirectoryPrefix[] = "chk-";

// "chk-17".
std::string CheckpointDirectoryName(CheckpointId id);
// kNoCheckpoint: not the name of a checkpoint's directory.
CheckpointId CheckpointIdOfDirectory(StringView name);

// Life: `file_system` outlives it and all its streams; it outlives its streams.
class FileCheckpointStorage final : public CheckpointStorage {
 public:
  // `seed`: for file names; base::EntropySeed() outside tests. REQUIRES: checked options, see
  // CheckStreamOptions().
  FileCheckpointStorage(fs::FileSystem& file_system, std::string directory, StreamOptions options,
                        uint64_t seed);

  absl::StatusOr<std::string> MakeLocation(CheckpointId id) override;
  absl::StatusOr<std::string> MakeSavepointLocation(JobId job, const std::string& target) override;
  absl::Status RemoveLocation(const std::string& location) override;
  absl::Status Discard(const std::string& location,
                       const std::vector<state::StreamHandle>& streams) override;
  std::unique_ptr<state::SnapshotOutputFactory> OutputsAt(const std::string& location) override;
  std::unique_ptr<state::SnapshotInputFactory> InputsAt(const std::string& location) override;
  absl::Status WriteMetadata(const std::string& location,
                             const CheckpointMetadata& metadata) override;
  absl::StatusOr<CheckpointMetadata> ReadMetadata(const std::string& location) override;

  const std::string& directory() const { return directory_; }

 private:
  fs::FileSystem& file_system_;
  const std::string directory_;
  const StreamOptions options_;
  FileNames names_;
  base::Mutex mutex_;
  // Locations written to lately, so that all tasks of this process share one inline budget.
  std::map<std::string, std::shared_ptr<StreamPlace>> places_ ABSL_GUARDED_BY(mutex_);
};

}  // namespace weir::checkpoint
