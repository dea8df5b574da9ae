// TaskOutput: what leaves a task: every row and control element on every outgoing edge.
#pragma once

#include <memory>
#include <vector>

#include "common/base/clock.h"
#include "taskmanager/network/output_edge.h"
#include "taskmanager/task/chain.h"

namespace weir::task {

// Thread: the task's.
class TaskOutput final : public ChainOutput {
 public:
  explicit TaskOutput(const base::Clock& clock) : clock_(clock) {}

  // Before the first element.
  void AddEdge(std::unique_ptr<network::OutputEdge> edge) { edges_.push_back(std::move(edge)); }

  bool HasRoom() override;
  void Emit(ChainItem item) override;
  // Open batches first, then the element, on every channel.
  void Broadcast(const network::StreamElement& element);
  // Sends open batches that need not wait. Returns when to come again (steady), infinite: never.
  absl::Duration FlushDue();

  // The end of the data has been emitted.
  bool HasEnded() const { return has_ended_; }

 private:
  const base::Clock& clock_;
  std::vector<std::unique_ptr<network::OutputEdge>> edges_;
  bool has_ended_ = false;
};

}  // namespace weir::task
