// How a task starts: state registered, restored, checked, opened.
#include <utility>

#include <absl/strings/str_cat.h>
#include <absl/strings/str_join.h>

#include "common/base/status_macros.h"
#include "taskmanager/task/task.h"

namespace weir::task {
namespace {

absl::Status WithOperator(const std::string& node_id, const absl::Status& status) {
  if (status.ok()) return status;
  return absl::Status(status.code(), absl::StrCat("state of '", node_id, "': ", status.message()));
}

// The checkpoint has been read by now: what is lost lies outside of it (output that someone
// removed), and an older checkpoint would not bring it back.
absl::Status Opened(const absl::Status& status) {
  if (!absl::IsDataLoss(status)) return status;
  return absl::FailedPreconditionError(status.message());
}

}  // namespace

absl::Status Task::RestoreState(OperatorRuntime& runtime,
                                const state::SnapshotInputFactory* inputs) {
  const auto it = restore_.states.find(runtime.uid);
  if (it != restore_.states.end() && inputs != nullptr) {
    WEIR_RETURN_IF_ERROR(runtime.keyed.Restore(it->second.keyed_managed, *inputs));
    WEIR_RETURN_IF_ERROR(runtime.lists.Restore(it->second.operator_managed, *inputs));
  }
  const std::vector<std::string> unknown = runtime.lists.UnregisteredLists();
  if (unknown.empty()) return absl::OkStatus();
  return absl::FailedPreconditionError(absl::StrCat(
      "the checkpoint holds lists this operator does not keep: ", absl::StrJoin(unknown, ", ")));
}

absl::Status Task::Restore() {
  std::unique_ptr<state::SnapshotInputFactory> inputs;
  if (restore_.id != kNoCheckpoint) {
    WEIR_ASSIGN_OR_RETURN(inputs, services_.places.InputsFor(restore_.location));
  }
  std::vector<ChainLink> links;
  for (const std::unique_ptr<OperatorRuntime>& runtime : runtimes_) {
    std::unique_ptr<operators::OperatorState> state;
    if (runtime->source != nullptr) {
      WEIR_ASSIGN_OR_RETURN(state, runtime->source->NewState(*runtime->context));
    } else {
      WEIR_ASSIGN_OR_RETURN(state, runtime->op->NewState(*runtime->context));
    }
    WEIR_RETURN_IF_ERROR(WithOperator(runtime->node_id, RestoreState(*runtime, inputs.get())));
    if (runtime->source != nullptr) {
      source_state_ = std::move(state);
    } else {
      links.push_back({runtime->op, std::move(state)});
    }
  }
  restore_.states.clear();
  chain_.emplace(std::move(links), output_);
  // All state is there before the first operator acts on it.
  if (source_state_ != nullptr) {
    WEIR_RETURN_IF_ERROR(Opened(runtimes_.front()->source->Open(*source_state_)));
  }
  for (ChainLink& link : chain_->links()) {
    WEIR_RETURN_IF_ERROR(Opened(link.op->Open(*link.state)));
  }
  return absl::OkStatus();
}

}  // namespace weir::task
