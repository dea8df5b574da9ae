#include "jobmanager/job/failure_log.h"

#include <utility>

#include "common/base/check.h"
#include "common/rpc/channel_lost.h"

namespace weir::job {

void FailureLog::Add(Failure failure) {
  WEIR_CHECK(!incidents_.empty());
  WEIR_CHECK(!failure.status.ok());
  Incident& newest = incidents_.back();
  for (const Failure& known : newest.failures) {
    if (known.status == failure.status && known.taskmanager == failure.taskmanager) return;
  }
  const bool is_first_real = !newest.failures.empty() &&
                             rpc::IsChannelLost(newest.failures[newest.root].status) &&
                             !rpc::IsChannelLost(failure.status);
  while (size_ >= kFailuresKeptMax && incidents_.size() > 1) {
    size_ -= incidents_.front().failures.size();
    incidents_.pop_front();
  }
  if (size_ >= kFailuresKeptMax) {
    if (!is_first_real) return;
    newest.failures.pop_back();
    --size_;
  }
  if (is_first_real) newest.root = newest.failures.size();
  newest.failures.push_back(std::move(failure));
  ++size_;
}

const Failure* FailureLog::RootCause() const {
  if (incidents_.empty() || incidents_.back().failures.empty()) return nullptr;
  return &incidents_.back().failures[incidents_.back().root];
}

std::vector<Failure> FailureLog::Newest() const {
  std::vector<Failure> newest;
  if (RootCause() == nullptr) return newest;
  const Incident& incident = incidents_.back();
  newest.push_back(incident.failures[incident.root]);
  for (size_t i = 0; i < incident.failures.size(); ++i) {
    if (i != incident.root) newest.push_back(incident.failures[i]);
  }
  return newest;
}

}  // namespace weir::job
