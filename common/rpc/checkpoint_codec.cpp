#include "common/rpc/checkpoint_codec.h"

#include <utility>

#include <absl/strings/str_cat.h>

#include "common/base/status_macros.h"
#include "common/checkpoint/subtask_codec.h"
#include "common/rpc/error_codec.h"
#include "common/rpc/wire_values.h"
#include "common/state/key_group.h"

namespace weir::rpc {
namespace {

using checkpoint::FailureReason;

template <class... Parts>
absl::Status Wrong(const Parts&... parts) {
  return absl::InvalidArgumentError(absl::StrCat(parts...));
}

// `name` for the message; the values 0..`last` exist.
template <class Enum>
absl::StatusOr<Enum> ReadEnum(uint8_t value, Enum last, StringView name) {
  if (value > static_cast<uint8_t>(last)) return Wrong(name, " ", uint32_t{value});
  return static_cast<Enum>(value);
}

absl::StatusOr<absl::Duration> ReadDuration(int64_t nanoseconds, StringView name) {
  if (nanoseconds < 0) return Wrong(name, " of ", nanoseconds, " ns");
  return absl::Nanoseconds(nanoseconds);
}

// What a task may decline with.
absl::StatusOr<FailureReason> ReadReason(uint8_t value) {
  constexpr auto kFirst = static_cast<uint8_t>(FailureReason::kDeclined);
  constexpr auto kLast = static_cast<uint8_t>(FailureReason::kTaskFailed);
  if (value < kFirst || value > kLast) return Wrong("a decline for reason ", uint32_t{value});
  return static_cast<FailureReason>(value);
}

}  // namespace

void WriteTask(const checkpoint::Sender& task, wire::Task::Builder out) {
  WriteId(task.job, out.initJob());
  out.setEpoch(task.epoch);
  WriteId(task.attempt, out.initAttempt());
}

absl::StatusOr<checkpoint::Sender> ReadTask(wire::Task::Reader in) {
  const checkpoint::Sender task{.job = ReadId<JobId>(in.getJob()),
                                .epoch = in.getEpoch(),
                                .attempt = ReadId<AttemptId>(in.getAttempt())};
  if (task.job.IsNil()) return Wrong("a message of no job");
  if (task.attempt.IsNil()) return Wrong("a message of no attempt");
  return task;
}

absl::StatusOr<CheckpointId> ReadCheckpointId(int64_t id) {
  if (id <= ToInt(kNoCheckpoint)) return Wrong("checkpoint id ", id);
  return CheckpointId{id};
}

void WriteBarrier(const checkpoint::Barrier& barrier, wire::Barrier::Builder out) {
  out.setCheckpoint(ToInt(barrier.id));
  out.setTriggeredAtUs(absl::ToUnixMicros(barrier.triggered_at));
  out.setKind(static_cast<uint8_t>(barrier.options.kind));
  out.setScope(static_cast<uint8_t>(barrier.options.scope));
  out.setAlignment(static_cast<uint8_t>(barrier.options.alignment));
  out.setBase(ToInt(barrier.options.base));
  out.setLocation(TextOf(barrier.options.location));
}

absl::StatusOr<checkpoint::Barrier> ReadBarrier(wire::Barrier::Reader in) {
  checkpoint::Barrier barrier;
  WEIR_ASSIGN_OR_RETURN(barrier.id, ReadCheckpointId(in.getCheckpoint()));
  barrier.triggered_at = absl::FromUnixMicros(in.getTriggeredAtUs());
  WEIR_ASSIGN_OR_RETURN(
      barrier.options.kind,
      ReadEnum(in.getKind(), checkpoint::CheckpointKind::kFinal, "checkpoint kind"));
  WEIR_ASSIGN_OR_RETURN(
      barrier.options.scope,
      ReadEnum(in.getScope(), checkpoint::SnapshotScope::kIncremental, "snapshot scope"));
  WEIR_ASSIGN_OR_RETURN(
      barrier.options.alignment,
      ReadEnum(in.getAlignment(), checkpoint::BarrierAlignment::kUnaligned, "alignment"));
  if (in.getBase() < 0 || in.getBase() >= in.getCheckpoint()) {
    return Wrong("base ", in.getBase(), " of checkpoint ", in.getCheckpoint());
  }
  barrier.options.base = CheckpointId{in.getBase()};
  barrier.options.location = StringOf(in.getLocation());
  return barrier;
}

void WriteStates(const OperatorStates& states, capnp::List<wire::OperatorState>::Builder out) {
  uint32_t next = 0;
  for (const auto& [uid, state] : states) {
    auto one = out[next++];
    one.setUid(TextOf(uid));
    checkpoint::WriteSubtaskState(state, one.initState());
  }
}

absl::StatusOr<OperatorStates> ReadStates(capnp::List<wire::OperatorState>::Reader in,
                                          uint32_t max_parallelism) {
  OperatorStates states;
  for (const auto one : in) {
    std::string uid = StringOf(one.getUid());
    if (uid.empty()) return Wrong("state of an operator without uid");
    state::OperatorSubtaskState state = checkpoint::ReadSubtaskState(one.getState());
    const absl::Status valid = checkpoint::ValidateSubtaskState(state, max_parallelism);
    if (!valid.ok()) return Wrong("state of operator ", uid, ": ", valid.message());
    if (!states.emplace(uid, std::move(state)).second) {
      return Wrong("state of operator ", uid, " twice");
    }
  }
  return states;
}

void WriteAck(const checkpoint::AckFacts& ack, wire::Ack::Builder out) {
  WriteTask(ack.sender, out.initTask());
  out.setCheckpoint(ToInt(ack.id));
  WriteStates(ack.states, out.initStates(SizeOf(ack.states)));
  out.setFinished(ack.finished);
  out.setAlignmentBytes(ack.metrics.alignment_bytes);
  out.setStartDelayNs(absl::ToInt64Nanoseconds(ack.metrics.start_delay));
  out.setAlignmentNs(absl::ToInt64Nanoseconds(ack.metrics.alignment));
  out.setSyncNs(absl::ToInt64Nanoseconds(ack.metrics.sync));
  out.setAsyncNs(absl::ToInt64Nanoseconds(ack.metrics.async));
}

absl::StatusOr<checkpoint::AckFacts> ReadAck(wire::Ack::Reader in) {
  checkpoint::AckFacts ack;
  WEIR_ASSIGN_OR_RETURN(ack.sender, ReadTask(in.getTask()));
  WEIR_ASSIGN_OR_RETURN(ack.id, ReadCheckpointId(in.getCheckpoint()));
  // The job's own limit is checked where the job is known.
  WEIR_ASSIGN_OR_RETURN(ack.states, ReadStates(in.getStates(), state::kMaxParallelismMax));
  ack.finished = in.getFinished();
  ack.metrics.alignment_bytes = in.getAlignmentBytes();
  WEIR_ASSIGN_OR_RETURN(ack.metrics.alignment, ReadDuration(in.getAlignmentNs(), "an alignment"));
  WEIR_ASSIGN_OR_RETURN(ack.metrics.sync, ReadDuration(in.getSyncNs(), "a synchronous part"));
  WEIR_ASSIGN_OR_RETURN(ack.metrics.async, ReadDuration(in.getAsyncNs(), "an asynchronous part"));
  // Between the clocks of two machines: may be below zero.
  ack.metrics.start_delay = absl::Nanoseconds(in.getStartDelayNs());
  return ack;
}

void WriteDecline(const checkpoint::DeclineFacts& decline, wire::Decline::Builder out) {
  WriteTask(decline.sender, out.initTask());
  out.setCheckpoint(ToInt(decline.id));
  out.setReason(static_cast<uint8_t>(decline.reason));
  WriteOutcome(decline.cause, out.initCause());
}

absl::StatusOr<checkpoint::DeclineFacts> ReadDecline(wire::Decline::Reader in) {
  checkpoint::DeclineFacts decline;
  WEIR_ASSIGN_OR_RETURN(decline.sender, ReadTask(in.getTask()));
  WEIR_ASSIGN_OR_RETURN(decline.id, ReadCheckpointId(in.getCheckpoint()));
  WEIR_ASSIGN_OR_RETURN(decline.reason, ReadReason(in.getReason()));
  decline.cause = ReadOutcome(in.getCause());
  return decline;
}

}  // namespace weir::rpc
