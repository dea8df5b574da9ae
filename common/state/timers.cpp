#include "common/state/timers.h"

#include <cstring>
#include <utility>

#include "common/base/check.h"
#include "common/base/status_macros.h"

namespace weir::state {
namespace {

// Stale heap entries tolerated beyond as many as there are timers.
constexpr size_t kStaleEntriesMax = 1024;

// The table's key: time, namespace, then the key itself.
std::string EncodeTimer(EventTimeUs time_us, int64_t name_space, StringView key) {
  std::string encoded(kTimerPrefixBytes + key.size(), '\0');
  std::memcpy(encoded.data(), &time_us, sizeof(time_us));
  std::memcpy(encoded.data() + sizeof(time_us), &name_space, sizeof(name_space));
  if (!key.empty()) std::memcpy(encoded.data() + kTimerPrefixBytes, key.data(), key.size());
  return encoded;
}

Timer DecodeTimer(StringView encoded, uint32_t group) {
  WEIR_CHECK(encoded.size() >= kTimerPrefixBytes);
  Timer timer;
  std::memcpy(&timer.time_us, encoded.data(), sizeof(timer.time_us));
  std::memcpy(&timer.name_space, encoded.data() + sizeof(timer.time_us), sizeof(int64_t));
  encoded.remove_prefix(kTimerPrefixBytes);
  timer.key.assign(encoded.data(), encoded.size());
  timer.key_group = group;
  return timer;
}

std::string EncodeTimer(const Timer& timer) {
  return EncodeTimer(timer.time_us, timer.name_space, timer.key);
}

}  // namespace

StateSpec TimerSpec(const std::string& name) {
  return {.name = name,
          .kind = StateKind::kTimers,
          .key = KeyFormat::Bytes(32),
          .value = {0, {}},
          .signature = "time:int64,namespace:int64,key"};
}

absl::StatusOr<std::unique_ptr<TimerQueue>> TimerQueue::Create(KeyedBackend& backend,
                                                               const std::string& name) {
  WEIR_ASSIGN_OR_RETURN(StateTable * table, backend.Register(TimerSpec(name)));
  auto queue = std::unique_ptr<TimerQueue>(new TimerQueue(table));
  queue->RebuildIndex();
  return queue;
}

absl::Status TimerQueue::Register(TableKey key, int64_t name_space, EventTimeUs time_us) {
  const uint64_t size_before = table_->size();
  const std::string encoded = EncodeTimer(time_us, name_space, key.bytes);
  WEIR_RETURN_IF_ERROR(table_->FindOrInsert({key.group, encoded}).status());
  if (table_->size() > size_before) Push(DecodeTimer(encoded, key.group));
  return absl::OkStatus();
}

absl::Status TimerQueue::Delete(TableKey key, int64_t name_space, EventTimeUs time_us) {
  const std::string encoded = EncodeTimer(time_us, name_space, key.bytes);
  return table_->Erase({key.group, encoded}).status();
}

absl::StatusOr<bool> TimerQueue::AdvanceTo(
    EventTimeUs now_us, absl::FunctionRef<absl::StatusOr<Go>(const Timer&)> fire) {
  Timer timer;
  while (PopDue(now_us, &timer)) {
    WEIR_RETURN_IF_ERROR(table_->Erase({timer.key_group, EncodeTimer(timer)}).status());
    WEIR_ASSIGN_OR_RETURN(const Go go, fire(timer));
    if (go == Go::kStop) break;
  }
  SkipDeleted();
  return heap_.empty() || heap_.top().time_us > now_us;
}

EventTimeUs TimerQueue::NextTime() {
  SkipDeleted();
  return heap_.empty() ? kEventTimeMax : heap_.top().time_us;
}

void TimerQueue::RebuildIndex() {
  std::vector<Timer> timers;
  timers.reserve(table_->size());
  TableCursor cursor = table_->Read().cursor;
  while (cursor.Next()) timers.push_back(DecodeTimer(cursor.key(), cursor.group()));
  heap_ = decltype(heap_)(std::greater<>(), std::move(timers));
}

bool TimerQueue::PopDue(EventTimeUs now_us, Timer* timer) {
  SkipDeleted();
  if (heap_.empty() || heap_.top().time_us > now_us) return false;
  *timer = heap_.top();
  heap_.pop();
  return true;
}

void TimerQueue::SkipDeleted() {
  while (!heap_.empty() && !IsRegistered(heap_.top())) heap_.pop();
}

void TimerQueue::Push(Timer timer) {
  heap_.push(std::move(timer));
  if (heap_.size() > 2 * table_->size() + kStaleEntriesMax) RebuildIndex();
}

bool TimerQueue::IsRegistered(const Timer& timer) const {
  const auto found = table_->Find({timer.key_group, EncodeTimer(timer)});
  WEIR_CHECK(found.ok());
  return *found != nullptr;
}

}  // namespace weir::state
