#include "common/testing/virtual_timers.h"

#include <algorithm>

namespace weir::testing {

base::TimerId VirtualTimers::RunAfter(absl::Duration delay, absl::AnyInvocable<void()> callback) {
  const absl::Duration due = clock_.SteadyNow() + std::max(delay, absl::ZeroDuration());
  const uint64_t id = next_id_++;
  timers_.emplace(Key{due, id}, std::move(callback));
  return base::TimerId{id};
}

void VirtualTimers::Cancel(base::TimerId id) {
  const auto found = std::find_if(timers_.begin(), timers_.end(), [id](const auto& timer) {
    return timer.first.second == static_cast<uint64_t>(id);
  });
  if (found != timers_.end()) timers_.erase(found);
}

void VirtualTimers::FireFirst() {
  auto first = timers_.extract(timers_.begin());
  const absl::Duration wait = first.key().first - clock_.SteadyNow();
  if (wait > absl::ZeroDuration()) clock_.Advance(wait);
  first.mapped()();
}

void VirtualTimers::AdvanceBy(absl::Duration by) {
  const absl::Duration end = clock_.SteadyNow() + by;
  while (!timers_.empty() && timers_.begin()->first.first <= end) FireFirst();
  if (clock_.SteadyNow() < end) clock_.Advance(end - clock_.SteadyNow());
}

bool VirtualTimers::RunNext() {
  if (timers_.empty()) return false;
  FireFirst();
  return true;
}

}  // namespace weir::testing
