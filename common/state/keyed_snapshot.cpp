// Writing a keyed snapshot: header, then the blocks of each key group.
#include <algorithm>
#include <cstring>
#include <utility>

#include "common/base/check.h"
#include "common/base/status_macros.h"
#include "common/io/hash.h"
#include "common/state/keyed_backend.h"
#include "common/state/keyed_format.h"
#include "common/state/out_of_line.h"

namespace weir::state {
namespace {

// Bytes per write to the storage: large, and at multiples of themselves.
constexpr size_t kWriteBytes = 1024 * 1024;
static_assert(kWriteBytes % 4096 == 0, "whole pages");
static_assert(kWriteBytes > kBlockPayloadBytes);

// Gathers a stream into writes of kWriteBytes.
//
// Thread: confined to the writer.
class WholeWrites {
 public:
  explicit WholeWrites(SnapshotOutput& output) : output_(output) {}

  uint64_t position() const { return output_.Position() + buffer_.size(); }
  absl::Status Append(StringView bytes) {
    while (!bytes.empty()) {
      const size_t room = kWriteBytes - buffer_.size();
      buffer_.append(bytes.data(), std::min(room, bytes.size()));
      bytes.remove_prefix(std::min(room, bytes.size()));
      if (buffer_.size() == kWriteBytes) WEIR_RETURN_IF_ERROR(Flush());
    }
    return absl::OkStatus();
  }
  absl::Status Flush() {
    absl::Status written = output_.Write(buffer_);
    buffer_.clear();
    return written;
  }

 private:
  SnapshotOutput& output_;
  std::string buffer_;
};

template <class T>
void AppendFixed(const T& value, std::string* out) {
  out->append(reinterpret_cast<const char*>(&value), sizeof(value));
}

// The blocks of one key group after another.
//
// Thread:    confined to the writer.
// Invariant: block_ is a head followed by whole runs of whole entries.
class GroupWriter {
 public:
  explicit GroupWriter(WholeWrites& out) : out_(out) {}

  void BeginGroup(uint32_t group) {
    head_ = {.group = group};
    run_at_ = 0;
    block_.assign(sizeof(BlockHead), '\0');
  }
  absl::Status AddTable(uint32_t state, int64_t name_space, const TableSnapshot& table) {
    layout_ = table.shape().layout.get();
    run_ = {.state = state, .count = 0, .name_space = name_space};
    run_at_ = 0;
    TableCursor cursor = table.Read({head_.group, head_.group});
    while (cursor.Next()) WEIR_RETURN_IF_ERROR(AddEntry(cursor));
    EndRun();
    return absl::OkStatus();
  }
  bool has_entries() const { return head_.index > 0 || block_.size() > sizeof(BlockHead); }
  absl::Status EndGroup() { return WriteBlock(1); }

 private:
  absl::Status AddEntry(const TableCursor& cursor) {
    const size_t payload = block_.size() - sizeof(BlockHead);
    const size_t bytes = EntryBytes(cursor) + (run_at_ == 0 ? sizeof(RunHead) : 0);
    if (payload > 0 && payload + bytes > kBlockPayloadBytes) {
      EndRun();
      WEIR_RETURN_IF_ERROR(WriteBlock(0));
    }
    if (run_at_ == 0) {
      run_at_ = block_.size();
      AppendFixed(run_, &block_);
    }
    ++run_.count;
    AppendEntry(cursor);
    return absl::OkStatus();
  }

  size_t EntryBytes(const TableCursor& cursor) const {
    const bool is_fixed = layout_->key().kind == KeyFormat::Kind::kFixed8;
    size_t bytes = layout_->value().bytes + (is_fixed ? 8 : sizeof(uint32_t) + cursor.key().size());
    for (const uint32_t offset : layout_->value().blob_offsets) {
      const Blob* blob = BlobAt(cursor.value(), offset);
      bytes += sizeof(uint32_t) + (blob == nullptr ? 0 : blob->size);
    }
    return bytes;
  }

  void AppendEntry(const TableCursor& cursor) {
    const StringView key = cursor.key();
    if (layout_->key().kind == KeyFormat::Kind::kBytes) {
      AppendFixed(static_cast<uint32_t>(key.size()), &block_);
    }
    block_.append(key.data(), key.size());
    const size_t value_at = block_.size();
    block_.append(reinterpret_cast<const char*>(cursor.value()), layout_->value().bytes);
    for (const uint32_t offset : layout_->value().blob_offsets) {
      // An address is of no use to a reader.
      std::memset(block_.data() + value_at + offset, 0, kReferenceBytes);
      Blob* blob = BlobAt(cursor.value(), offset);
      AppendFixed(blob == nullptr ? kNoBlob : blob->size, &block_);
      if (blob == nullptr) continue;
      block_.append(reinterpret_cast<const char*>(blob->bytes()), blob->size);
    }
  }

  void EndRun() {
    if (run_at_ != 0) std::memcpy(block_.data() + run_at_, &run_, sizeof(run_));
    run_at_ = 0;
    run_.count = 0;
  }

  absl::Status WriteBlock(uint32_t is_last) {
    WEIR_CHECK(block_.size() <= UINT32_MAX);
    head_.payload_bytes = static_cast<uint32_t>(block_.size() - sizeof(BlockHead));
    head_.is_last = is_last;
    std::memcpy(block_.data(), &head_, sizeof(head_));
    head_.checksum = io::Xxh3(StringView(block_).substr(sizeof(head_.checksum)));
    std::memcpy(block_.data(), &head_.checksum, sizeof(head_.checksum));
    ++head_.index;
    absl::Status written = out_.Append(block_);
    block_.resize(sizeof(BlockHead));
    return written;
  }

  WholeWrites& out_;
  BlockHead head_;
  RunHead run_;
  size_t run_at_ = 0;  // of the open run in block_; 0: none is open
  const TableLayout* layout_ = nullptr;
  std::string block_;
};

absl::Status AddState(uint32_t id, const KeyedSnapshot::Table& table, GroupWriter& out) {
  if (const TableSnapshot* plain = std::get_if<TableSnapshot>(&table)) {
    return out.AddTable(id, 0, *plain);
  }
  const NamespacedSnapshot& namespaced = std::get<NamespacedSnapshot>(table);
  for (size_t i = 0; i < namespaced.namespace_count(); ++i) {
    WEIR_RETURN_IF_ERROR(out.AddTable(id, namespaced.namespace_at(i), namespaced.table_at(i)));
  }
  return absl::OkStatus();
}

}  // namespace

KeyedSnapshot::KeyedSnapshot(KeyGroupRange range, uint32_t max_parallelism,
                             std::vector<State> states)
    : range_(range), max_parallelism_(max_parallelism), states_(std::move(states)) {
}

absl::StatusOr<KeyedStateHandle> KeyedSnapshot::Write(SnapshotOutput& output) {
  if (is_released_) return absl::FailedPreconditionError("a keyed snapshot is written only once");
  KeyedStateHandle handle;
  const absl::Status written = states_.empty() ? absl::OkStatus() : WriteStates(output, &handle);
  Release();
  WEIR_RETURN_IF_ERROR(written);
  WEIR_ASSIGN_OR_RETURN(handle.stream, output.Finish());
  return handle;
}

absl::Status KeyedSnapshot::WriteStates(SnapshotOutput& output, KeyedStateHandle* handle) const {
  KeyedHeader header{.max_parallelism = max_parallelism_, .range = range_};
  for (const State& state : states_) {
    const bool is_namespaced = std::holds_alternative<NamespacedSnapshot>(state.table);
    header.states.push_back({*state.spec, is_namespaced});
  }
  WholeWrites out(output);
  WEIR_RETURN_IF_ERROR(out.Append(EncodeKeyedHeader(header)));
  handle->range = range_;
  GroupWriter groups(out);
  for (uint32_t group = range_.first; group <= range_.last; ++group) {
    const uint64_t position = out.position();
    groups.BeginGroup(group);
    for (uint32_t id = 0; id < states_.size(); ++id) {
      WEIR_RETURN_IF_ERROR(AddState(id, states_[id].table, groups));
    }
    handle->offsets.push_back(groups.has_entries() ? position : kNoEntries);
    if (groups.has_entries()) WEIR_RETURN_IF_ERROR(groups.EndGroup());
  }
  return out.Flush();
}

void KeyedSnapshot::Release() {
  is_released_ = true;
  states_.clear();
}

}  // namespace weir::state
