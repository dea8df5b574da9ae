#include "common/coordination/file/file_checkpoint_store.h"

#include <algorithm>
#include <utility>

#include <absl/strings/match.h>
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

constexpr char kBrokenPrefix[] = "broken-";

std::string NamesOf(const std::vector<ListedCheckpoint>& listed) {
  if (listed.empty()) return "none";
  return absl::StrJoin(listed, ", ", [](std::string* out, const ListedCheckpoint& one) {
    absl::StrAppend(out, checkpoint::CheckpointDirectoryName(one.id));
  });
}

}  // namespace

FileCompletedCheckpointStore::FileCompletedCheckpointStore(FileCoordination& coordination,
                                                           fs::FileSystem& files, JobId job,
                                                           std::string root,
                                                           checkpoint::CheckpointStorage& storage,
                                                           RetentionOptions retention)
    : coordination_(coordination),
      files_(files),
      job_(job),
      root_(std::move(root)),
      storage_(storage),
      retention_(retention) {
}

// A directory that is missing as a whole is a disk that is not mounted rather than damage.
absl::Status FileCompletedCheckpointStore::CheckDirectory(
    const std::vector<ListedCheckpoint>& listed) const {
  const auto inside = std::count_if(listed.begin(), listed.end(), [this](const auto& one) {
    return one.location == fs::JoinPath(root_, checkpoint::CheckpointDirectoryName(one.id));
  });
  if (inside == 0 || !absl::IsNotFound(files_.Stat(root_).status())) return absl::OkStatus();
  return DirectoryAway(root_, static_cast<size_t>(inside));
}

absl::Status FileCompletedCheckpointStore::CheckFiles(const CompletedCheckpoint& read) const {
  absl::Status first;
  const auto check = [this, &read, &first](const state::StreamHandle& stream) {
    if (!first.ok() || stream.IsInline()) return;
    const std::string path = fs::JoinPath(read.location, stream.path);
    const absl::StatusOr<fs::FileStat> stat = files_.Stat(path);
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

absl::StatusOr<CompletedCheckpoint> FileCompletedCheckpointStore::ReadWhole(
    const ListedCheckpoint& listed) const {
  CompletedCheckpoint read{listed.id, listed.location, nullptr};
  WEIR_ASSIGN_OR_RETURN(CheckpointMetadata metadata, storage_.ReadMetadata(read.location));
  if (metadata.id != listed.id) {
    return absl::DataLossError(
        absl::StrCat(read.location, ": holds the metadata of checkpoint ", ToInt(metadata.id)));
  }
  read.metadata = std::make_shared<const CheckpointMetadata>(std::move(metadata));
  WEIR_RETURN_IF_ERROR(CheckFiles(read));
  return read;
}

absl::Status FileCompletedCheckpointStore::Refusal(const SkippedCheckpoint& newest) const {
  std::vector<ListedCheckpoint> older = listed_;
  std::erase_if(older, [&newest](const ListedCheckpoint& one) { return one.id == newest.id; });
  return absl::Status(
      newest.cause.code(),
      absl::StrCat(
          "the newest checkpoint, ", newest.location, ", cannot be read: ", newest.cause.message(),
          "; older ones: ", NamesOf(older),
          "; output committed since an older one would repeat, so none is taken by itself"));
}

// In the log a location inside the root is relative to it, so that the whole may be moved.
std::vector<ListedCheckpoint> FileCompletedCheckpointStore::InLog(
    std::vector<ListedCheckpoint> listed) const {
  for (ListedCheckpoint& one : listed) {
    const std::string name = checkpoint::CheckpointDirectoryName(one.id);
    if (one.location == fs::JoinPath(root_, name)) one.location = name;
  }
  return listed;
}

absl::Status FileCompletedCheckpointStore::WriteList(std::vector<ListedCheckpoint> listed) {
  WEIR_RETURN_IF_ERROR(coordination_.Update([this, &listed](const CoordinationState& state) {
    std::vector<ListedCheckpoint> in_log = InLog(listed);
    if (state.Checkpoints(job_) == in_log) return std::vector<Change>{};
    return std::vector<Change>{CheckpointsSet{job_, std::move(in_log)}};
  }));
  listed_ = std::move(listed);
  return absl::OkStatus();
}

absl::Status FileCompletedCheckpointStore::SetAside(const std::vector<SkippedCheckpoint>& skipped) {
  if (skipped.empty()) return absl::OkStatus();
  std::vector<ListedCheckpoint> kept = listed_;
  for (const SkippedCheckpoint& broken : skipped) {
    std::erase_if(kept, [&broken](const ListedCheckpoint& one) { return one.id == broken.id; });
  }
  // Durable before anything is taken back: the next start must not choose them after all.
  WEIR_RETURN_IF_ERROR(WriteList(std::move(kept)));
  for (const SkippedCheckpoint& broken : skipped) {
    const std::string name = absl::StrCat(kBrokenPrefix, ToInt(broken.id));
    // For people who want to look at it; under its own name it would be swept.
    (void)files_.Rename(broken.location, fs::JoinPath(root_, name));
  }
  (void)files_.SyncDir(root_);
  return absl::OkStatus();
}

// What was written and never listed, by processes that died; nothing is being written now.
void FileCompletedCheckpointStore::RemoveUnlisted() {
  const absl::StatusOr<std::vector<fs::DirectoryEntry>> entries = files_.List(root_);
  if (!entries.ok()) return;  // not made yet
  for (const fs::DirectoryEntry& entry : *entries) {
    if (checkpoint::CheckpointIdOfDirectory(entry.name) == kNoCheckpoint) continue;
    const std::string path = fs::JoinPath(root_, entry.name);
    const bool is_listed =
        std::any_of(listed_.begin(), listed_.end(),
                    [&path](const ListedCheckpoint& one) { return one.location == path; });
    if (!is_listed) (void)storage_.RemoveLocation(path);  // the next start tries again
  }
}

absl::StatusOr<Recovered> FileCompletedCheckpointStore::Recover(const RecoverOptions& options) {
  WEIR_CHECK(options.below == kNoCheckpoint || options.fallback == Fallback::kAllowed);
  listed_ = coordination_.State().Checkpoints(job_);
  for (ListedCheckpoint& one : listed_) one.location = fs::JoinPath(root_, one.location);
  latest_.reset();
  WEIR_RETURN_IF_ERROR(CheckDirectory(listed_));
  Recovered recovered;
  for (auto one = listed_.rbegin(); one != listed_.rend(); ++one) {
    absl::StatusOr<CompletedCheckpoint> read = absl::DataLossError("its state cannot be read");
    if (options.below == kNoCheckpoint || one->id < options.below) read = ReadWhole(*one);
    if (read.ok()) {
      latest_ = *std::move(read);
      break;
    }
    SkippedCheckpoint passed{one->id, one->location, read.status()};
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
  RemoveUnlisted();
  recovered.newest = latest_;
  return recovered;
}

AddResult FileCompletedCheckpointStore::Add(const std::string& location,
                                            CheckpointMetadata metadata) {
  if (shut_down_) {
    return {StoreOutcome::kRefused,
            absl::FailedPreconditionError("the checkpoint store is shut down")};
  }
  const CheckpointId id = metadata.id;
  if (const absl::Status written = storage_.WriteMetadata(location, metadata); !written.ok()) {
    return {StoreOutcome::kRefused, written};  // whatever lies there, nothing lists it
  }
  std::vector<ListedCheckpoint> listed = listed_;
  listed.push_back({id, location});
  std::sort(listed.begin(), listed.end(),
            [](const ListedCheckpoint& a, const ListedCheckpoint& b) { return a.id < b.id; });
  std::vector<ListedCheckpoint> surplus;
  while (listed.size() > std::max(retention_.retained, 1u)) {
    surplus.push_back(listed.front());
    listed.erase(listed.begin());
  }
  const absl::Status stored = WriteList(std::move(listed));
  // Only an append that was begun can have an unknown end, and then this process leads no more.
  if (absl::IsAborted(stored)) {
    unknown_cause_ = stored;
    return {StoreOutcome::kUnknown, stored};
  }
  if (!stored.ok()) return {StoreOutcome::kRefused, stored};
  if (!latest_.has_value() || latest_->id < id) {
    latest_ = CompletedCheckpoint{id, location,
                                  std::make_shared<const CheckpointMetadata>(std::move(metadata))};
  }
  for (const ListedCheckpoint& old : surplus) {
    (void)storage_.RemoveLocation(old.location);  // unlisted: the next start sweeps it
  }
  return {StoreOutcome::kStored, absl::OkStatus()};
}

AddResult FileCompletedCheckpointStore::ReadBack(CheckpointId id) {
  const bool is_listed = std::any_of(listed_.begin(), listed_.end(),
                                     [id](const ListedCheckpoint& one) { return one.id == id; });
  if (is_listed) return {StoreOutcome::kStored, absl::OkStatus()};
  if (coordination_.Leads()) {
    return {StoreOutcome::kRefused,
            absl::NotFoundError(absl::StrCat("checkpoint ", ToInt(id), " is not listed"))};
  }
  // For the next leader to read.
  return {StoreOutcome::kUnknown, unknown_cause_};
}

std::vector<CheckpointId> FileCompletedCheckpointStore::ListedIds() const {
  std::vector<CheckpointId> ids;
  for (const ListedCheckpoint& one : listed_) ids.push_back(one.id);
  return ids;
}

absl::Status FileCompletedCheckpointStore::RemoveAll() {
  WEIR_RETURN_IF_ERROR(WriteList({}));
  latest_.reset();
  const absl::StatusOr<std::vector<fs::DirectoryEntry>> entries = files_.List(root_);
  if (absl::IsNotFound(entries.status())) return absl::OkStatus();
  WEIR_RETURN_IF_ERROR(entries.status());
  absl::Status first;
  for (const fs::DirectoryEntry& entry : *entries) {
    const bool is_checkpoint = checkpoint::CheckpointIdOfDirectory(entry.name) != kNoCheckpoint;
    const bool is_work = entry.name == checkpoint::kSharedDirectoryName ||
                         entry.name == checkpoint::kTaskOwnedDirectoryName ||
                         absl::StartsWith(entry.name, kBrokenPrefix);
    if (!is_checkpoint && !is_work) continue;
    first.Update(storage_.RemoveLocation(fs::JoinPath(root_, entry.name)));
  }
  // Durable before the job is forgotten: nobody would come to remove them again.
  first.Update(files_.SyncDir(root_));
  return first;
}

// Of a job that never runs again. A local run's directory is never empty: it holds the log.
absl::Status FileCompletedCheckpointStore::RemoveDirectoryIfEmpty() {
  const absl::StatusOr<std::vector<fs::DirectoryEntry>> entries = files_.List(root_);
  if (!entries.ok() || !entries->empty()) return absl::OkStatus();
  // Something may have come into it meanwhile; then it stays.
  if (!files_.Remove(root_).ok()) return absl::OkStatus();
  return files_.SyncDir(fs::DirectoryOf(root_));
}

absl::Status FileCompletedCheckpointStore::Shutdown(JobEnd end) {
  shut_down_ = true;
  const bool removes =
      end == JobEnd::kFinished || (end == JobEnd::kCanceled && retention_.delete_on_cancel);
  if (removes) WEIR_RETURN_IF_ERROR(RemoveAll());
  return IsTerminal(end) ? RemoveDirectoryIfEmpty() : absl::OkStatus();
}

}  // namespace weir::coordination
