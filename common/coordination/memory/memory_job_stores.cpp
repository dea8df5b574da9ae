#include "common/coordination/memory/memory_job_stores.h"

#include <algorithm>

#include "common/base/check.h"

namespace weir::coordination {

absl::Status MemoryJobGraphStore::Put(const StoredJob& job) {
  const base::MutexLock lock(mutex_);
  jobs_[job.id] = job;
  return absl::OkStatus();
}

absl::Status MemoryJobGraphStore::MarkCancelled(JobId job) {
  const base::MutexLock lock(mutex_);
  if (const auto it = jobs_.find(job); it != jobs_.end()) it->second.is_cancelled = true;
  return absl::OkStatus();
}

absl::Status MemoryJobGraphStore::Remove(JobId job) {
  const base::MutexLock lock(mutex_);
  jobs_.erase(job);
  return absl::OkStatus();
}

absl::StatusOr<std::vector<StoredJob>> MemoryJobGraphStore::List() {
  const base::MutexLock lock(mutex_);
  std::vector<StoredJob> all;
  all.reserve(jobs_.size());
  for (const auto& [id, job] : jobs_) all.push_back(job);
  std::stable_sort(all.begin(), all.end(), [](const StoredJob& a, const StoredJob& b) {
    return a.submitted_at < b.submitted_at;
  });
  return all;
}

absl::Status MemoryJobResultStore::Put(const EndedJob& job) {
  WEIR_CHECK(IsTerminal(job.end));
  const base::MutexLock lock(mutex_);
  jobs_[job.id] = job;
  return absl::OkStatus();
}

absl::Status MemoryJobResultStore::Remove(JobId job) {
  const base::MutexLock lock(mutex_);
  jobs_.erase(job);
  return absl::OkStatus();
}

absl::StatusOr<std::vector<EndedJob>> MemoryJobResultStore::List() {
  const base::MutexLock lock(mutex_);
  std::vector<EndedJob> all;
  all.reserve(jobs_.size());
  for (const auto& [id, job] : jobs_) all.push_back(job);
  std::stable_sort(all.begin(), all.end(),
                   [](const EndedJob& a, const EndedJob& b) { return a.ended_at < b.ended_at; });
  return all;
}

}  // namespace weir::coordination
