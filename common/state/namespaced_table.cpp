#include "common/state/namespaced_table.h"

#include <algorithm>
#include <cstring>
#include <iterator>
#include <utility>

#include "common/base/check.h"
#include "common/state/table_nodes.h"

namespace weir::state {
namespace {

NamespaceMapNode* NewMap(VersionedMemory& memory, size_t capacity) {
  NamespaceMapNode* map =
      static_cast<NamespaceMapNode*>(memory.Allocate(NamespaceMapNode::BytesFor(capacity)));
  map->version = memory.version();
  map->count = 0;
  map->capacity = static_cast<uint32_t>(capacity);
  return map;
}

// The entry of `name`, or the first one behind it.
NamespaceMapNode::Entry* LowerBound(NamespaceMapNode* map, int64_t name) {
  return std::lower_bound(
      map->entries(), map->entries() + map->count, name,
      [](const NamespaceMapNode::Entry& entry, int64_t wanted) { return entry.name < wanted; });
}

constexpr size_t kMapCapacityMin = 4;

}  // namespace

NamespacedTable::NamespacedTable(std::shared_ptr<VersionedMemory> memory, TableShape shape)
    : memory_(std::move(memory)), shape_(std::move(shape)) {
  map_ = NewMap(*memory_, kMapCapacityMin);
}

NamespacedTable::~NamespacedTable() {
  memory_->Retire(map_, map_->bytes(), map_->version);
}

StateTable& NamespacedTable::Namespace(int64_t name) {
  const auto place = tables_.lower_bound(name);
  if (place != tables_.end() && place->first == name) return *place->second;
  memory_->Reclaim(kReclaimBlocksPerDrop);
  auto table = std::make_unique<StateTable>(memory_, shape_);
  table->parent_ = this;
  table->namespace_ = name;
  if (place != tables_.begin()) table->Expect(std::prev(place)->second->size());
  InsertRoot(name, table->root_);
  return *tables_.emplace_hint(place, name, std::move(table))->second;
}

StateTable* NamespacedTable::Find(int64_t name) {
  const auto found = tables_.find(name);
  return found == tables_.end() ? nullptr : found->second.get();
}

bool NamespacedTable::Drop(int64_t name) {
  memory_->Reclaim(kReclaimBlocksPerDrop);
  const auto found = tables_.find(name);
  if (found == tables_.end()) return false;
  RemoveRoot(name);
  tables_.erase(found);
  return true;
}

void NamespacedTable::Clear() {
  while (!tables_.empty()) Drop(tables_.begin()->first);
}

uint64_t NamespacedTable::size() const {
  uint64_t size = 0;
  for (const auto& [name, table] : tables_) size += table->size();
  return size;
}

uint64_t NamespacedTable::ByteSize() const {
  uint64_t bytes = map_->bytes();
  for (const auto& [name, table] : tables_) bytes += table->ByteSize();
  return bytes;
}

NamespacedSnapshot NamespacedTable::Snapshot() {
  return Snapshot(memory_->TakeSnapshot());
}

NamespacedSnapshot NamespacedTable::Snapshot(std::shared_ptr<const SnapshotLease> lease) const {
  WEIR_CHECK(lease->version() == memory_->frozen());
  return NamespacedSnapshot(shape_, map_, std::move(lease));
}

NamespaceMapNode* NamespacedTable::WritableMap(size_t count) {
  const bool has_room = count <= map_->capacity;
  if (has_room && memory_->IsWritable(map_->version)) return map_;
  NamespaceMapNode* copy = NewMap(*memory_, has_room ? map_->capacity : 2 * count);
  std::memcpy(copy->entries(), map_->entries(), map_->count * sizeof(NamespaceMapNode::Entry));
  copy->count = map_->count;
  memory_->Retire(map_, map_->bytes(), map_->version);
  map_ = copy;
  return map_;
}

void NamespacedTable::InsertRoot(int64_t name, RootNode* root) {
  NamespaceMapNode* map = WritableMap(map_->count + 1);
  NamespaceMapNode::Entry* place = LowerBound(map, name);
  NamespaceMapNode::Entry* end = map->entries() + map->count;
  WEIR_DCHECK(place == end || place->name != name);
  std::move_backward(place, end, end + 1);
  *place = {name, root};
  ++map->count;
}

void NamespacedTable::RemoveRoot(int64_t name) {
  NamespaceMapNode* map = WritableMap(map_->count);
  NamespaceMapNode::Entry* place = LowerBound(map, name);
  NamespaceMapNode::Entry* end = map->entries() + map->count;
  WEIR_CHECK(place != end);
  WEIR_CHECK(place->name == name);
  std::move(place + 1, end, place);
  --map->count;
}

void NamespacedTable::ReplaceRoot(int64_t name, RootNode* root) {
  NamespaceMapNode* map = WritableMap(map_->count);
  NamespaceMapNode::Entry* place = LowerBound(map, name);
  WEIR_CHECK(place != map->entries() + map->count);
  WEIR_CHECK(place->name == name);
  place->root = root;
}

NamespacedSnapshot::NamespacedSnapshot(TableShape shape, const NamespaceMapNode* map,
                                       std::shared_ptr<const SnapshotLease> lease)
    : shape_(std::move(shape)), map_(map), lease_(std::move(lease)) {
}

size_t NamespacedSnapshot::namespace_count() const {
  return map_ == nullptr ? 0 : map_->count;
}

int64_t NamespacedSnapshot::namespace_at(size_t index) const {
  WEIR_CHECK(index < namespace_count());
  return map_->entries()[index].name;
}

TableSnapshot NamespacedSnapshot::table_at(size_t index) const {
  WEIR_CHECK(index < namespace_count());
  return TableSnapshot(shape_, map_->entries()[index].root, lease_);
}

void NamespacedSnapshot::Release() {
  map_ = nullptr;
  lease_.reset();
}

}  // namespace weir::state
