// FileCoordination: coordination in a directory, for one leader at a time.
//   <dir>/lock       decides who tries to lead; names the process
//   <dir>/log/       the record log: what is true
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include <absl/base/thread_annotations.h>
#include <absl/status/status.h>
#include <absl/status/statusor.h>

#include "common/base/mutex.h"
#include "common/coordination/file/coordination_state.h"
#include "common/coordination/file/record_log.h"
#include "common/fs/file_system.h"

namespace weir::coordination {

// Records after which a snapshot takes their place.
inline constexpr uint64_t kRecordsPerSnapshot = 1000;

// The lock alone would not do: on some shared file systems two processes may hold it, and one that
// slept does not know that it lost it. The log fences.
//
// Life:   leads from Open() until it is destroyed, or until a write is ABORTED.
//         `files` outlives it.
// Thread: any; the calls block.
class FileCoordination {
 public:
  static constexpr char kWayOut[] = "stop that process, or use another directory";

  // `holder` is shown to whoever comes second, for example "process 4711".
  // FAILED_PRECONDITION: another process leads; quotes its holder, and `way_out`, which says what
  // to do. DATA_LOSS: the log is damaged;
  // names the record. Others: file_system.h.
  static absl::StatusOr<std::unique_ptr<FileCoordination>> Open(fs::FileSystem& files,
                                                                const std::string& dir,
                                                                const std::string& holder,
                                                                uint64_t seed,
                                                                StringView way_out = kWayOut);

  uint64_t epoch() const { return log_->epoch(); }
  // False once a write was ABORTED.
  bool Leads() const;
  // A copy of what is true now.
  CoordinationState State() const;

  // Makes the changes that `decide` wants, given the state, durable and true in one step; none: OK.
  // ABORTED: leads no more. Others: nothing has changed.
  absl::Status Update(
      const std::function<std::vector<Change>(const CoordinationState& state)>& decide);

 private:
  FileCoordination(std::unique_ptr<fs::FileLock> lock, std::unique_ptr<RecordLog> log);
  absl::Status Replay() ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  void MaybeSnapshot() ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);

  const std::unique_ptr<fs::FileLock> lock_;
  mutable base::Mutex mutex_;
  const std::unique_ptr<RecordLog> log_;
  CoordinationState state_ ABSL_GUARDED_BY(mutex_);
  uint64_t records_since_snapshot_ ABSL_GUARDED_BY(mutex_) = 0;
};

}  // namespace weir::coordination
