// MemoryCheckpointStorage: checkpoints in the memory of this process, for runs that need not
// survive it. State travels in the acknowledgements.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include <absl/base/thread_annotations.h>

#include "common/base/mutex.h"
#include "common/checkpoint/storage.h"

namespace weir::checkpoint {

// Largest single state: acknowledgements carry it.
inline constexpr uint64_t kMemoryStateBytesMax = uint64_t{5} << 20;
// Where acknowledgements stay in this process, only its memory is a limit.
inline constexpr uint64_t kMemoryStateBytesUnlimited = UINT64_MAX;

// Whether a MemoryCheckpointStorage has made the location.
bool IsMemoryLocation(StringView location);

// Life:   what it holds goes with it. Thread: any.
class MemoryCheckpointStorage final : public CheckpointStorage {
 public:
  explicit MemoryCheckpointStorage(uint64_t state_bytes_max = kMemoryStateBytesMax)
      : state_bytes_max_(state_bytes_max) {}

  absl::StatusOr<std::string> MakeLocation(CheckpointId id) override;
  // UNIMPLEMENTED: a savepoint must outlive the process.
  absl::StatusOr<std::string> MakeSavepointLocation(JobId job, const std::string& target) override;
  absl::Status RemoveLocation(const std::string& location) override;
  absl::Status Discard(const std::string& location,
                       const std::vector<state::StreamHandle>& streams) override;
  // A stream above the limit fails with RESOURCE_EXHAUSTED.
  std::unique_ptr<state::SnapshotOutputFactory> OutputsAt(const std::string& location) override;
  std::unique_ptr<state::SnapshotInputFactory> InputsAt(const std::string& location) override;
  absl::Status WriteMetadata(const std::string& location,
                             const CheckpointMetadata& metadata) override;
  absl::StatusOr<CheckpointMetadata> ReadMetadata(const std::string& location) override;

 private:
  const uint64_t state_bytes_max_;
  base::Mutex mutex_;
  std::map<std::string, CheckpointMetadata> metadata_ ABSL_GUARDED_BY(mutex_);
};

}  // namespace weir::checkpoint
