// Jobs and results in the memory of this process: they end with it.
#pragma once

#include <map>
#include <vector>

#include "common/coordination/job_graph_store.h"
#include "common/coordination/job_result_store.h"

namespace weir::coordination {

// Thread: one at a time.
class MemoryJobGraphStore final : public JobGraphStore {
 public:
  absl::Status Put(const StoredJob& job) override;
  absl::Status Remove(JobId job) override;
  absl::StatusOr<std::vector<StoredJob>> List() override;

 private:
  std::map<JobId, StoredJob> jobs_;
};

// Thread: one at a time.
class MemoryJobResultStore final : public JobResultStore {
 public:
  absl::Status Put(const EndedJob& job) override;
  absl::Status Remove(JobId job) override;
  absl::StatusOr<std::vector<EndedJob>> List() override;

 private:
  std::map<JobId, EndedJob> jobs_;
};

}  // namespace weir::coordination
