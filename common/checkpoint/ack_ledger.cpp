#include "common/checkpoint/ack_ledger.h"

#include "common/base/check.h"

namespace weir::checkpoint {

AckLedger::AckLedger(uint32_t task_count) {
  WEIR_CHECK(task_count > 0);
  WEIR_CHECK(task_count <= kSubtaskCountMax);
  states_.assign(task_count, State::kAwaited);
}

void AckLedger::SetFinished(uint32_t task) {
  WEIR_CHECK(task < states_.size());
  WEIR_CHECK(acknowledged_count_ == 0);
  WEIR_CHECK(states_[task] == State::kAwaited);
  states_[task] = State::kFinished;
  ++finished_count_;
}

AckLedger::Mark AckLedger::Acknowledge(uint32_t task) {
  WEIR_CHECK(task < states_.size());
  switch (states_[task]) {
    case State::kAcknowledged:
      return Mark::kRepeated;
    case State::kFinished:
      return Mark::kUnawaited;
    case State::kAwaited:
      break;
  }
  states_[task] = State::kAcknowledged;
  ++acknowledged_count_;
  WEIR_CHECK(acknowledged_count_ + finished_count_ <= states_.size());
  return Mark::kFirst;
}

}  // namespace weir::checkpoint
