#include "common/checkpoint/checkpoint_history.h"

#include <algorithm>
#include <utility>

#include "common/base/check.h"

namespace weir::checkpoint {

CheckpointHistory::CheckpointHistory(size_t size_max) : size_max_(size_max) {
}

void CheckpointHistory::OnRestored(CheckpointId id) {
  ++counts_.restored;
  latest_restored_ = id;
}

void CheckpointHistory::OnTriggered(CheckpointStats stats) {
  ++counts_.triggered;
  ++counts_.in_progress;
  if (size_max_ == 0) return;
  entries_.push_back(std::move(stats));
  if (entries_.size() > size_max_) entries_.pop_front();
}

void CheckpointHistory::OnEnded(CheckpointStats stats) {
  WEIR_CHECK(stats.status != CheckpointStatus::kInProgress);
  WEIR_CHECK(counts_.in_progress > 0);
  --counts_.in_progress;
  const bool completed = stats.status == CheckpointStatus::kCompleted;
  ++(completed ? counts_.completed : counts_.failed);
  // By id, for that is what a restore takes: two that overlap may complete the other way round.
  std::optional<CheckpointStats>& latest = completed ? latest_completed_ : latest_failed_;
  if (!latest.has_value() || latest->id < stats.id) latest = stats;
  const auto entry =
      std::find_if(entries_.begin(), entries_.end(),
                   [&stats](const CheckpointStats& known) { return known.id == stats.id; });
  if (entry != entries_.end()) *entry = std::move(stats);
}

void CheckpointHistory::OnFailedWithoutId() {
  ++counts_.triggered;
  ++counts_.failed;
}

}  // namespace weir::checkpoint
