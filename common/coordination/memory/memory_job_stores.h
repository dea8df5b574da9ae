// Jobs and results in the memory of this process: they end with it.
#pragma once

#include <map>
#include <vector>

#include <absl/base/thread_annotations.h>

#include "common/base/mutex.h"
#include "common/coordination/job_graph_store.h"
#include "common/coordination/job_result_store.h"

namespace weir::coordination {

// Thread: any.
class MemoryJobGraphStore final : public JobGraphStore {
 public:
  absl::Status Put(const StoredJob& job) override;
  absl::Status MarkCancelled(JobId job) override;
  absl::Status Remove(JobId job) override;
  absl::StatusOr<std::vector<StoredJob>> List() override;

 private:
  base::Mutex mutex_;
  std::map<JobId, StoredJob> jobs_ ABSL_GUARDED_BY(mutex_);
};

// Thread: any.
class MemoryJobResultStore final : public JobResultStore {
 public:
  absl::Status Put(const EndedJob& job) override;
  absl::Status Remove(JobId job) override;
  absl::StatusOr<std::vector<EndedJob>> List() override;

 private:
  base::Mutex mutex_;
  std::map<JobId, EndedJob> jobs_ ABSL_GUARDED_BY(mutex_);
};

}  // namespace weir::coordination
