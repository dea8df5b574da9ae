// StateDirectory: one directory that holds one job, for one process at a time.
//   <dir>/lock         held while a process uses the directory; names it
//   <dir>/job          which job this is, written at its first start
//   <dir>/result       how it ended; a job with a result does not run again
//   <dir>/chk-<id>/    one checkpoint, complete once its _metadata is there
//   <dir>/broken-<id>/ a complete one that was unreadable and passed over
// Bytes: docs/formats/checkpoint.md.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <absl/status/status.h>
#include <absl/status/statusor.h>
#include <absl/time/time.h>

#include "common/base/ids.h"
#include "common/coordination/job_end.h"
#include "common/fs/file_system.h"

namespace weir::coordination {

// What a job keeps for ever.
struct JobRecord {
  JobId id;
  std::string name;
  uint32_t max_parallelism = 0;

  bool operator==(const JobRecord&) const = default;
};

struct JobResult {
  JobId id;
  JobEnd end = JobEnd::kFinished;  // never kSuspended
  absl::Time ended_at;             // whole microseconds
  CheckpointId last_checkpoint = kNoCheckpoint;
  std::string message;  // for people: why it failed, or what it did

  bool operator==(const JobResult&) const = default;
};

// Life:   holds the lock until destroyed; `file_system` outlives it.
// Thread: any; the calls block.
class StateDirectory {
 public:
  // Makes the directory if missing and takes its lock. `holder` is shown to whoever comes second,
  // for example "process 4711".
  // FAILED_PRECONDITION: in use; the message quotes the other's holder. Others: file_system.h.
  static absl::StatusOr<std::unique_ptr<StateDirectory>> Open(fs::FileSystem& file_system,
                                                              std::string path,
                                                              const std::string& holder);
  ~StateDirectory();
  StateDirectory(const StateDirectory&) = delete;
  StateDirectory& operator=(const StateDirectory&) = delete;

  // Nullopt: the job was never started here. DATA_LOSS: damaged; the message names the file.
  absl::StatusOr<std::optional<JobRecord>> ReadJob() const;
  // Durable once it returns OK. FAILED_PRECONDITION: another job's record is there.
  absl::Status WriteJob(const JobRecord& job);

  // Nullopt: the job has not ended.
  absl::StatusOr<std::optional<JobResult>> ReadResult() const;
  // Durable once it returns OK. To be written before the checkpoints go.
  absl::Status WriteResult(const JobResult& result);

  // The highest id any directory here was named after; kNoCheckpoint: none.
  absl::StatusOr<CheckpointId> HighestSeenId() const;
  // Ids whose _metadata was published, rising.
  absl::StatusOr<std::vector<CheckpointId>> PublishedIds() const;
  // Removes checkpoint directories without _metadata: no process writes them, for this one holds
  // the lock and has not begun. Returns how many. REQUIRES: nothing was triggered yet.
  absl::StatusOr<int> RemoveOrphans();

  fs::FileSystem& file_system() const { return file_system_; }
  const std::string& path() const { return path_; }
  std::string CheckpointPath(CheckpointId id) const;
  std::string BrokenPath(CheckpointId id) const;

 private:
  StateDirectory(fs::FileSystem& file_system, std::string path, std::unique_ptr<fs::FileLock> lock);

  fs::FileSystem& file_system_;
  const std::string path_;
  const std::unique_ptr<fs::FileLock> lock_;
};

}  // namespace weir::coordination
