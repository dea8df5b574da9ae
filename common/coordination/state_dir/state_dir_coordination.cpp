#include "common/coordination/state_dir/state_dir_coordination.h"

#include <algorithm>
#include <utility>

#include <absl/strings/str_cat.h>
#include <absl/strings/str_join.h>

#include "common/base/check.h"
#include "common/base/status_macros.h"
#include "common/checkpoint/file_storage.h"
#include "common/checkpoint/metadata_codec.h"
#include "common/coordination/damage.h"
#include "common/fs/path.h"

namespace weir::coordination {
namespace {

using checkpoint::CheckpointMetadata;
using checkpoint::StoreOutcome;

// Paths in `metadata` that are relative to `location` become absolute, so that it can lie
// elsewhere.
CheckpointMetadata Relocated(CheckpointMetadata metadata, const std::string& location) {
  const auto relocate = [&location](state::StreamHandle& stream) {
    if (!stream.IsInline()) stream.path = fs::JoinPath(location, stream.path);
  };
  for (checkpoint::OperatorSnapshot& snapshot : metadata.operators) {
    for (checkpoint::SubtaskSnapshot& subtask : snapshot.subtasks) {
      for (auto& handle : subtask.state.keyed_managed) relocate(handle.stream);
      for (auto& handle : subtask.state.keyed_raw) relocate(handle.stream);
      for (auto& handle : subtask.state.operator_managed) relocate(handle.stream);
      for (auto& handle : subtask.state.operator_raw) relocate(handle.stream);
    }
  }
  return metadata;
}

std::string NamesOf(const std::vector<CheckpointId>& ids) {
  if (ids.empty()) return "none";
  return absl::StrJoin(ids, ", ", [](std::string* out, CheckpointId id) {
    absl::StrAppend(out, checkpoint::CheckpointDirectoryName(id));
  });
}

}  // namespace

StateDirCheckpointIdCounter::StateDirCheckpointIdCounter(const StateDirectory& directory,
                                                         CheckpointId seen)
    : directory_(directory), seen_(seen) {
}

absl::Status StateDirCheckpointIdCounter::CheckRunning() const {
  if (running_) return absl::OkStatus();
  return absl::FailedPreconditionError("the checkpoint id counter is not running");
}

absl::Status StateDirCheckpointIdCounter::Start() {
  WEIR_ASSIGN_OR_RETURN(const CheckpointId highest, directory_.HighestSeenId());
  const base::MutexLock lock(mutex_);
  next_ = std::max({next_, ToInt(highest) + 1, ToInt(seen_) + 1});
  running_ = true;
  return absl::OkStatus();
}

absl::StatusOr<CheckpointId> StateDirCheckpointIdCounter::GetAndIncrement() {
  const base::MutexLock lock(mutex_);
  WEIR_RETURN_IF_ERROR(CheckRunning());
  WEIR_CHECK(next_ > 0);
  return CheckpointId{next_++};
}

absl::StatusOr<CheckpointId> StateDirCheckpointIdCounter::Get() {
  const base::MutexLock lock(mutex_);
  WEIR_RETURN_IF_ERROR(CheckRunning());
  return CheckpointId{next_};
}

absl::Status StateDirCheckpointIdCounter::RaiseTo(CheckpointId next) {
  const base::MutexLock lock(mutex_);
  WEIR_RETURN_IF_ERROR(CheckRunning());
  next_ = std::max(next_, ToInt(next));
  return absl::OkStatus();
}

absl::Status StateDirCheckpointIdCounter::Stop(JobEnd end) {
  const base::MutexLock lock(mutex_);
  running_ = false;
  return absl::OkStatus();
}

StateDirCompletedCheckpointStore::StateDirCompletedCheckpointStore(
    const StateDirectory& directory, checkpoint::CheckpointStorage& storage,
    RetentionOptions retention)
    : directory_(directory), storage_(storage), retention_(retention) {
}

absl::Status StateDirCompletedCheckpointStore::CheckFiles(const CompletedCheckpoint& read) const {
  absl::Status first;
  const auto check = [this, &read, &first](const state::StreamHandle& stream) {
    if (!first.ok() || stream.IsInline()) return;
    const std::string path = fs::JoinPath(read.location, stream.path);
    const absl::StatusOr<fs::FileStat> stat = directory_.file_system().Stat(path);
    if (absl::IsNotFound(stat.status())) {
      first = absl::DataLossError(absl::StrCat(path, ": the file is gone"));
    } else if (!stat.ok()) {
      first = stat.status();
    } else if (stat->size != stream.size) {
      first = absl::DataLossError(
          absl::StrCat(path, ": ", stat->size, " bytes; its checkpoint recorded ", stream.size));
    }
  };
  for (const checkpoint::OperatorSnapshot& snapshot : read.metadata->operators) {
    for (const checkpoint::SubtaskSnapshot& subtask : snapshot.subtasks) {
      checkpoint::ForEachStream(subtask.state, check);
    }
  }
  return first;
}

absl::StatusOr<CompletedCheckpoint> StateDirCompletedCheckpointStore::ReadWhole(
    CheckpointId id) const {
  CompletedCheckpoint read{id, directory_.CheckpointPath(id), nullptr};
  WEIR_ASSIGN_OR_RETURN(CheckpointMetadata metadata, storage_.ReadMetadata(read.location));
  if (metadata.id != id) {
    return absl::DataLossError(
        absl::StrCat(read.location, ": holds the metadata of checkpoint ", ToInt(metadata.id)));
  }
  read.metadata = std::make_shared<const CheckpointMetadata>(std::move(metadata));
  WEIR_RETURN_IF_ERROR(CheckFiles(read));
  return read;
}

absl::Status StateDirCompletedCheckpointStore::Refusal(const SkippedCheckpoint& newest) const {
  std::vector<CheckpointId> older = listed_;
  older.erase(std::remove(older.begin(), older.end(), newest.id), older.end());
  return absl::Status(
      newest.cause.code(),
      absl::StrCat(
          "the newest checkpoint, ", newest.location, ", cannot be read: ", newest.cause.message(),
          "; older ones: ", NamesOf(older),
          "; output committed since an older one would repeat, so none is taken by itself"));
}

absl::Status StateDirCompletedCheckpointStore::SetAside(
    const std::vector<SkippedCheckpoint>& skipped) {
  // Durable before anything is taken back: the next start must not choose them after all.
  for (const SkippedCheckpoint& broken : skipped) {
    WEIR_RETURN_IF_ERROR(
        directory_.file_system().Rename(broken.location, directory_.BrokenPath(broken.id)));
    listed_.erase(std::remove(listed_.begin(), listed_.end(), broken.id), listed_.end());
  }
  return skipped.empty() ? absl::OkStatus() : directory_.file_system().SyncDir(directory_.path());
}

absl::StatusOr<Recovered> StateDirCompletedCheckpointStore::Recover(const RecoverOptions& options) {
  WEIR_CHECK(options.below == kNoCheckpoint || options.fallback == Fallback::kAllowed);
  WEIR_ASSIGN_OR_RETURN(listed_, directory_.PublishedIds());
  latest_.reset();
  Recovered recovered;
  for (auto id = listed_.rbegin(); id != listed_.rend() && !latest_.has_value(); ++id) {
    absl::StatusOr<CompletedCheckpoint> read = absl::DataLossError("its state cannot be read");
    if (options.below == kNoCheckpoint || *id < options.below) read = ReadWhole(*id);
    if (read.ok()) {
      latest_ = *std::move(read);
      break;
    }
    SkippedCheckpoint passed{*id, directory_.CheckpointPath(*id), read.status()};
    // A disk that cannot be reached just now says nothing about what lies on it.
    const bool damaged = absl::IsDataLoss(passed.cause) || absl::IsNotFound(passed.cause);
    if (!damaged || options.fallback == Fallback::kForbidden) return Refusal(passed);
    recovered.skipped.push_back(std::move(passed));
  }
  // Nothing readable at all: starting anew would repeat everything, which nobody allowed.
  if (!latest_.has_value() && !recovered.skipped.empty()) {
    return NothingReadable(recovered.skipped);
  }
  WEIR_RETURN_IF_ERROR(SetAside(recovered.skipped));
  recovered.newest = latest_;
  return recovered;
}

AddResult StateDirCompletedCheckpointStore::OutcomeOf(CheckpointId id,
                                                      const absl::Status& written) const {
  if (written.ok()) return {StoreOutcome::kStored, absl::OkStatus()};
  const std::string path =
      fs::JoinPath(directory_.CheckpointPath(id), checkpoint::kMetadataFileName);
  const absl::StatusOr<fs::FileStat> there = directory_.file_system().Stat(path);
  // Only this process publishes, by a rename that was not reached or failed.
  if (absl::IsNotFound(there.status())) return {StoreOutcome::kRefused, written};
  return {StoreOutcome::kUnknown, written};
}

AddResult StateDirCompletedCheckpointStore::Add(const std::string& location,
                                                CheckpointMetadata metadata) {
  if (shut_down_) {
    return {StoreOutcome::kRefused,
            absl::FailedPreconditionError("the checkpoint store is shut down")};
  }
  const CheckpointId id = metadata.id;
  const std::string own = directory_.CheckpointPath(id);
  CompletedCheckpoint added{id, own, nullptr};
  absl::Status written;
  if (location != own) {
    // A savepoint elsewhere is a person's; the list gets its own entry that points there.
    written = storage_.WriteMetadata(location, metadata);
    if (written.ok()) written = directory_.file_system().MakeDirs(own);
    if (!written.ok()) return {StoreOutcome::kRefused, written};
    metadata = Relocated(std::move(metadata), location);
  }
  written = storage_.WriteMetadata(own, metadata);
  added.metadata = std::make_shared<const CheckpointMetadata>(std::move(metadata));
  const AddResult result = OutcomeOf(id, written);
  if (result.outcome == StoreOutcome::kStored) return OnStored(std::move(added));
  if (result.outcome == StoreOutcome::kUnknown) unknown_ = std::move(added);
  return result;
}

AddResult StateDirCompletedCheckpointStore::OnStored(CompletedCheckpoint stored) {
  const auto place = std::lower_bound(listed_.begin(), listed_.end(), stored.id);
  if (place == listed_.end() || *place != stored.id) listed_.insert(place, stored.id);
  if (!latest_.has_value() || latest_->id < stored.id) latest_ = std::move(stored);
  RemoveSurplus();
  return {StoreOutcome::kStored, absl::OkStatus()};
}

AddResult StateDirCompletedCheckpointStore::ReadBack(CheckpointId id) {
  if (std::binary_search(listed_.begin(), listed_.end(), id)) {
    return {StoreOutcome::kStored, absl::OkStatus()};
  }
  // What the failed call left open is whether the name is durable.
  const absl::Status synced = directory_.file_system().SyncDir(directory_.CheckpointPath(id));
  AddResult result = OutcomeOf(id, synced);
  if (result.outcome == StoreOutcome::kUnknown) return result;
  const bool is_known = unknown_.has_value() && unknown_->id == id;
  if (result.outcome == StoreOutcome::kStored) {
    const absl::StatusOr<fs::FileStat> there = directory_.file_system().Stat(
        fs::JoinPath(directory_.CheckpointPath(id), checkpoint::kMetadataFileName));
    if (!there.ok() || !is_known) {
      return {absl::IsNotFound(there.status()) ? StoreOutcome::kRefused : StoreOutcome::kUnknown,
              absl::NotFoundError(absl::StrCat("checkpoint ", ToInt(id), " is not listed"))};
    }
    result = OnStored(*std::move(unknown_));
  }
  unknown_.reset();
  return result;
}

void StateDirCompletedCheckpointStore::RemoveSurplus() {
  const size_t kept = std::max(retention_.retained, 1u);
  while (listed_.size() > kept) {
    // What a failing removal leaves is tried again at the next start, when it is listed or an
    // orphan; until then it is harmless, for it is older than what is kept.
    (void)storage_.RemoveLocation(directory_.CheckpointPath(listed_.front()));
    listed_.erase(listed_.begin());
  }
}

std::vector<CheckpointId> StateDirCompletedCheckpointStore::ListedIds() const {
  return listed_;
}

absl::Status StateDirCompletedCheckpointStore::RemoveAll() {
  WEIR_ASSIGN_OR_RETURN(const std::vector<fs::DirectoryEntry> entries,
                        directory_.file_system().List(directory_.path()));
  absl::Status first;
  for (const fs::DirectoryEntry& entry : entries) {
    const bool is_checkpoint = checkpoint::CheckpointIdOfDirectory(entry.name) != kNoCheckpoint;
    const bool is_work = entry.name == checkpoint::kSharedDirectoryName ||
                         entry.name == checkpoint::kTaskOwnedDirectoryName ||
                         StringView(entry.name).substr(0, 7) == "broken-";
    if (!is_checkpoint && !is_work) continue;
    first.Update(storage_.RemoveLocation(fs::JoinPath(directory_.path(), entry.name)));
  }
  listed_.clear();
  latest_.reset();
  return first;
}

absl::Status StateDirCompletedCheckpointStore::Shutdown(JobEnd end) {
  shut_down_ = true;
  const bool removes =
      end == JobEnd::kFinished || (end == JobEnd::kCanceled && retention_.delete_on_cancel);
  return removes ? RemoveAll() : absl::OkStatus();
}

}  // namespace weir::coordination
