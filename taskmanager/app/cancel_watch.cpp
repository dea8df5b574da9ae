#include "taskmanager/app/cancel_watch.h"

#include <utility>

namespace weir::taskmanager {

void CancelWatch::OnCancel(AttemptId attempt, std::string name, Ended ended, absl::Duration now) {
  waiting_.try_emplace(attempt, Cancelled{std::move(name), std::move(ended), now});
}

std::vector<std::string> CancelWatch::Overdue(absl::Duration now) {
  std::erase_if(waiting_, [](const auto& entry) {
    return entry.second.ended->load(std::memory_order_acquire);
  });
  std::vector<std::string> names;
  for (const auto& [attempt, cancelled] : waiting_) {
    if (now - cancelled.since > patience_) names.push_back(cancelled.name);
  }
  return names;
}

}  // namespace weir::taskmanager
