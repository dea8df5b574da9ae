#include "common/checkpoint/file_storage.h"

#include <utility>

#include <absl/strings/numbers.h>
#include <absl/strings/str_cat.h>
#include <absl/strings/strip.h>

#include "common/base/check.h"
#include "common/base/status_macros.h"
#include "common/checkpoint/metadata_codec.h"
#include "common/fs/path.h"
#include "common/fs/whole_file.h"

namespace weir::checkpoint {
namespace {

// Most locations remembered for their inline budget: more than run at a time.
constexpr size_t kPlacesMax = 64;

}  // namespace

std::string CheckpointDirectoryName(CheckpointId id) {
  return absl::StrCat(kCheckpointDirectoryPrefix, ToInt(id));
}

CheckpointId CheckpointIdOfDirectory(StringView name) {
  int64_t id = 0;
  if (!absl::ConsumePrefix(&name, kCheckpointDirectoryPrefix)) return kNoCheckpoint;
  if (!absl::SimpleAtoi(name, &id) || id <= 0) return kNoCheckpoint;
  // Only the one spelling Weir writes.
  return absl::StrCat(id) == name ? CheckpointId{id} : kNoCheckpoint;
}

FileCheckpointStorage::FileCheckpointStorage(fs::FileSystem& file_system, std::string directory,
                                             StreamOptions options, uint64_t seed)
    : file_system_(file_system), directory_(std::move(directory)), options_(options), names_(seed) {
  WEIR_CHECK(options_.write_buffer >= options_.inline_threshold);
  WEIR_CHECK(options_.write_buffer > 0);
}

absl::StatusOr<std::string> FileCheckpointStorage::MakeLocation(CheckpointId id) {
  WEIR_CHECK(id > kNoCheckpoint);
  std::string location = fs::JoinPath(directory_, CheckpointDirectoryName(id));
  const absl::StatusOr<fs::FileStat> taken = file_system_.Stat(location);
  if (taken.ok()) {
    return absl::AlreadyExistsError(
        absl::StrCat(location, ": exists; another run may be using this directory"));
  }
  if (!absl::IsNotFound(taken.status())) return taken.status();
  WEIR_RETURN_IF_ERROR(file_system_.MakeDirs(location));
  return location;
}

absl::StatusOr<std::string> FileCheckpointStorage::MakeSavepointLocation(
    JobId job, const std::string& target) {
  const std::string parent = target.empty() ? directory_ : target;
  std::string location =
      fs::JoinPath(parent, absl::StrCat("savepoint-", job.ToShortString(), "-", names_.Next()));
  WEIR_RETURN_IF_ERROR(file_system_.MakeDirs(location));
  return location;
}

absl::Status FileCheckpointStorage::RemoveLocation(const std::string& location) {
  {
    const base::MutexLock lock(mutex_);
    places_.erase(location);
  }
  // The metadata goes first, durably: a crash in between leaves no half checkpoint that looks
  // whole.
  absl::Status removed = file_system_.Remove(fs::JoinPath(location, kMetadataFileName));
  if (removed.ok()) {
    WEIR_RETURN_IF_ERROR(file_system_.SyncDir(location));
  } else if (!absl::IsNotFound(removed)) {
    return removed;
  }
  return file_system_.RemoveTree(location);
}

absl::Status FileCheckpointStorage::Discard(const std::string& location,
                                            const std::vector<state::StreamHandle>& streams) {
  absl::Status first;
  for (const state::StreamHandle& stream : streams) {
    if (stream.IsInline()) continue;
    const absl::Status removed = file_system_.Remove(fs::JoinPath(location, stream.path));
    if (!removed.ok() && !absl::IsNotFound(removed) && first.ok()) first = removed;
  }
  return first;
}

std::unique_ptr<state::SnapshotOutputFactory> FileCheckpointStorage::OutputsAt(
    const std::string& location) {
  const base::MutexLock lock(mutex_);
  std::shared_ptr<StreamPlace>& place = places_[location];
  if (place == nullptr) {
    place = std::make_shared<StreamPlace>(file_system_, names_, location, options_);
  }
  auto factory = std::make_unique<FileSnapshotOutputFactory>(place);
  while (places_.size() > kPlacesMax) {
    auto first = places_.begin();
    if (first->first == location) ++first;
    places_.erase(first);
  }
  return factory;
}

std::unique_ptr<state::SnapshotInputFactory> FileCheckpointStorage::InputsAt(
    const std::string& location) {
  return std::make_unique<FileSnapshotInputFactory>(file_system_, location);
}

absl::Status FileCheckpointStorage::WriteMetadata(const std::string& location,
                                                  const CheckpointMetadata& metadata) {
  WEIR_ASSIGN_OR_RETURN(const std::string bytes, EncodeMetadata(metadata));
  return fs::PublishFile(file_system_, fs::JoinPath(location, kMetadataFileName), bytes);
}

absl::StatusOr<CheckpointMetadata> FileCheckpointStorage::ReadMetadata(
    const std::string& location) {
  const std::string path = fs::JoinPath(location, kMetadataFileName);
  absl::StatusOr<std::string> bytes = fs::ReadWholeFile(file_system_, path, kMetadataBytesMax);
  if (absl::IsOutOfRange(bytes.status())) return absl::DataLossError(bytes.status().message());
  WEIR_RETURN_IF_ERROR(bytes.status());
  return DecodeMetadata(*bytes, path);
}

}  // namespace weir::checkpoint
