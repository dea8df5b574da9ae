#include "common/coordination/memory/memory_coordination.h"

#include <algorithm>
#include <utility>

#include <absl/strings/str_cat.h>

#include "common/base/check.h"
#include "common/base/status_macros.h"

namespace weir::coordination {

using checkpoint::StoreOutcome;

absl::Status MemoryCheckpointIdCounter::CheckRunning() const {
  if (running_) return absl::OkStatus();
  return absl::FailedPreconditionError("the checkpoint id counter is not running");
}

absl::Status MemoryCheckpointIdCounter::Start() {
  const base::MutexLock lock(mutex_);
  running_ = true;
  return absl::OkStatus();
}

absl::StatusOr<CheckpointId> MemoryCheckpointIdCounter::GetAndIncrement() {
  const base::MutexLock lock(mutex_);
  WEIR_RETURN_IF_ERROR(CheckRunning());
  WEIR_CHECK(next_ > 0);
  return CheckpointId{next_++};
}

absl::StatusOr<CheckpointId> MemoryCheckpointIdCounter::Get() {
  const base::MutexLock lock(mutex_);
  WEIR_RETURN_IF_ERROR(CheckRunning());
  return CheckpointId{next_};
}

absl::Status MemoryCheckpointIdCounter::RaiseTo(CheckpointId next) {
  const base::MutexLock lock(mutex_);
  WEIR_RETURN_IF_ERROR(CheckRunning());
  next_ = std::max(next_, ToInt(next));
  return absl::OkStatus();
}

absl::Status MemoryCheckpointIdCounter::Stop(JobEnd end) {
  const base::MutexLock lock(mutex_);
  running_ = false;
  return absl::OkStatus();
}

MemoryCompletedCheckpointStore::MemoryCompletedCheckpointStore(
    checkpoint::CheckpointStorage& storage, RetentionOptions retention)
    : storage_(storage), retention_(retention) {
}

absl::StatusOr<Recovered> MemoryCompletedCheckpointStore::Recover(const RecoverOptions& options) {
  WEIR_CHECK(options.below == kNoCheckpoint || options.fallback == Fallback::kAllowed);
  Recovered recovered;
  while (options.below != kNoCheckpoint && !listed_.empty() &&
         listed_.rbegin()->first >= options.below) {
    const CompletedCheckpoint& passed = listed_.rbegin()->second;
    recovered.skipped.push_back(
        {passed.id, passed.location, absl::DataLossError("its state is unreadable")});
    listed_.erase(passed.id);
  }
  recovered.newest = Latest();
  return recovered;
}

AddResult MemoryCompletedCheckpointStore::Add(const std::string& location,
                                              checkpoint::CheckpointMetadata metadata) {
  if (shut_down_) {
    return {StoreOutcome::kRefused,
            absl::FailedPreconditionError("the checkpoint store is shut down")};
  }
  const CheckpointId id = metadata.id;
  const absl::Status written = storage_.WriteMetadata(location, metadata);
  if (!written.ok()) return {StoreOutcome::kRefused, written};
  listed_[id] = {id, location,
                 std::make_shared<const checkpoint::CheckpointMetadata>(std::move(metadata))};
  while (listed_.size() > std::max(retention_.retained, 1u)) {
    // Removal from memory cannot fail, and a failing one would fail nothing.
    (void)storage_.RemoveLocation(listed_.begin()->second.location);
    listed_.erase(listed_.begin());
  }
  return {StoreOutcome::kStored, absl::OkStatus()};
}

AddResult MemoryCompletedCheckpointStore::ReadBack(CheckpointId id) {
  if (listed_.contains(id)) return {StoreOutcome::kStored, absl::OkStatus()};
  return {StoreOutcome::kRefused,
          absl::NotFoundError(absl::StrCat("checkpoint ", ToInt(id), " is not listed"))};
}

std::optional<CompletedCheckpoint> MemoryCompletedCheckpointStore::Latest() const {
  if (listed_.empty()) return std::nullopt;
  return listed_.rbegin()->second;
}

std::vector<CheckpointId> MemoryCompletedCheckpointStore::ListedIds() const {
  std::vector<CheckpointId> ids;
  ids.reserve(listed_.size());
  for (const auto& [id, listed] : listed_) ids.push_back(id);
  return ids;
}

absl::Status MemoryCompletedCheckpointStore::Shutdown(JobEnd end) {
  shut_down_ = true;
  // Nobody could recover from memory once this process is gone.
  absl::Status first;
  for (const auto& [id, listed] : listed_) first.Update(storage_.RemoveLocation(listed.location));
  listed_.clear();
  return first;
}

}  // namespace weir::coordination
