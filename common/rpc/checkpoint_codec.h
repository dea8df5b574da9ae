// What travels for a checkpoint, to and from Cap'n Proto. Reading checks everything a coordinator
// or a task relies on.
#pragma once

#include <map>
#include <string>

#include <absl/status/status.h>
#include <absl/status/statusor.h>

#include "common/checkpoint/checkpoint_types.h"
#include "common/checkpoint/coordinator_facts.h"
#include "common/state/handles.h"
#include "schemas/rpc/task_manager.capnp.h"

namespace weir::rpc {

// Errors of every Read function: INVALID_ARGUMENT names the field and its value.

void WriteTask(const checkpoint::Sender& task, wire::Task::Builder out);
absl::StatusOr<checkpoint::Sender> ReadTask(wire::Task::Reader in);

// `id` names a checkpoint: above kNoCheckpoint.
absl::StatusOr<CheckpointId> ReadCheckpointId(int64_t id);

void WriteBarrier(const checkpoint::Barrier& barrier, wire::Barrier::Builder out);
absl::StatusOr<checkpoint::Barrier> ReadBarrier(wire::Barrier::Reader in);

void WriteAck(const checkpoint::AckFacts& ack, wire::Ack::Builder out);
absl::StatusOr<checkpoint::AckFacts> ReadAck(wire::Ack::Reader in);

void WriteDecline(const checkpoint::DeclineFacts& decline, wire::Decline::Builder out);
absl::StatusOr<checkpoint::DeclineFacts> ReadDecline(wire::Decline::Reader in);

using OperatorStates = std::map<std::string, state::OperatorSubtaskState>;
void WriteStates(const OperatorStates& states, capnp::List<wire::OperatorState>::Builder out);
absl::StatusOr<OperatorStates> ReadStates(capnp::List<wire::OperatorState>::Reader in,
                                          uint32_t max_parallelism);

}  // namespace weir::rpc
