#include "common/coordination/file/file_stores.h"

#include <algorithm>

#include "common/base/status_macros.h"

namespace weir::coordination {
namespace {

using Changes = std::vector<Change>;

template <class T>
std::vector<T> Sorted(const std::map<JobId, T>& jobs, absl::Time T::*by) {
  std::vector<T> list;
  list.reserve(jobs.size());
  for (const auto& [id, job] : jobs) list.push_back(job);
  std::stable_sort(list.begin(), list.end(),
                   [by](const T& a, const T& b) { return a.*by < b.*by; });
  return list;
}

}  // namespace

absl::Status FileJobGraphStore::Put(const StoredJob& job) {
  return coordination_.Update([&job](const CoordinationState&) { return ChangesOf(job); });
}

absl::Status FileJobGraphStore::MarkCancelled(JobId job) {
  return coordination_.Update([job](const CoordinationState& state) {
    const auto it = state.jobs().find(job);
    const bool has_effect = it != state.jobs().end() && !it->second.is_cancelled;
    return has_effect ? Changes{JobCancelled{job}} : Changes{};
  });
}

absl::Status FileJobGraphStore::Remove(JobId job) {
  return coordination_.Update([job](const CoordinationState& state) {
    return state.jobs().contains(job) ? Changes{JobRemoved{job}} : Changes{};
  });
}

absl::StatusOr<std::vector<StoredJob>> FileJobGraphStore::List() {
  return Sorted(coordination_.State().jobs(), &StoredJob::submitted_at);
}

absl::Status FileJobResultStore::Put(const EndedJob& job) {
  return coordination_.Update([&job](const CoordinationState&) { return Changes{ResultPut{job}}; });
}

absl::Status FileJobResultStore::Remove(JobId job) {
  return coordination_.Update([job](const CoordinationState& state) {
    return state.results().contains(job) ? Changes{ResultRemoved{job}} : Changes{};
  });
}

absl::StatusOr<std::vector<EndedJob>> FileJobResultStore::List() {
  return Sorted(coordination_.State().results(), &EndedJob::ended_at);
}

absl::Status FileCheckpointIdCounter::CheckRunning() const {
  if (running_) return absl::OkStatus();
  return absl::FailedPreconditionError("the checkpoint id counter is not running");
}

absl::Status FileCheckpointIdCounter::Start() {
  const int64_t stored = coordination_.State().NextId(job_);
  const base::MutexLock lock(mutex_);
  if (running_) return absl::OkStatus();
  // What was set aside by the process before may have been given out.
  next_ = std::max(next_, stored);
  reserved_ = std::max(reserved_, next_);
  running_ = true;
  return absl::OkStatus();
}

absl::Status FileCheckpointIdCounter::Reserve() {
  if (next_ < reserved_) return absl::OkStatus();
  const int64_t until = next_ + kIdsPerRecord;
  WEIR_RETURN_IF_ERROR(coordination_.Update([this, until](const CoordinationState&) {
    return Changes{CounterSet{job_, until}};
  }));
  reserved_ = until;
  return absl::OkStatus();
}

absl::StatusOr<CheckpointId> FileCheckpointIdCounter::GetAndIncrement() {
  const base::MutexLock lock(mutex_);
  WEIR_RETURN_IF_ERROR(CheckRunning());
  WEIR_RETURN_IF_ERROR(Reserve());
  return CheckpointId{next_++};
}

absl::StatusOr<CheckpointId> FileCheckpointIdCounter::Get() {
  const base::MutexLock lock(mutex_);
  WEIR_RETURN_IF_ERROR(CheckRunning());
  return CheckpointId{next_};
}

absl::Status FileCheckpointIdCounter::RaiseTo(CheckpointId next) {
  const base::MutexLock lock(mutex_);
  WEIR_RETURN_IF_ERROR(CheckRunning());
  if (ToInt(next) <= next_) return absl::OkStatus();
  next_ = ToInt(next);
  return Reserve();  // durable, so that the next process goes on above it as well
}

absl::Status FileCheckpointIdCounter::Stop(JobEnd end) {
  const base::MutexLock lock(mutex_);
  running_ = false;
  if (!IsTerminal(end) || end == JobEnd::kFailed) return absl::OkStatus();
  return coordination_.Update([this](const CoordinationState& state) {
    return state.HasCounter(job_) ? Changes{CounterRemoved{job_}} : Changes{};
  });
}

}  // namespace weir::coordination
