#include "taskmanager/task/chain.h"

#include <utility>

#include "common/base/check.h"
#include "common/base/status_macros.h"

namespace weir::task {

using operators::Verdict;

// Takes what one call emits and holds the operator to its bound.
class Chain::Collector final : public operators::BatchSink {
 public:
  explicit Collector(std::deque<ChainItem>& next) : next_(next) {}
  void Emit(types::BatchPtr batch) override {
    WEIR_CHECK(batch != nullptr);
    WEIR_CHECK(++emitted_ <= operators::kEmitBatchesMax);
    next_.emplace_back(std::move(batch));
  }

 private:
  std::deque<ChainItem>& next_;
  int emitted_ = 0;
};

Chain::Chain(std::vector<ChainLink> links, ChainOutput& output)
    : links_(std::move(links)), places_(links_.size() + 1), output_(output) {
}

void Chain::Feed(ChainItem item) {
  places_.front().waiting.push_back(std::move(item));
}

ptrdiff_t Chain::Deepest() const {
  for (size_t i = places_.size(); i-- > 0;) {
    if (places_[i].is_blocked || !places_[i].waiting.empty()) return static_cast<ptrdiff_t>(i);
  }
  return -1;
}

bool Chain::IsIdle() const {
  return Deepest() < 0;
}

absl::StatusOr<ChainProgress> Chain::Run() {
  return RunWith(Room::kNeeded);
}

absl::StatusOr<ChainProgress> Chain::RunWith(Room room) {
  for (;;) {
    const ptrdiff_t deepest = Deepest();
    if (deepest < 0) return ChainProgress::kIdle;
    const size_t index = static_cast<size_t>(deepest);
    if (index == links_.size()) {
      if (room == Room::kNeeded && !output_.HasRoom()) return ChainProgress::kOutputFull;
      DrainToOutput();
      continue;
    }
    WEIR_RETURN_IF_ERROR(RunLink(index));
  }
}

void Chain::DrainToOutput() {
  std::deque<ChainItem>& waiting = places_.back().waiting;
  for (ChainItem& item : waiting) output_.Emit(std::move(item));
  waiting.clear();
}

absl::Status Chain::RunLink(size_t index) {
  Place& place = places_[index];
  Place& next = places_[index + 1];
  Collector out(next.waiting);
  Verdict verdict = Verdict::kDone;
  if (place.is_blocked) {
    WEIR_ASSIGN_OR_RETURN(verdict, links_[index].op->Resume(*links_[index].state, out));
  } else {
    ChainItem item = std::move(place.waiting.front());
    place.waiting.pop_front();
    WEIR_ASSIGN_OR_RETURN(verdict, Call(index, item, out));
    if (!std::holds_alternative<types::BatchPtr>(item)) {
      place.forward_after.push_back(std::move(item));
    }
  }
  place.is_blocked = verdict == Verdict::kBlocked;
  if (place.is_blocked) return absl::OkStatus();
  for (ChainItem& item : place.forward_after) next.waiting.push_back(std::move(item));
  place.forward_after.clear();
  return absl::OkStatus();
}

absl::StatusOr<Verdict> Chain::Call(size_t index, ChainItem& item, Collector& out) {
  const operators::Operator& op = *links_[index].op;
  operators::OperatorState& state = *links_[index].state;
  if (const types::BatchPtr* batch = std::get_if<types::BatchPtr>(&item)) {
    return op.OnBatch(*batch, state, out);
  }
  if (const network::Watermark* watermark = std::get_if<network::Watermark>(&item)) {
    return op.OnWatermark(watermark->time, state, out);
  }
  if (std::holds_alternative<network::EndOfData>(item)) return op.OnEndOfData(state, out);
  return Verdict::kDone;  // idleness concerns no operator
}

absl::Status Chain::PrepareSnapshot() {
  WEIR_CHECK(IsIdle());
  for (size_t i = 0; i < links_.size(); ++i) {
    Collector out(places_[i + 1].waiting);
    WEIR_RETURN_IF_ERROR(links_[i].op->PrepareSnapshot(*links_[i].state, out));
    // What this operator let go passes all later ones before they prepare in their turn.
    WEIR_RETURN_IF_ERROR(RunWith(Room::kIgnored).status());
  }
  return absl::OkStatus();
}

}  // namespace weir::task
