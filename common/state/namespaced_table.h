// NamespacedTable: one StateTable per namespace (an event-time slice, say), in namespace order.
// The map from namespace to root is itself copy-on-write, so a snapshot costs the same however many
// namespaces there are; the first change after it copies that small map.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <vector>

#include "common/state/state_table.h"

namespace weir::state {

struct NamespaceMapNode;

// The namespaces of a table at one version; they never change.
//
// Life, Thread: as TableSnapshot.
class NamespacedSnapshot {
 public:
  NamespacedSnapshot(TableShape shape, const NamespaceMapNode* map,
                     std::shared_ptr<const SnapshotLease> lease);

  size_t namespace_count() const;
  int64_t namespace_at(size_t index) const;  // ascending
  TableSnapshot table_at(size_t index) const;
  const TableShape& shape() const { return shape_; }
  // As TableSnapshot::Release(); tables handed out keep their contents.
  void Release();

 private:
  TableShape shape_;
  const NamespaceMapNode* map_;
  std::shared_ptr<const SnapshotLease> lease_;
};

// Life, Thread: as StateTable.
// Invariant:    the persistent map names exactly the live namespaces and their current roots.
class NamespacedTable {
 public:
  NamespacedTable(std::shared_ptr<VersionedMemory> memory, TableShape shape);
  ~NamespacedTable();
  NamespacedTable(const NamespacedTable&) = delete;
  NamespacedTable& operator=(const NamespacedTable&) = delete;

  const TableShape& shape() const { return shape_; }

  // The namespace's table, made if there is none, for about as many entries as the one before it
  // has; stays where it is until Drop().
  StateTable& Namespace(int64_t name);
  // Null if there is none.
  StateTable* Find(int64_t name);
  // Drops a namespace whole; its memory is reclaimed bit by bit. False if there is none.
  bool Drop(int64_t name);
  void Clear();

  // The live namespaces in order: iterate to read, use Drop() to change.
  const std::map<int64_t, std::unique_ptr<StateTable>>& tables() const { return tables_; }
  uint64_t size() const;  // entries of all namespaces
  uint64_t ByteSize() const;

  // O(1), as StateTable::Snapshot().
  NamespacedSnapshot Snapshot();
  NamespacedSnapshot Snapshot(std::shared_ptr<const SnapshotLease> lease) const;

 private:
  friend class StateTable;

  NamespaceMapNode* WritableMap(size_t count);  // with room for `count`
  void InsertRoot(int64_t name, RootNode* root);
  void RemoveRoot(int64_t name);
  // A table's root moved to a copy.
  void ReplaceRoot(int64_t name, RootNode* root);

  const std::shared_ptr<VersionedMemory> memory_;
  const TableShape shape_;
  std::map<int64_t, std::unique_ptr<StateTable>> tables_;
  NamespaceMapNode* map_;
};

}  // namespace weir::state
