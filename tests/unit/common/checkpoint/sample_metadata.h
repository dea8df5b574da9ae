// A CheckpointMetadata with everything in it, the same in every run.
#pragma once

#include <string>

#include "common/checkpoint/metadata.h"

namespace weir::checkpoint {

inline SubtaskSnapshot SampleSubtask(uint32_t index, uint32_t parallelism) {
  SubtaskSnapshot subtask;
  subtask.finished = index == 1;
  const state::KeyGroupRange range =
      state::RangeOfSubtask(index, parallelism, /*max_parallelism=*/16);
  state::KeyedStateHandle keyed;
  keyed.range = range;
  for (uint32_t g = 0; g < range.Size(); ++g) keyed.offsets.push_back(64 + g * 10);
  keyed.stream = {"3f2a1b9c-0d4e-4f6a-8b7c-9d0e1f2a3b4c", "", 4096};
  subtask.state.keyed_managed = {keyed};
  keyed.stream.path = "/shared/dir/x";
  subtask.state.keyed_raw = {keyed};
  state::OperatorStateHandle listed;
  listed.lists["splits"] = {state::ListMode::kSplitEven, {0, 3}};
  listed.lists["rules"] = {state::ListMode::kBroadcast, {1}};
  listed.lists["offsets"] = {state::ListMode::kUnion, {}};
  listed.stream = {"", std::string("in\0line", 7), 7};
  subtask.state.operator_managed = {listed, listed};
  subtask.state.operator_raw = {listed};
  return subtask;
}

inline CheckpointMetadata SampleMetadata() {
  CheckpointMetadata metadata;
  metadata.job_id = {0x0123456789abcdef, 0xfedcba9876543210};
  metadata.job_name = "word count";
  metadata.id = CheckpointId{int64_t{INT32_MAX} + 123'123};
  metadata.triggered_at = absl::FromUnixMicros(1'700'000'000'123'456);
  metadata.kind = CheckpointKind::kFinal;
  metadata.max_parallelism = 128;
  for (const std::string uid : {"count", "sink", "source"}) {
    OperatorSnapshot snapshot;
    snapshot.uid = uid;
    snapshot.id = OperatorIdOfUid(uid);
    snapshot.max_parallelism = 16;
    snapshot.signature = uid + "(string) -> int64";
    const uint32_t parallelism = uid == "count" ? 3 : 1;
    for (uint32_t i = 0; i < parallelism; ++i) {
      snapshot.subtasks.push_back(SampleSubtask(i, parallelism));
    }
    metadata.operators.push_back(std::move(snapshot));
  }
  metadata.operators[1].subtasks[0] = {};
  metadata.master_hooks = {{"hook", 3, std::string("\x01\x00\xff", 3)}, {"other", 0, ""}};
  return metadata;
}

// The same with files that end with a trailer.
inline CheckpointMetadata IdentifiedSampleMetadata() {
  CheckpointMetadata metadata = SampleMetadata();
  uint64_t identity = 0xfedcba9876543210;
  for (OperatorSnapshot& snapshot : metadata.operators) {
    for (SubtaskSnapshot& subtask : snapshot.subtasks) {
      for (auto& handle : subtask.state.keyed_managed) handle.stream.identity = identity++;
    }
  }
  return metadata;
}

}  // namespace weir::checkpoint
