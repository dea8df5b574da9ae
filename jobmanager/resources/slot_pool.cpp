#include "jobmanager/resources/slot_pool.h"

#include <algorithm>
#include <utility>

#include <absl/strings/str_cat.h>
#include <glog/logging.h>

#include "common/base/check.h"

namespace weir::resources {
namespace {

std::string Counted(uint64_t count, const char* thing) {
  return absl::StrCat(count, " ", thing, count == 1 ? "" : "s");
}

}  // namespace

SlotPool::SlotPool(SlotPoolOptions options, SlotPlacement placement, Services services)
    : options_(options),
      placement_(std::move(placement)),
      services_(services),
      self_(std::make_shared<SlotPool*>(this)) {
}

SlotPool::~SlotPool() {
  for (const Request& request : waiting_) services_.timers.Cancel(request.timer);
}

void SlotPool::Acquire(JobId job, uint32_t count, Done done) {
  WEIR_CHECK(count > 0);
  WEIR_CHECK(!held_.contains(job));
  const bool awaits = std::any_of(waiting_.begin(), waiting_.end(),
                                  [job](const Request& request) { return request.job == job; });
  WEIR_CHECK(!awaits);
  const base::TimerId timer =
      services_.timers.RunAfter(options_.request_timeout, [this, job] { OnTimeout(job); });
  waiting_.push_back({job, count, std::move(done), timer});
  ServeSoon();
}

void SlotPool::Release(JobId job) {
  if (const auto held = held_.find(job); held != held_.end()) {
    for (const auto& [id, count] : held->second) {
      WEIR_CHECK(used_[id] >= count);
      used_[id] -= count;
    }
    held_.erase(held);
  }
  for (auto it = waiting_.begin(); it != waiting_.end(); ++it) {
    if (it->job != job) continue;
    services_.timers.Cancel(it->timer);
    services_.loop.PostControl([done = std::move(it->done)]() mutable {
      done(absl::CancelledError("the job gave its request for slots back"));
    });
    waiting_.erase(it);
    break;
  }
  ServeSoon();
}

void SlotPool::OnRegistered(const RegisteredTaskManager& taskmanager) {
  used_[taskmanager.facts.id] = 0;
  ServeSoon();
}

void SlotPool::OnLost(const RegisteredTaskManager& taskmanager, const absl::Status& cause) {
  used_.erase(taskmanager.facts.id);
  for (auto& [job, held] : held_) held.erase(taskmanager.facts.id);
  ServeSoon();  // a request may have become one that keeps nobody waiting
}

uint32_t SlotPool::FreeOn(TaskManagerId id) const {
  const RegisteredTaskManager* taskmanager = services_.registry.Find(id);
  const auto used = used_.find(id);
  if (taskmanager == nullptr || used == used_.end()) return 0;
  WEIR_CHECK(used->second <= taskmanager->facts.slots);
  return taskmanager->facts.slots - used->second;
}

SlotCount SlotPool::Total() const {
  SlotCount total;
  for (const SlotCount& count : Counts(Ids())) {
    total.slots += count.slots;
    total.free += count.free;
  }
  return total;
}

std::vector<TaskManagerId> SlotPool::Ids() const {
  std::vector<TaskManagerId> ids;
  for (const auto& [id, used] : used_) {
    if (services_.registry.Find(id) != nullptr) ids.push_back(id);
  }
  return ids;
}

std::vector<SlotCount> SlotPool::Counts(const std::vector<TaskManagerId>& ids) const {
  std::vector<SlotCount> counts;
  counts.reserve(ids.size());
  for (const TaskManagerId id : ids) {
    counts.push_back({services_.registry.Find(id)->facts.slots, FreeOn(id)});
  }
  return counts;
}

void SlotPool::ServeSoon() {
  if (serve_posted_ || waiting_.empty()) return;
  serve_posted_ = true;
  services_.loop.PostControl([this, self = std::weak_ptr<SlotPool*>(self_)] {
    if (self.expired()) return;
    serve_posted_ = false;
    Serve();
  });
}

SlotPool::Requests::iterator SlotPool::NextToServe() {
  const SlotCount total = Total();
  for (auto it = waiting_.begin(); it != waiting_.end(); ++it) {
    if (it->count <= total.free) return it;
    if (it->count <= total.slots) break;  // its turn: those behind it wait too
  }
  return waiting_.end();
}

void SlotPool::Serve() {
  const std::weak_ptr<SlotPool*> self = self_;
  // Whoever is served may ask, release, or end this.
  while (!self.expired()) {
    const auto next = NextToServe();
    if (next == waiting_.end()) return;
    const std::vector<TaskManagerId> ids = Ids();
    const std::vector<size_t> chosen = placement_(Counts(ids), next->count);
    if (chosen.size() != next->count) return;
    services_.timers.Cancel(next->timer);
    Request request = std::move(*next);
    waiting_.erase(next);
    request.done(Take(request.job, ids, chosen));
  }
}

SlotAssignment SlotPool::Take(JobId job, const std::vector<TaskManagerId>& ids,
                              const std::vector<size_t>& chosen) {
  SlotAssignment assignment;
  std::map<TaskManagerId, uint32_t>& held = held_[job];
  for (const size_t index : chosen) {
    const TaskManagerId id = ids[index];
    WEIR_CHECK(FreeOn(id) > 0);
    ++used_[id];
    ++held[id];
    const rpc::TaskManagerFacts& facts = services_.registry.Find(id)->facts;
    assignment.slots.push_back(id);
    assignment.places[id] = {facts.host, facts.data_address};
  }
  return assignment;
}

void SlotPool::OnTimeout(JobId job) {
  const auto it = std::find_if(waiting_.begin(), waiting_.end(),
                               [job](const Request& request) { return request.job == job; });
  WEIR_CHECK(it != waiting_.end());
  const std::string missing = Describe(*it);
  LOG(WARNING) << "slot request timed out job=" << job.ToString() << " slots=" << it->count
               << " cause=\"" << missing << "\"";
  Request request = std::move(*it);
  waiting_.erase(it);
  ServeSoon();
  request.done(absl::ResourceExhaustedError(absl::StrCat(
      "not enough slots for ", absl::FormatDuration(options_.request_timeout), ": ", missing)));
}

std::string SlotPool::Describe(const Request& request) const {
  const SlotCount total = Total();
  const std::string waiting = absl::StrCat("waiting for ", Counted(request.count, "slot"), ": ");
  if (total.slots == 0) return absl::StrCat(waiting, "there is no taskmanager; start some");
  const std::string there = absl::StrCat(total.free, " of ", total.slots, " are free on ",
                                         Counted(Ids().size(), "taskmanager"));
  if (request.count > total.slots) {
    return absl::StrCat(waiting, there, "; start taskmanagers with ",
                        Counted(request.count - total.slots, "more slot"),
                        ", or run the job with less parallelism");
  }
  if (request.count > total.free) {
    return absl::StrCat(waiting, there, "; start another taskmanager or cancel a job");
  }
  return absl::StrCat(waiting, there, ", and it is the turn of a job that asked before");
}

std::string SlotPool::WaitsFor(JobId job) const {
  for (const Request& request : waiting_) {
    if (request.job == job) return Describe(request);
  }
  return {};
}

}  // namespace weir::resources
