#include "taskmanager/network/output_edge.h"

#include <algorithm>
#include <utility>

#include "common/base/check.h"
#include "common/state/key_group.h"

namespace weir::network {

using graph::Partitioning;
using types::BatchPtr;
using types::ChangeKind;
using types::RecordBatch;

OutputEdge::OutputEdge(OutputEdgeOptions options,
                       std::vector<std::unique_ptr<ChannelSender>> channels)
    : options_(std::move(options)), channels_(std::move(channels)) {
  WEIR_CHECK(!channels_.empty());
  WEIR_CHECK(options_.partitioning != Partitioning::kForward || channels_.size() == 1);
  next_channel_ = options_.subtask % channels_.size();
  if (options_.partitioning != Partitioning::kHash) return;
  codec_.emplace(options_.schema, options_.key);
  const uint32_t parallelism = static_cast<uint32_t>(channels_.size());
  channel_of_group_.resize(options_.max_parallelism);
  for (uint32_t group = 0; group < options_.max_parallelism; ++group) {
    channel_of_group_[group] =
        state::SubtaskOfKeyGroup(group, parallelism, options_.max_parallelism);
  }
  rows_of_channel_.resize(channels_.size());
  for (size_t i = 0; i < channels_.size(); ++i) open_.emplace_back(options_.schema);
}

BatchPtr OutputEdge::WithoutUpdates(const BatchPtr& batch) const {
  if (!options_.splits_updates || !batch->HasChanges()) return batch;
  types::PodVector<uint8_t> changes(batch->physical_rows());
  for (size_t row = 0; row < changes.size(); ++row) {
    changes[row] = static_cast<uint8_t>(
        types::IsAddition(batch->change(row)) ? ChangeKind::kInsert : ChangeKind::kDelete);
  }
  RecordBatch::Parts parts;
  parts.schema = batch->schema_ptr();
  parts.columns = batch->columns();
  parts.physical_rows = batch->physical_rows();
  parts.changes = types::Buffer::Of(std::move(changes));
  parts.event_times = batch->event_times_buffer();
  BatchPtr rewritten = RecordBatch::Make(std::move(parts));
  if (!batch->HasSelection()) return rewritten;
  const absl::Span<const uint32_t> rows = batch->rows();
  return RecordBatch::Select(*rewritten, types::PodVector<uint32_t>(rows.begin(), rows.end()));
}

void OutputEdge::Emit(const BatchPtr& batch, absl::Duration now) {
  if (batch->size() == 0) return;
  switch (options_.partitioning) {
    case Partitioning::kForward:
      return channels_[0]->Push(batch);
    case Partitioning::kRebalance:
      channels_[next_channel_]->Push(batch);
      next_channel_ = (next_channel_ + 1) % channels_.size();
      return;
    case Partitioning::kBroadcast:
      for (const std::unique_ptr<ChannelSender>& channel : channels_) channel->Push(batch);
      return;
    case Partitioning::kHash:
      break;
  }
  const BatchPtr rows = WithoutUpdates(batch);
  if (channels_.size() == 1) return channels_[0]->Push(rows);
  EmitHash(*rows, now);
}

void OutputEdge::EmitHash(const RecordBatch& batch, absl::Duration now) {
  codec_->Encode(batch, &keys_);
  const absl::Span<const uint32_t> rows = batch.rows();
  for (types::PodVector<uint32_t>& list : rows_of_channel_) list.clear();
  for (size_t i = 0; i < rows.size(); ++i) {
    const uint32_t group = state::KeyGroupOfHash(keys_.partition_hash[i], options_.max_parallelism);
    rows_of_channel_[channel_of_group_[group]].push_back(rows[i]);
  }
  for (size_t i = 0; i < channels_.size(); ++i) {
    const types::PodVector<uint32_t>& list = rows_of_channel_[i];
    if (list.empty()) continue;
    types::BatchBuilder& open = open_[i];
    // The rows of one update stay together: what does not fit as a whole goes into a new batch.
    if (open.size() + list.size() > types::kBatchRowsMax) FlushChannel(i);
    open.Gather(batch, list);
    if (open.IsFull() || channels_[i]->IsIdle()) FlushChannel(i);
    if (open.size() > 0) flush_at_ = std::min(flush_at_, now + options_.buffer_timeout);
  }
}

bool OutputEdge::HasRoom() {
  // Asks every channel: each that is full notes whom to wake.
  bool has_room = true;
  for (const std::unique_ptr<ChannelSender>& channel : channels_) {
    has_room = channel->HasRoom() && has_room;
  }
  return has_room;
}

void OutputEdge::FlushChannel(size_t channel) {
  if (BatchPtr batch = open_[channel].Finish()) channels_[channel]->Push(std::move(batch));
}

void OutputEdge::FlushDue(absl::Duration now) {
  if (flush_at_ == absl::InfiniteDuration()) return;
  const bool is_due = now >= flush_at_;
  bool any_open = false;
  for (size_t i = 0; i < open_.size(); ++i) {
    if (open_[i].size() == 0) continue;
    if (is_due || channels_[i]->IsIdle()) {
      FlushChannel(i);
    } else {
      any_open = true;
    }
  }
  if (!any_open) flush_at_ = absl::InfiniteDuration();
}

void OutputEdge::Broadcast(const StreamElement& element) {
  for (size_t i = 0; i < open_.size(); ++i) FlushChannel(i);
  flush_at_ = absl::InfiniteDuration();
  for (const std::unique_ptr<ChannelSender>& channel : channels_) channel->Push(element);
}

}  // namespace weir::network
