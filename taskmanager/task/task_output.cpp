#include "taskmanager/task/task_output.h"

#include <algorithm>
#include <utility>

namespace weir::task {

bool TaskOutput::HasRoom() {
  // Every edge is asked, so that each notes whom to wake.
  bool has_room = true;
  for (const std::unique_ptr<network::OutputEdge>& edge : edges_) {
    has_room = edge->HasRoom() && has_room;
  }
  return has_room;
}

void TaskOutput::Emit(ChainItem item) {
  if (const types::BatchPtr* batch = std::get_if<types::BatchPtr>(&item)) {
    if (edges_.empty()) return;
    const absl::Duration now = clock_.SteadyNow();
    for (const std::unique_ptr<network::OutputEdge>& edge : edges_) edge->Emit(*batch, now);
    return;
  }
  if (std::holds_alternative<network::EndOfData>(item)) has_ended_ = true;
  Broadcast(std::visit([](auto&& value) { return network::StreamElement(value); }, item));
}

void TaskOutput::Broadcast(const network::StreamElement& element) {
  for (const std::unique_ptr<network::OutputEdge>& edge : edges_) edge->Broadcast(element);
}

absl::Duration TaskOutput::FlushDue() {
  absl::Duration next = absl::InfiniteDuration();
  bool any = false;
  for (const std::unique_ptr<network::OutputEdge>& edge : edges_) {
    any = any || edge->NextFlush() != absl::InfiniteDuration();
  }
  if (!any) return next;
  const absl::Duration now = clock_.SteadyNow();
  for (const std::unique_ptr<network::OutputEdge>& edge : edges_) {
    edge->FlushDue(now);
    next = std::min(next, edge->NextFlush());
  }
  return next;
}

}  // namespace weir::task
