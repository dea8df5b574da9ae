#include "jobmanager/app/cluster_stores.h"

#include <utility>

#include "common/base/random.h"
#include "common/base/status_macros.h"
#include "common/checkpoint/file_storage.h"
#include "common/checkpoint/memory_storage.h"
#include "common/coordination/file/file_checkpoint_store.h"
#include "common/coordination/file/file_stores.h"
#include "common/coordination/memory/memory_coordination.h"
#include "common/fs/path.h"

namespace weir::jobmanager {

absl::StatusOr<dispatcher::JobStores> ClusterStores::Make(
    JobId job, const graph::CheckpointingOptions& options) {
  const coordination::RetentionOptions retention{
      .retained = static_cast<uint32_t>(options.retained),
      .delete_on_cancel = options.on_cancel == graph::OnCancel::kDelete};
  const std::string root =
      HasDirectory() ? fs::JoinPath(directory_, job.ToString()) : std::string();
  dispatcher::JobStores stores;
  if (HasDirectory()) {
    WEIR_RETURN_IF_ERROR(files_.MakeDirs(root));
    WEIR_ASSIGN_OR_RETURN(const checkpoint::StreamOptions streams,
                          checkpoint::CheckStreamOptions({}));
    stores.storage = std::make_unique<checkpoint::FileCheckpointStorage>(
        files_, root, streams, base::MixBits(seed_ ^ job.high ^ job.low));
  } else {
    stores.storage = std::make_unique<checkpoint::MemoryCheckpointStorage>();
  }
  if (coordination_ != nullptr) {
    stores.counter = std::make_unique<coordination::FileCheckpointIdCounter>(*coordination_, job);
  } else {
    stores.counter = std::make_unique<coordination::MemoryCheckpointIdCounter>();
  }
  if (coordination_ != nullptr && HasDirectory()) {
    stores.checkpoints = std::make_unique<coordination::FileCompletedCheckpointStore>(
        *coordination_, files_, job, root, *stores.storage, retention);
  } else {
    stores.checkpoints =
        std::make_unique<coordination::MemoryCompletedCheckpointStore>(*stores.storage, retention);
  }
  return stores;
}

}  // namespace weir::jobmanager
