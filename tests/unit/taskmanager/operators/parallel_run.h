// ParallelRun: an operator's subtasks behind a hash edge, as one: rows go to the subtask that owns
// their key group, watermarks to all; a restart restores a snapshot with another parallelism.
#pragma once

#include <memory>
#include <vector>

#include "common/state/key_group.h"
#include "common/types/key_codec.h"
#include "tests/unit/taskmanager/operators/operator_harness.h"

namespace weir::operators {

// Life: the operator outlives it.
class ParallelRun {
 public:
  // The key is the input's columns `key`.
  ParallelRun(const Operator& op, types::SchemaPtr input, std::vector<size_t> key,
              uint32_t parallelism)
      : op_(op), codec_(std::move(input), std::move(key)) {
    Restart({}, parallelism);
  }

  void Push(const types::BatchPtr& batch) {
    types::KeyBatch keys;
    codec_.Encode(*batch, &keys);
    std::vector<types::PodVector<uint32_t>> rows(subtasks_.size());
    for (size_t i = 0; i < batch->size(); ++i) {
      const uint32_t group = state::KeyGroupOfHash(keys.partition_hash[i], kMaxParallelism);
      const uint32_t subtask =
          state::SubtaskOfKeyGroup(group, static_cast<uint32_t>(subtasks_.size()), kMaxParallelism);
      rows[subtask].push_back(batch->rows()[i]);
    }
    for (size_t i = 0; i < subtasks_.size(); ++i) {
      if (!rows[i].empty()) {
        subtasks_[i]->Push(types::RecordBatch::Select(*batch, std::move(rows[i])));
      }
    }
  }
  void Watermark(EventTimeUs time) {
    for (const auto& subtask : subtasks_) subtask->Watermark(time);
  }
  void End() {
    for (const auto& subtask : subtasks_) subtask->End();
  }

  std::vector<types::BatchPtr> TakeOutput() {
    std::vector<types::BatchPtr> all;
    for (const auto& subtask : subtasks_) {
      for (types::BatchPtr& batch : subtask->TakeOutput()) all.push_back(std::move(batch));
    }
    return all;
  }

  std::vector<state::OperatorSubtaskState> Snapshot() {
    std::vector<state::OperatorSubtaskState> pieces;
    for (const auto& subtask : subtasks_) pieces.push_back(subtask->Snapshot());
    return pieces;
  }
  // Drops all subtasks, and what they emitted since TakeOutput().
  void Restart(const std::vector<state::OperatorSubtaskState>& pieces, uint32_t parallelism) {
    subtasks_.clear();
    for (uint32_t i = 0; i < parallelism; ++i) {
      subtasks_.push_back(
          std::make_unique<OperatorHarness>(op_, SubtaskPlace{i, parallelism, kMaxParallelism}));
      subtasks_.back()->Start(pieces);
    }
  }

  int64_t Total(std::atomic<int64_t> OperatorMetrics::*counter) const {
    int64_t total = 0;
    for (const auto& subtask : subtasks_) total += subtask->metrics().*counter;
    return total;
  }

 private:
  static constexpr uint32_t kMaxParallelism = 128;

  const Operator& op_;
  const types::KeyCodec codec_;
  std::vector<std::unique_ptr<OperatorHarness>> subtasks_;
};

}  // namespace weir::operators
