// ClusterStores: what each job of a cluster keeps, by the cluster's configuration.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <utility>

#include <absl/status/status.h>

#include "common/coordination/file/file_coordination.h"
#include "common/fs/file_system.h"
#include "jobmanager/dispatcher/job_stores.h"

namespace weir::jobmanager {

// A job's checkpoints lie in `<directory>/<job id>`.
//
// Life: files and coordination outlive it and all it makes. Thread: any.
class ClusterStores final : public dispatcher::JobStoresFactory {
 public:
  // `directory` empty: checkpoints travel in acknowledgements and end with this process.
  // `coordination` null: the lists and counters end with this process.
  ClusterStores(fs::FileSystem& files, std::string directory,
                coordination::FileCoordination* coordination, uint64_t seed)
      : files_(files), directory_(std::move(directory)), coordination_(coordination), seed_(seed) {}

  // Makes the directory, unless checkpoints of stored jobs should lie in it: then it is missing for
  // a reason, such as a disk that is not mounted, and those jobs wait for it. Blocks.
  absl::Status PrepareDirectory();

  bool HasDirectory() const override { return !directory_.empty(); }
  absl::StatusOr<dispatcher::JobStores> Make(JobId job,
                                             const graph::CheckpointingOptions& options) override;

 private:
  // Checkpoints of stored jobs should be there, and not even the directory is.
  bool IsAway() const;
  absl::Status MakeJobDirectory(JobId job, const std::string& root);
  // Of a stored job with checkpoints a store in which they are never missed.
  std::unique_ptr<coordination::CompletedCheckpointStore> MakeCheckpointStore(
      JobId job, const std::string& root, checkpoint::CheckpointStorage& storage,
      const graph::CheckpointingOptions& options);

  fs::FileSystem& files_;
  const std::string directory_;
  coordination::FileCoordination* const coordination_;
  const uint64_t seed_;
};

}  // namespace weir::jobmanager
