// File sink clean-up: what must happen to the directories of a job's file sinks once per start or
// restore, before any of its subtasks runs: leftovers of former runs go, and a directory that
// belongs to someone else is refused.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include <absl/status/statusor.h>

#include "common/base/ids.h"
#include "common/fs/file_system.h"
#include "common/graph/plan.h"
#include "common/state/handles.h"
#include "common/state/snapshot_stream.h"

namespace weir::connectors {

// The directories a job owns.
//
// Life:   as long as the job may write: dropping it lets other jobs have them.
// Thread: confined to one thread.
class SinkOwnership {
 public:
  bool Owns(const std::string& directory) const { return locks_.contains(directory); }
  void Add(const std::string& directory, std::unique_ptr<fs::FileLock> lock) {
    locks_[directory] = std::move(lock);
  }
  void Drop(const std::string& directory) { locks_.erase(directory); }

 private:
  std::map<std::string, std::unique_ptr<fs::FileLock>> locks_;
};

// Which start of a job it is; a later one is higher. See rpc::JobDeployment.
struct JobStart {
  uint64_t epoch = 0;
  uint64_t generation = 0;

  // NOLINTNEXTLINE(modernize-use-nullptr): what the compiler makes of it compares with 0
  auto operator<=>(const JobStart&) const = default;
};

// One sink's directory and what the restored checkpoint knows of it.
struct FileSinkPlace {
  std::string directory;
  JobId job;
  JobStart start;
  CheckpointId restored = kNoCheckpoint;  // kNoCheckpoint: the job starts with nothing
  bool is_new = false;                    // the restored checkpoint does not know this sink
  std::vector<std::string> pending;       // the elements of all subtasks' kPendingPartsList
};

// Takes the directory (unless `ownership` has it) and cleans it up: temporaries that no state names
// go, and so do parts above the restored checkpoint, whose rows will be written again. Other files
// are left alone. A sink that goes on needs the directory it wrote: with this job's owner file.
// Which start was the last is noted in the directory before anything goes: a start that was
// overtaken while its process stood still must not take back what the one after it committed.
// Returns the highest checkpoint id that any part's name had; ids must go on above it.
// FAILED_PRECONDITION: another job holds the directory, or its files are there, or a sink that
// starts with nothing finds parts, or the directory that a sink goes on with is gone or no longer
// this job's; says what to do. ALREADY_EXISTS: it holds output of another job. ABORTED: a later
// start of the job has been here. DATA_LOSS: `pending` cannot be read.
absl::StatusOr<CheckpointId> CleanUpFileSink(fs::FileSystem& files, const FileSinkPlace& place,
                                             SinkOwnership* ownership);

// What a restored checkpoint holds of a job's operators.
struct RestoredLists {
  CheckpointId restored = kNoCheckpoint;
  // By operator uid, of all its subtasks. A file sink always stores its part numbers: without any
  // handles the checkpoint does not know it.
  std::map<std::string, std::vector<state::OperatorStateHandle>> handles;
  const state::SnapshotInputFactory* inputs = nullptr;  // needed if there are handles
};

// CleanUpFileSink() for every file sink of the plan. Fails as it does, and as reading state does.
absl::StatusOr<CheckpointId> PrepareSinks(fs::FileSystem& files, const graph::Plan& plan, JobId job,
                                          JobStart start, const RestoredLists& restored,
                                          SinkOwnership* ownership);

}  // namespace weir::connectors
