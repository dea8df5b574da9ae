#include "common/coordination/state_dir/state_directory.h"

#include <algorithm>
#include <utility>

#include <absl/strings/numbers.h>
#include <absl/strings/str_cat.h>
#include <absl/strings/strip.h>

#include "common/base/check.h"
#include "common/base/status_macros.h"
#include "common/checkpoint/file_storage.h"
#include "common/coordination/damage.h"
#include "common/coordination/state_dir/job_records.h"
#include "common/fs/path.h"
#include "common/fs/whole_file.h"

namespace weir::coordination {
namespace {

constexpr char kLockName[] = "lock";
constexpr char kJobName[] = "job";
constexpr char kResultName[] = "result";
constexpr char kBrokenPrefix[] = "broken-";

// kNoCheckpoint: not named after an id.
CheckpointId IdOfBroken(StringView name) {
  if (!absl::ConsumePrefix(&name, kBrokenPrefix)) return kNoCheckpoint;
  return checkpoint::CheckpointIdOfDirectory(
      absl::StrCat(checkpoint::kCheckpointDirectoryPrefix, name));
}

// Nullopt: no such file.
absl::StatusOr<std::optional<std::string>> ReadRecord(fs::FileSystem& file_system,
                                                      const std::string& path) {
  absl::StatusOr<std::string> bytes = fs::ReadWholeFile(file_system, path, kRecordBytesMax);
  if (absl::IsNotFound(bytes.status())) return std::nullopt;
  if (absl::IsOutOfRange(bytes.status())) return absl::DataLossError(bytes.status().message());
  WEIR_RETURN_IF_ERROR(bytes.status());
  return *std::move(bytes);
}

}  // namespace

StateDirectory::StateDirectory(fs::FileSystem& file_system, std::string path,
                               std::unique_ptr<fs::FileLock> lock)
    : file_system_(file_system), path_(std::move(path)), lock_(std::move(lock)) {
}

StateDirectory::~StateDirectory() = default;

absl::StatusOr<std::unique_ptr<StateDirectory>> StateDirectory::Open(fs::FileSystem& file_system,
                                                                     std::string path,
                                                                     const std::string& holder) {
  WEIR_RETURN_IF_ERROR(file_system.MakeDirs(path));
  absl::StatusOr<std::unique_ptr<fs::FileLock>> lock =
      file_system.Lock(fs::JoinPath(path, kLockName), holder);
  if (absl::IsFailedPrecondition(lock.status())) {
    return absl::FailedPreconditionError(
        absl::StrCat("state directory ", path, " is in use: ", lock.status().message(),
                     "; stop that process or choose another directory"));
  }
  WEIR_RETURN_IF_ERROR(lock.status());
  return std::unique_ptr<StateDirectory>(
      new StateDirectory(file_system, std::move(path), *std::move(lock)));
}

std::string StateDirectory::CheckpointPath(CheckpointId id) const {
  return fs::JoinPath(path_, checkpoint::CheckpointDirectoryName(id));
}

std::string StateDirectory::BrokenPath(CheckpointId id) const {
  return fs::JoinPath(path_, absl::StrCat(kBrokenPrefix, ToInt(id)));
}

absl::StatusOr<std::optional<JobRecord>> StateDirectory::ReadJob() const {
  const std::string path = fs::JoinPath(path_, kJobName);
  WEIR_ASSIGN_OR_RETURN(const std::optional<std::string> bytes, ReadRecord(file_system_, path));
  if (!bytes.has_value()) return std::nullopt;
  absl::StatusOr<JobRecord> job = DecodeJobRecord(*bytes, path);
  if (!job.ok()) return WithWaysOut(job.status());
  return *std::move(job);
}

absl::Status StateDirectory::WriteJob(const JobRecord& job) {
  WEIR_ASSIGN_OR_RETURN(const std::optional<JobRecord> present, ReadJob());
  if (present.has_value() && *present != job) {
    return absl::FailedPreconditionError(
        absl::StrCat("state directory ", path_, " belongs to job ", present->name, " (",
                     present->id.ToShortString(), "); choose another directory"));
  }
  return fs::PublishFile(file_system_, fs::JoinPath(path_, kJobName), EncodeJobRecord(job));
}

absl::StatusOr<std::optional<JobResult>> StateDirectory::ReadResult() const {
  const std::string path = fs::JoinPath(path_, kResultName);
  WEIR_ASSIGN_OR_RETURN(const std::optional<std::string> bytes, ReadRecord(file_system_, path));
  if (!bytes.has_value()) return std::nullopt;
  absl::StatusOr<JobResult> result = DecodeJobResult(*bytes, path);
  if (!result.ok()) return WithWaysOut(result.status());
  return *std::move(result);
}

absl::Status StateDirectory::WriteResult(const JobResult& result) {
  WEIR_CHECK(IsTerminal(result.end));
  return fs::PublishFile(file_system_, fs::JoinPath(path_, kResultName), EncodeJobResult(result));
}

absl::StatusOr<CheckpointId> StateDirectory::HighestSeenId() const {
  WEIR_ASSIGN_OR_RETURN(const std::vector<fs::DirectoryEntry> entries, file_system_.List(path_));
  CheckpointId highest = kNoCheckpoint;
  for (const fs::DirectoryEntry& entry : entries) {
    highest = std::max(
        {highest, checkpoint::CheckpointIdOfDirectory(entry.name), IdOfBroken(entry.name)});
  }
  return highest;
}

absl::StatusOr<std::vector<CheckpointId>> StateDirectory::PublishedIds() const {
  WEIR_ASSIGN_OR_RETURN(const std::vector<fs::DirectoryEntry> entries, file_system_.List(path_));
  std::vector<CheckpointId> ids;
  for (const fs::DirectoryEntry& entry : entries) {
    const CheckpointId id = checkpoint::CheckpointIdOfDirectory(entry.name);
    if (id == kNoCheckpoint || !entry.is_directory) continue;
    const absl::StatusOr<fs::FileStat> metadata =
        file_system_.Stat(fs::JoinPath(CheckpointPath(id), checkpoint::kMetadataFileName));
    if (metadata.ok()) ids.push_back(id);
    if (!metadata.ok() && !absl::IsNotFound(metadata.status())) return metadata.status();
  }
  std::sort(ids.begin(), ids.end());
  return ids;
}

absl::StatusOr<int> StateDirectory::RemoveOrphans() {
  WEIR_ASSIGN_OR_RETURN(const std::vector<CheckpointId> published, PublishedIds());
  WEIR_ASSIGN_OR_RETURN(const std::vector<fs::DirectoryEntry> entries, file_system_.List(path_));
  int removed = 0;
  for (const fs::DirectoryEntry& entry : entries) {
    const CheckpointId id = checkpoint::CheckpointIdOfDirectory(entry.name);
    if (id == kNoCheckpoint || std::binary_search(published.begin(), published.end(), id)) continue;
    WEIR_RETURN_IF_ERROR(file_system_.RemoveTree(CheckpointPath(id)));
    ++removed;
  }
  return removed;
}

}  // namespace weir::coordination
