// OutputEdge: deals the rows of one producing subtask out to the channels of one edge.
// Hash edges gather rows per channel into open batches, which leave when they are full, when their
// receiver has nothing to do, at the buffer timeout, and before every control element.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include <absl/time/time.h>

#include "common/graph/plan.h"
#include "common/types/key_codec.h"
#include "common/types/record_batch.h"
#include "taskmanager/network/channel.h"

namespace weir::network {

struct OutputEdgeOptions {
  graph::Partitioning partitioning = graph::Partitioning::kForward;
  std::vector<size_t> key;  // columns, for kHash
  uint32_t max_parallelism = 128;
  types::SchemaPtr schema;
  // The rows of one update may go to different channels: each becomes a delete or an insert.
  bool splits_updates = false;
  absl::Duration buffer_timeout = absl::Milliseconds(5);
  // The producer's subtask index: kRebalance starts with a different channel in each.
  uint32_t subtask = 0;
};

// Thread: the producing task's.
class OutputEdge {
 public:
  // `channels`: one per consuming subtask, in their order; for kForward just the one.
  OutputEdge(OutputEdgeOptions options, std::vector<std::unique_ptr<ChannelSender>> channels);

  // Takes the rows; some may stay in open batches. `now` is steady time.
  void Emit(const types::BatchPtr& batch, absl::Duration now);
  // Every channel can take more. Otherwise the producer's mailbox is poked when that changes.
  bool HasRoom();
  // Sends open batches whose receiver is idle or whose time has come.
  void FlushDue(absl::Duration now);
  // When FlushDue() has something to do even if no receiver becomes idle; infinite: no open batch.
  absl::Duration NextFlush() const { return flush_at_; }
  // Sends every open batch, then `element` on every channel.
  void Broadcast(const StreamElement& element);

 private:
  void EmitHash(const types::RecordBatch& batch, absl::Duration now);
  void FlushChannel(size_t channel);
  types::BatchPtr WithoutUpdates(const types::BatchPtr& batch) const;

  const OutputEdgeOptions options_;
  const std::vector<std::unique_ptr<ChannelSender>> channels_;
  std::optional<types::KeyCodec> codec_;    // kHash
  std::vector<uint32_t> channel_of_group_;  // kHash: by key group
  types::KeyBatch keys_;                    // reused
  std::vector<types::PodVector<uint32_t>> rows_of_channel_;
  std::vector<types::BatchBuilder> open_;  // kHash: one per channel
  size_t next_channel_ = 0;                // kRebalance
  absl::Duration flush_at_ = absl::InfiniteDuration();
};

}  // namespace weir::network
