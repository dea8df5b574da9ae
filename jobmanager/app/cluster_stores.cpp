#include "jobmanager/app/cluster_stores.h"

#include <algorithm>
#include <utility>
#include <vector>

#include <absl/strings/str_cat.h>
#include <glog/logging.h>

#include "common/base/random.h"
#include "common/base/status_macros.h"
#include "common/checkpoint/file_storage.h"
#include "common/checkpoint/memory_storage.h"
#include "common/coordination/file/file_checkpoint_store.h"
#include "common/coordination/file/file_stores.h"
#include "common/coordination/memory/memory_coordination.h"
#include "common/fs/path.h"
#include "jobmanager/app/unset_directory_store.h"

namespace weir::jobmanager {

bool ClusterStores::IsAway() const {
  if (coordination_ == nullptr) return false;
  const coordination::CoordinationState state = coordination_->State();
  const bool is_expected =
      std::any_of(state.jobs().begin(), state.jobs().end(),
                  [&state](const auto& job) { return !state.Checkpoints(job.first).empty(); });
  return is_expected && absl::IsNotFound(files_.Stat(directory_).status());
}

absl::Status ClusterStores::PrepareDirectory() {
  if (!HasDirectory()) return absl::OkStatus();
  if (!IsAway()) return files_.MakeDirs(directory_);
  LOG(ERROR) << "checkpoint directory is not there, its jobs wait for it directory=" << directory_;
  return absl::OkStatus();
}

absl::Status ClusterStores::MakeJobDirectory(JobId job, const std::string& root) {
  // What a stored job left there is missed when it is read; made anew it would look like damage.
  if (coordination_ != nullptr && coordination_->State().jobs().contains(job)) {
    return absl::OkStatus();
  }
  if (!IsAway()) return files_.MakeDirs(root);
  return absl::UnavailableError(
      absl::StrCat("the checkpoint directory ", directory_,
                   " is not there, and other jobs wait for it: mount its disk or put it back"));
}

std::unique_ptr<coordination::CompletedCheckpointStore> ClusterStores::MakeCheckpointStore(
    JobId job, const std::string& root, checkpoint::CheckpointStorage& storage,
    const graph::CheckpointingOptions& options) {
  const coordination::RetentionOptions retention{
      .retained = static_cast<uint32_t>(options.retained),
      .delete_on_cancel = options.on_cancel == graph::OnCancel::kDelete};
  if (coordination_ != nullptr && HasDirectory()) {
    return std::make_unique<coordination::FileCompletedCheckpointStore>(*coordination_, files_, job,
                                                                        root, storage, retention);
  }
  // Lists of checkpoints in memory are in no log: what is listed lies in a directory.
  std::vector<CheckpointId> listed;
  if (coordination_ != nullptr) {
    for (const auto& one : coordination_->State().Checkpoints(job)) listed.push_back(one.id);
  }
  if (!listed.empty()) return std::make_unique<UnsetDirectoryStore>(std::move(listed));
  return std::make_unique<coordination::MemoryCompletedCheckpointStore>(storage, retention);
}

absl::StatusOr<dispatcher::JobStores> ClusterStores::Make(
    JobId job, const graph::CheckpointingOptions& options) {
  const std::string root =
      HasDirectory() ? fs::JoinPath(directory_, job.ToString()) : std::string();
  dispatcher::JobStores stores;
  if (HasDirectory()) {
    WEIR_RETURN_IF_ERROR(MakeJobDirectory(job, root));
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
  stores.checkpoints = MakeCheckpointStore(job, root, *stores.storage, options);
  return stores;
}

}  // namespace weir::jobmanager
