#include "common/state/state_table.h"

#include <cstring>
#include <utility>

#include <absl/strings/str_cat.h>

#include "common/base/check.h"
#include "common/state/namespaced_table.h"
#include "common/state/out_of_line.h"
#include "common/state/retired_tree.h"
#include "common/state/table_nodes.h"

namespace weir::state {
namespace {

RootNode* NewRoot(VersionedMemory& memory, uint32_t group_count) {
  const size_t bytes = RootNode::BytesFor(group_count);
  RootNode* root = static_cast<RootNode*>(memory.Allocate(bytes));
  std::memset(root, 0, bytes);
  root->version = memory.version();
  root->group_count = group_count;
  return root;
}

// Bytes that a chunk's slots refer to.
uint64_t OutOfLineBytes(const TableLayout& layout, Chunk* chunk) {
  uint64_t bytes = 0;
  ForEachSlot(layout, chunk, [&](std::byte* slot) {
    ForEachOutOfLine(layout, slot, [&](void*, size_t size, uint64_t) { bytes += size; });
  });
  return bytes;
}

}  // namespace

StateTable::StateTable(std::shared_ptr<VersionedMemory> memory, TableShape shape)
    : memory_(std::move(memory)), shape_(std::move(shape)), born_(memory_->version()) {
  WEIR_CHECK(shape_.max_parallelism > 0);
  WEIR_CHECK(shape_.max_parallelism <= kMaxParallelismMax);
  WEIR_CHECK(!shape_.range.IsEmpty());
  WEIR_CHECK(shape_.range.last < shape_.max_parallelism);
  root_ = NewRoot(*memory_, shape_.range.Size());
}

StateTable::~StateTable() {
  memory_->Retire(std::make_unique<RetiredTree>(shape_.layout, root_), born_);
}

void StateTable::Clear() {
  memory_->Reclaim(kReclaimBlocksPerDrop);
  memory_->Retire(std::make_unique<RetiredTree>(shape_.layout, root_), born_);
  root_ = NewRoot(*memory_, shape_.range.Size());
  born_ = memory_->version();
  ++structure_changes_;
  if (parent_ != nullptr) parent_->ReplaceRoot(namespace_, root_);
}

uint64_t StateTable::size() const {
  return root_->size;
}

uint64_t StateTable::ByteSize() const {
  uint64_t bytes = root_->bytes();
  for (uint32_t index = 0; index < root_->group_count; ++index) {
    const GroupNode* group = root_->groups()[index];
    if (group == nullptr) continue;
    bytes += group->bytes();
    if (!group->is_flat()) bytes += group->child_count() * sizeof(DirectoryNode);
    for (size_t entry = 0; entry < group->entry_count();) {
      Chunk* chunk = group->entry(entry).chunk();
      entry += size_t{1} << (group->depth - chunk->depth);
      bytes += layout().chunk_class(chunk->chunk_class).bytes;
      if (MayBeOutOfLine(layout())) bytes += OutOfLineBytes(layout(), chunk);
    }
  }
  return bytes;
}

absl::Status StateTable::OutsideRange(uint32_t group) const {
  return absl::InternalError(absl::StrCat("a key of key group ", group,
                                          " reached a state table that owns the groups ",
                                          shape_.range.first, " to ", shape_.range.last));
}

absl::Status StateTable::ForEach(
    absl::FunctionRef<void(uint32_t group, StringView key, const std::byte* value)> visit) const {
  const uint64_t changes = structure_changes_;
  TableCursor cursor(root_, layout(), shape_.range, shape_.range);
  while (cursor.Next()) {
    visit(cursor.group(), cursor.key(), cursor.value());
    if (structure_changes_ != changes) {
      return absl::FailedPreconditionError("a state table changed while it was iterated over");
    }
  }
  return absl::OkStatus();
}

StateTable::ReadPosition StateTable::Read() const {
  return {TableCursor(root_, layout(), shape_.range, shape_.range), structure_changes_};
}

absl::StatusOr<size_t> StateTable::AppendRows(ReadPosition* position, size_t count_max,
                                              TableRows* rows) const {
  if (position->structure_changes != structure_changes_) {
    return absl::FailedPreconditionError("a state table changed while it was read in pieces");
  }
  return position->cursor.Append(count_max, rows);
}

TableSnapshot StateTable::Snapshot() {
  return Snapshot(memory_->TakeSnapshot());
}

TableSnapshot StateTable::Snapshot(std::shared_ptr<const SnapshotLease> lease) const {
  WEIR_CHECK(lease->version() == memory_->frozen());
  return TableSnapshot(shape_, root_, std::move(lease));
}

TableSnapshot::TableSnapshot(TableShape shape, const RootNode* root,
                             std::shared_ptr<const SnapshotLease> lease)
    : shape_(std::move(shape)), root_(root), lease_(std::move(lease)) {
}

uint64_t TableSnapshot::size() const {
  return root_ == nullptr ? 0 : root_->size;
}

uint64_t TableSnapshot::GroupSize(uint32_t group) const {
  if (root_ == nullptr || !shape_.range.Contains(group)) return 0;
  const GroupNode* node = root_->groups()[group - shape_.range.first];
  return node == nullptr ? 0 : node->size;
}

TableCursor TableSnapshot::Read(KeyGroupRange groups) const {
  return TableCursor(root_, *shape_.layout, shape_.range,
                     root_ == nullptr ? KeyGroupRange{} : groups);
}

void TableSnapshot::ForEachInGroup(
    uint32_t group, absl::FunctionRef<void(StringView key, const std::byte* value)> visit) const {
  TableCursor cursor = Read({group, group});
  while (cursor.Next()) visit(cursor.key(), cursor.value());
}

void TableSnapshot::Release() {
  root_ = nullptr;
  lease_.reset();
}

}  // namespace weir::state
