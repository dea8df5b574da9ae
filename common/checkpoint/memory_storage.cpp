#include "common/checkpoint/memory_storage.h"

#include <utility>

#include <absl/strings/match.h>
#include <absl/strings/str_cat.h>

#include "common/base/status_macros.h"
#include "common/checkpoint/file_storage.h"
#include "common/checkpoint/file_streams.h"

namespace weir::checkpoint {
namespace {

constexpr char kLocationPrefix[] = "memory/";

class MemorySnapshotOutput final : public state::SnapshotOutput {
 public:
  explicit MemorySnapshotOutput(uint64_t bytes_max) : bytes_max_(bytes_max) {}

  absl::Status Write(StringView bytes) override {
    if (finished_) return absl::FailedPreconditionError("write to a finished snapshot stream");
    if (bytes.size() > bytes_max_ - bytes_.size()) {
      return absl::ResourceExhaustedError(absl::StrCat(
          "one state is larger than ", bytes_max_ >> 20,
          " MiB, the most that checkpoints in memory take: give a local run a --state-dir, or the "
          "cluster a `state.checkpoints.dir`"));
    }
    bytes_.append(bytes.data(), bytes.size());
    return absl::OkStatus();
  }
  uint64_t Position() const override { return bytes_.size(); }
  absl::StatusOr<state::StreamHandle> Finish() override {
    if (std::exchange(finished_, true)) {
      return absl::FailedPreconditionError("a snapshot stream is finished twice");
    }
    state::StreamHandle handle;
    handle.size = bytes_.size();
    handle.inline_bytes = std::move(bytes_);
    return handle;
  }

 private:
  const uint64_t bytes_max_;
  std::string bytes_;
  bool finished_ = false;
};

class MemorySnapshotOutputFactory final : public state::SnapshotOutputFactory {
 public:
  explicit MemorySnapshotOutputFactory(uint64_t bytes_max) : bytes_max_(bytes_max) {}

  absl::StatusOr<std::unique_ptr<state::SnapshotOutput>> Create() override {
    return std::make_unique<MemorySnapshotOutput>(bytes_max_);
  }

 private:
  const uint64_t bytes_max_;
};

class MemorySnapshotInputFactory final : public state::SnapshotInputFactory {
 public:
  absl::StatusOr<std::unique_ptr<state::SnapshotInput>> Open(
      const state::StreamHandle& handle) const override {
    if (handle.IsInline()) return OpenInline(handle);
    return absl::NotFoundError(absl::StrCat(handle.path, ": checkpoints in memory have no files"));
  }
};

}  // namespace

bool IsMemoryLocation(StringView location) {
  return absl::StartsWith(location, kLocationPrefix);
}

absl::StatusOr<std::string> MemoryCheckpointStorage::MakeLocation(CheckpointId id) {
  return absl::StrCat(kLocationPrefix, CheckpointDirectoryName(id));
}

absl::StatusOr<std::string> MemoryCheckpointStorage::MakeSavepointLocation(
    JobId job, const std::string& target) {
  return absl::UnimplementedError(
      "checkpoints of this job are kept in memory, so it can have no savepoint");
}

absl::Status MemoryCheckpointStorage::RemoveLocation(const std::string& location) {
  const base::MutexLock lock(mutex_);
  metadata_.erase(location);
  return absl::OkStatus();
}

absl::Status MemoryCheckpointStorage::Discard(const std::string& location,
                                              const std::vector<state::StreamHandle>& streams) {
  return absl::OkStatus();
}

std::unique_ptr<state::SnapshotOutputFactory> MemoryCheckpointStorage::OutputsAt(
    const std::string& location) {
  return std::make_unique<MemorySnapshotOutputFactory>(state_bytes_max_);
}

std::unique_ptr<state::SnapshotInputFactory> MemoryCheckpointStorage::InputsAt(
    const std::string& location) {
  return std::make_unique<MemorySnapshotInputFactory>();
}

absl::Status MemoryCheckpointStorage::WriteMetadata(const std::string& location,
                                                    const CheckpointMetadata& metadata) {
  const base::MutexLock lock(mutex_);
  metadata_[location] = metadata;
  return absl::OkStatus();
}

absl::StatusOr<CheckpointMetadata> MemoryCheckpointStorage::ReadMetadata(
    const std::string& location) {
  const base::MutexLock lock(mutex_);
  const auto found = metadata_.find(location);
  if (found == metadata_.end()) {
    return absl::NotFoundError(absl::StrCat(location, ": no completed checkpoint"));
  }
  return found->second;
}

}  // namespace weir::checkpoint
