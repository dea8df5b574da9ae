#include "jobmanager/app/unset_directory_store.h"

#include <absl/strings/str_cat.h>

#include "common/base/check.h"

namespace weir::jobmanager {

UnsetDirectoryStore::UnsetDirectoryStore(std::vector<CheckpointId> listed)
    : listed_(std::move(listed)) {
  WEIR_CHECK(!listed_.empty());
}

absl::Status UnsetDirectoryStore::Unset() const {
  return absl::UnavailableError(absl::StrCat(
      "state.checkpoints.dir is not set, while the log of the cluster lists ", listed_.size(),
      listed_.size() == 1 ? " checkpoint" : " checkpoints",
      " of the job: set it to what it was and start the jobmanager again, then the job goes on; or "
      "cancel the job"));
}

absl::StatusOr<coordination::Recovered> UnsetDirectoryStore::Recover(
    const coordination::RecoverOptions& options) {
  return Unset();
}

coordination::AddResult UnsetDirectoryStore::Add(const std::string& location,
                                                 checkpoint::CheckpointMetadata metadata) {
  return {checkpoint::StoreOutcome::kRefused, Unset()};
}

coordination::AddResult UnsetDirectoryStore::ReadBack(CheckpointId id) {
  return {checkpoint::StoreOutcome::kRefused, Unset()};
}

}  // namespace weir::jobmanager
