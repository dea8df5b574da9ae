#include "taskmanager/task/task.h"

#include <algorithm>
#include <utility>

#include <absl/strings/cord.h>
#include <absl/strings/str_cat.h>
#include <glog/logging.h>

#include "common/base/check.h"
#include "common/base/status_macros.h"

namespace weir::task {
namespace {

// Elements taken in one step: enough to spare the mailbox's lock, few enough to stay responsive.
constexpr int kElementsPerStep = 16;

}  // namespace

// Takes what a source makes into the chain behind it.
class Task::SourceCollector final : public operators::SourceSink {
 public:
  SourceCollector(Chain& chain, operators::OperatorMetrics& metrics)
      : chain_(chain), metrics_(metrics) {}
  void Emit(types::BatchPtr batch) override {
    WEIR_CHECK(batch != nullptr);
    WEIR_CHECK(++emitted_ <= operators::kEmitBatchesMax);
    operators::OperatorMetrics::Add(metrics_.rows_out, static_cast<int64_t>(batch->size()));
    chain_.Feed(std::move(batch));
  }
  void EmitWatermark(EventTimeUs time) override { chain_.Feed(network::Watermark{time}); }
  void EmitIdle(bool is_idle) override { chain_.Feed(network::Idleness{is_idle}); }

 private:
  Chain& chain_;
  operators::OperatorMetrics& metrics_;
  int emitted_ = 0;
};

Task::Task(TaskIdentity identity, TaskServices services,
           std::vector<std::unique_ptr<OperatorRuntime>> runtimes,
           std::vector<types::SchemaPtr> channels, TaskRestore restore)
    : identity_(std::move(identity)),
      services_(services),
      runtimes_(std::move(runtimes)),
      restore_(std::move(restore)),
      channels_(std::move(channels)),
      gate_(channels_.size(), mailbox_),
      output_(services.clock),
      watermarks_(channels_.size()),
      writer_(services.io, services.places, services.clock, identity_.sender, services.events) {
  WEIR_CHECK(!runtimes_.empty());
  WEIR_CHECK((runtimes_.front()->source != nullptr) == channels_.empty());
  if (!channels_.empty()) aligner_.emplace(static_cast<uint32_t>(channels_.size()));
}

Task::~Task() {
  mailbox_.Close();
}

void Task::Trigger(const checkpoint::Barrier& barrier) {
  mailbox_.PostControl([this, barrier] { controls_.emplace_back(barrier); });
}

void Task::NotifyComplete(CheckpointId id) {
  mailbox_.PostControl([this, id] { controls_.emplace_back(Complete{id}); });
}

void Task::NotifyAborted(CheckpointId id) {
  mailbox_.PostControl([this, id] { controls_.emplace_back(Aborted{id}); });
}

void Task::Cancel() {
  cancelled_.store(true, std::memory_order_release);
  mailbox_.Poke();
}

void Task::Fail(const absl::Status& cause) {
  mailbox_.PostControl([this, cause] {
    if (failure_.ok()) failure_ = cause;
  });
}

absl::Status Task::WithPlace(const absl::Status& status) const {
  if (status.ok() || absl::IsCancelled(status)) return status;
  absl::Status placed(status.code(),
                      absl::StrCat("'", identity_.vertex_name, "' subtask ", identity_.subtask + 1,
                                   " of ", identity_.parallelism, ": ", status.message()));
  // Marks such as that of a lost channel stay with it.
  status.ForEachPayload(
      [&placed](StringView name, const absl::Cord& payload) { placed.SetPayload(name, payload); });
  return placed;
}

StepResult Task::End(const absl::Status& status) {
  gate_.Abandon();
  writer_.CloseAndWait();
  mailbox_.Close();
  const absl::Status placed = WithPlace(status);
  if (!placed.ok() && !absl::IsCancelled(placed)) {
    LOG(WARNING) << "task failed job=" << identity_.sender.job.ToString()
                 << " attempt=" << identity_.sender.attempt.ToString() << " cause=" << placed;
  }
  services_.events.OnTaskEnded(identity_.sender, placed);
  has_ended_->store(true, std::memory_order_release);
  return StepResult::kFinished;
}

StepResult Task::IdleUntil(absl::Duration wake) {
  next_wake_ = wake;
  return StepResult::kIdle;
}

StepResult Task::Step() {
  if (*has_ended_) return StepResult::kFinished;
  // First, because it takes back the poke of a Cancel(), whose flag is read after it: the other way
  // round a cancel in between would be slept over.
  mailbox_.Drain();
  if (cancelled_.load(std::memory_order_acquire)) return End(absl::CancelledError("cancelled"));
  if (!is_restored_) {
    if (const absl::Status restored = Restore(); !restored.ok()) return End(restored);
    is_restored_ = true;
    services_.events.OnTaskRunning(identity_.sender);
    return StepResult::kRan;
  }
  if (!failure_.ok()) return End(failure_);
  absl::StatusOr<StepResult> result = Work();
  if (!result.ok()) return End(result.status());
  if (const absl::Status fits = CheckStateMemory(); !fits.ok()) return End(fits);
  if (may_finish_ && chain_->IsIdle()) {
    output_.Broadcast(network::Close{});
    return End(absl::OkStatus());
  }
  return *result;
}

// Whoever needs more while there is too much fails, and not those who have what they need.
absl::Status Task::CheckStateMemory() {
  if (services_.state_memory == nullptr) return absl::OkStatus();
  uint64_t bytes = 0;
  for (const std::unique_ptr<OperatorRuntime>& runtime : runtimes_) {
    bytes += runtime->keyed.BytesReserved();
  }
  const bool has_grown = bytes > std::exchange(state_bytes_, bytes);
  return has_grown ? services_.state_memory->Check() : absl::OkStatus();
}

absl::StatusOr<StepResult> Task::Work() {
  WEIR_ASSIGN_OR_RETURN(const ChainProgress progress, chain_->Run());
  if (progress == ChainProgress::kOutputFull) return IdleUntil(output_.FlushDue());
  if (output_.HasEnded() && !end_reported_) {
    end_reported_ = true;
    services_.events.OnEndOfData(identity_.sender);
  }
  WEIR_ASSIGN_OR_RETURN(const bool ran, RunControls());
  if (ran) return StepResult::kRan;
  return runtimes_.front()->source != nullptr ? PollSource() : TakeElement();
}

absl::StatusOr<bool> Task::RunControls() {
  if (controls_.empty()) return false;
  const Control control = std::move(controls_.front());
  controls_.pop_front();
  if (const checkpoint::Barrier* barrier = std::get_if<checkpoint::Barrier>(&control)) {
    // Lower ids come too late; a task with inputs takes its barriers from them.
    if (gate_.channel_count() == 0 && barrier->id > last_barrier_) {
      WEIR_RETURN_IF_ERROR(PerformCheckpoint(*barrier, absl::ZeroDuration()));
    }
  } else if (const Complete* complete = std::get_if<Complete>(&control)) {
    WEIR_RETURN_IF_ERROR(OnNotifyComplete(complete->id));
  } else {
    WEIR_RETURN_IF_ERROR(OnNotifyAborted(std::get<Aborted>(control).id));
  }
  return true;
}

absl::StatusOr<StepResult> Task::PollSource() {
  const absl::Duration flush_at = output_.FlushDue();
  if (source_finished_) return IdleUntil(flush_at);
  if (source_wait_until_ > services_.clock.SteadyNow()) {
    return IdleUntil(std::min(flush_at, source_wait_until_));
  }
  if (!output_.HasRoom()) return IdleUntil(flush_at);
  SourceCollector collector(*chain_, runtimes_.front()->metrics);
  WEIR_ASSIGN_OR_RETURN(const operators::PollResult polled,
                        runtimes_.front()->source->Poll(*source_state_, collector));
  if (polled.verdict == operators::PollVerdict::kWait) source_wait_until_ = polled.wait_until;
  if (polled.verdict == operators::PollVerdict::kFinished) {
    source_finished_ = true;
    chain_->Feed(network::Watermark{kEventTimeMax});
    chain_->Feed(network::EndOfData{});
  }
  return StepResult::kRan;
}

absl::StatusOr<StepResult> Task::TakeElement() {
  for (int i = 0; i < kElementsPerStep; ++i) {
    std::optional<network::GateElement> element = gate_.Pop();
    if (!element.has_value()) return i > 0 ? StepResult::kRan : IdleUntil(output_.FlushDue());
    WEIR_RETURN_IF_ERROR(OnElement(*std::move(element)));
    WEIR_ASSIGN_OR_RETURN(const ChainProgress progress, chain_->Run());
    if (progress == ChainProgress::kOutputFull) break;
  }
  output_.FlushDue();
  return StepResult::kRan;
}

}  // namespace weir::task
