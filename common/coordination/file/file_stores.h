// The stores of a jobmanager in a FileCoordination.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include <absl/base/thread_annotations.h>

#include "common/base/mutex.h"
#include "common/coordination/checkpoint_id_counter.h"
#include "common/coordination/file/file_coordination.h"
#include "common/coordination/job_graph_store.h"
#include "common/coordination/job_result_store.h"

namespace weir::coordination {

// Life of all: `coordination` outlives them.
class FileJobGraphStore final : public JobGraphStore {
 public:
  explicit FileJobGraphStore(FileCoordination& coordination) : coordination_(coordination) {}

  absl::Status Put(const StoredJob& job) override;
  absl::Status MarkCancelled(JobId job) override;
  absl::Status Remove(JobId job) override;
  absl::StatusOr<std::vector<StoredJob>> List() override;

 private:
  FileCoordination& coordination_;
};

// Life: see above.
class FileJobResultStore final : public JobResultStore {
 public:
  explicit FileJobResultStore(FileCoordination& coordination) : coordination_(coordination) {}

  absl::Status Put(const EndedJob& job) override;
  absl::Status Remove(JobId job) override;
  absl::StatusOr<std::vector<EndedJob>> List() override;

 private:
  FileCoordination& coordination_;
};

// Ids that one record sets aside: a record for each would cost a sync for each.
inline constexpr int64_t kIdsPerRecord = 32;

// Life:      see above.
// Thread:    any.
// Invariant: every id given out lies below the number that is durable.
class FileCheckpointIdCounter final : public CheckpointIdCounter {
 public:
  FileCheckpointIdCounter(FileCoordination& coordination, JobId job)
      : coordination_(coordination), job_(job) {}

  absl::Status Start() override;
  absl::StatusOr<CheckpointId> GetAndIncrement() override;
  absl::StatusOr<CheckpointId> Get() override;
  absl::Status RaiseTo(CheckpointId next) override;
  absl::Status Stop(JobEnd end) override;

 private:
  absl::Status CheckRunning() const ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  absl::Status Reserve() ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);

  FileCoordination& coordination_;
  const JobId job_;
  base::Mutex mutex_;
  bool running_ ABSL_GUARDED_BY(mutex_) = false;
  int64_t next_ ABSL_GUARDED_BY(mutex_) = 1;
  int64_t reserved_ ABSL_GUARDED_BY(mutex_) = 1;  // ids below it may be given out
};

}  // namespace weir::coordination
