#include "common/checkpoint/request_queue.h"

#include <algorithm>
#include <utility>

#include "common/base/check.h"

namespace weir::checkpoint {
namespace {

// Smaller runs first.
int RankOf(const TriggerRequest& request) {
  const int by_kind = IsSavepoint(request.kind) ? 0 : 2;
  return by_kind + (request.origin == RequestOrigin::kUser ? 0 : 1);
}

bool IsPeriodic(const TriggerRequest& request) {
  return request.origin == RequestOrigin::kPeriodic;
}

}  // namespace

RequestQueue::RequestQueue(size_t size_max) : size_max_(size_max) {
  WEIR_CHECK(size_max > 0);
}

std::optional<TriggerRequest> RequestQueue::Push(TriggerRequest request) {
  WEIR_CHECK(!IsPeriodic(request) || !HasPeriodic());
  const auto place = std::upper_bound(
      requests_.begin(), requests_.end(), RankOf(request),
      [](int rank, const TriggerRequest& waiting) { return rank < RankOf(waiting); });
  requests_.insert(place, std::move(request));
  if (requests_.size() <= size_max_) return std::nullopt;
  TriggerRequest fallen = std::move(requests_.back());
  requests_.pop_back();
  WEIR_CHECK(requests_.size() == size_max_);
  return fallen;
}

const TriggerRequest* RequestQueue::Front() const {
  return requests_.empty() ? nullptr : &requests_.front();
}

TriggerRequest RequestQueue::Pop() {
  WEIR_CHECK(!requests_.empty());
  TriggerRequest request = std::move(requests_.front());
  requests_.erase(requests_.begin());
  return request;
}

bool RequestQueue::HasPeriodic() const {
  return std::any_of(requests_.begin(), requests_.end(), IsPeriodic);
}

void RequestQueue::RemovePeriodic() {
  requests_.erase(std::remove_if(requests_.begin(), requests_.end(), IsPeriodic), requests_.end());
}

std::vector<TriggerRequest> RequestQueue::Clear() {
  return std::exchange(requests_, {});
}

}  // namespace weir::checkpoint
