#include "taskmanager/network/send_queue.h"

#include <utility>
#include <vector>

#include "common/base/check.h"
#include "taskmanager/network/frame_codec.h"

namespace weir::network {
namespace {

// What a block has besides its columns' bytes: enough to never grow again for most schemas.
constexpr size_t kBlockOverheadBytes = 4u << 10;

// What a checkpoint or the end of a job waits for.
bool IsUrgent(const StreamElement& element) {
  return std::holds_alternative<checkpoint::Barrier>(element) ||
         std::holds_alternative<CancelMarker>(element) ||
         std::holds_alternative<EndOfData>(element);
}

// So that encoding does not grow the memory step by step.
void ReserveFor(const StreamElement& element, std::string* out) {
  const types::BatchPtr* batch = std::get_if<types::BatchPtr>(&element);
  // A selection may be far smaller than the columns.
  if (batch == nullptr || (*batch)->HasSelection()) return;
  out->reserve((*batch)->ByteSize() + kBlockOverheadBytes);
}

}  // namespace

SendQueue::SendQueue(size_t window_bytes, base::Mailbox& producer)
    : window_bytes_(window_bytes), producer_(&producer) {
}

bool SendQueue::Push(const StreamElement& element) {
  if (std::holds_alternative<Close>(element)) {
    base::MutexLock lock(mutex_);
    is_closing_ = true;
    return true;
  }
  scratch_.clear();
  ReserveFor(element, &scratch_);
  AppendElement(element, &scratch_);
  if (scratch_.size() > kFrameBytesMax) {
    std::vector<std::string> parts = SplitIntoParts(scratch_);
    scratch_ = std::string();
    base::MutexLock lock(mutex_);
    for (std::string& part : parts) Append(std::move(part), /*is_urgent=*/false);
    return NextLocked() != NextStep::kWait;
  }
  base::MutexLock lock(mutex_);
  Append(std::move(scratch_), IsUrgent(element));
  scratch_ = TakeSpare();
  return NextLocked() != NextStep::kWait;
}

void SendQueue::Append(std::string element, bool is_urgent) {
  if (has_failed_) return;
  WEIR_DCHECK(!is_closing_);
  queued_bytes_ += element.size();
  if (!frames_.empty() && frames_.back().bytes.size() + element.size() <= kFrameBytesTarget) {
    frames_.back().bytes.append(element);
    frames_.back().is_urgent |= is_urgent;
    return Recycle(std::move(element));
  }
  frames_.push_back({std::move(element), is_urgent});
}

bool SendQueue::HasRoom() {
  base::MutexLock lock(mutex_);
  is_waiting_ = !has_failed_ && queued_bytes_ + in_flight_bytes_ >= window_bytes_;
  return !is_waiting_;
}

bool SendQueue::IsIdle() {
  base::MutexLock lock(mutex_);
  return queued_bytes_ + in_flight_bytes_ == 0;
}

bool SendQueue::Detach() {
  base::MutexLock lock(mutex_);
  producer_ = nullptr;
  return is_closing_;
}

NextStep SendQueue::Next() {
  base::MutexLock lock(mutex_);
  return NextLocked();
}

NextStep SendQueue::NextLocked() const {
  if (frames_.empty()) {
    return is_closing_ && in_flight_bytes_ == 0 ? NextStep::kClose : NextStep::kWait;
  }
  if (in_flight_bytes_ >= window_bytes_) return NextStep::kWait;
  const bool is_due = in_flight_bytes_ == 0 || is_closing_ || frames_.size() > 1 ||
                      frames_.front().is_urgent ||
                      frames_.front().bytes.size() >= kFrameBytesTarget;
  return is_due ? NextStep::kSend : NextStep::kWait;
}

std::vector<std::string> SendQueue::TakeFrames() {
  base::MutexLock lock(mutex_);
  WEIR_CHECK(!frames_.empty());
  std::vector<std::string> taken;
  size_t bytes = 0;
  do {
    const size_t size = frames_.front().bytes.size();
    taken.push_back(std::move(frames_.front().bytes));
    frames_.pop_front();
    bytes += size;
    queued_bytes_ -= size;
    in_flight_bytes_ += size;
  } while (NextLocked() == NextStep::kSend &&
           bytes + frames_.front().bytes.size() <= kPushBytesTarget);
  return taken;
}

void SendQueue::Acknowledge(std::vector<std::string> frames) {
  base::MutexLock lock(mutex_);
  if (has_failed_) return;
  for (std::string& frame : frames) {
    WEIR_CHECK(frame.size() <= in_flight_bytes_);
    in_flight_bytes_ -= frame.size();
    Recycle(std::move(frame));
  }
  PokeIfDrained();
}

// Keeps as much as the window would hold anyway.
void SendQueue::Recycle(std::string memory) {
  if (spare_bytes_ + memory.capacity() > window_bytes_) return;
  spare_bytes_ += memory.capacity();
  spares_.push_back(std::move(memory));
}

std::string SendQueue::TakeSpare() {
  if (spares_.empty()) return std::string();
  std::string spare = std::move(spares_.back());
  spares_.pop_back();
  spare_bytes_ -= spare.capacity();
  return spare;
}

void SendQueue::Fail() {
  base::MutexLock lock(mutex_);
  has_failed_ = true;
  frames_.clear();
  queued_bytes_ = 0;
  in_flight_bytes_ = 0;
  PokeIfDrained();
}

void SendQueue::PokeIfDrained() {
  if (!is_waiting_ || queued_bytes_ + in_flight_bytes_ > window_bytes_ / 2) return;
  is_waiting_ = false;
  if (producer_ != nullptr) producer_->Poke();
}

}  // namespace weir::network
