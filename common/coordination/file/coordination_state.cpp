#include "common/coordination/file/coordination_state.h"

#include <utility>

namespace weir::coordination {
namespace {

template <class... Handlers>
struct Overloaded : Handlers... {
  using Handlers::operator()...;
};
// Clang 14 does not deduce it by itself.
template <class... Handlers>
Overloaded(Handlers...) -> Overloaded<Handlers...>;

}  // namespace

std::vector<Change> ChangesOf(const StoredJob& job) {
  std::vector<Change> changes{JobPut{job}};
  if (job.is_cancelled) changes.emplace_back(JobCancelled{job.id});
  return changes;
}

void CoordinationState::Apply(const Change& change) {
  std::visit(Overloaded{[](const LeaderBegins&) {},
                        [this](const JobPut& put) { jobs_[put.job.id] = put.job; },
                        [this](const JobRemoved& removed) { jobs_.erase(removed.job); },
                        [this](const ResultPut& put) { results_[put.job.id] = put.job; },
                        [this](const ResultRemoved& removed) { results_.erase(removed.job); },
                        [this](const CounterSet& set) { counters_[set.job] = set.next; },
                        [this](const CounterRemoved& removed) { counters_.erase(removed.job); },
                        [this](const CheckpointsSet& set) {
                          if (set.listed.empty()) {
                            checkpoints_.erase(set.job);
                          } else {
                            checkpoints_[set.job] = set.listed;
                          }
                        },
                        [this](const JobCancelled& cancelled) {
                          const auto it = jobs_.find(cancelled.job);
                          if (it != jobs_.end()) it->second.is_cancelled = true;
                        }},
             change);
}

int64_t CoordinationState::NextId(JobId job) const {
  const auto it = counters_.find(job);
  return it == counters_.end() ? 1 : it->second;
}

std::vector<ListedCheckpoint> CoordinationState::Checkpoints(JobId job) const {
  const auto it = checkpoints_.find(job);
  return it == checkpoints_.end() ? std::vector<ListedCheckpoint>() : it->second;
}

std::vector<Change> CoordinationState::All() const {
  std::vector<Change> all;
  for (const auto& [id, job] : jobs_) {
    for (Change& change : ChangesOf(job)) all.push_back(std::move(change));
  }
  for (const auto& [id, job] : results_) all.emplace_back(ResultPut{job});
  for (const auto& [id, next] : counters_) all.emplace_back(CounterSet{id, next});
  for (const auto& [id, listed] : checkpoints_) all.emplace_back(CheckpointsSet{id, listed});
  return all;
}

}  // namespace weir::coordination
