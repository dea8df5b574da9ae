// MemoryTree: files and directories in memory, each as it is now and as a crash would leave it.
// Bytes become durable by syncing the file, names by syncing their directories.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include <absl/status/status.h>
#include <absl/status/statusor.h>

namespace weir::testing {

struct Inode {
  bool is_directory = false;
  int64_t mtime_us = 0;
  std::string bytes;
  std::string durable_bytes;
  // Names in a directory.
  std::map<std::string, std::shared_ptr<Inode>> entries;
  std::map<std::string, std::shared_ptr<Inode>> durable_entries;
};

// Paths are absolute. Errors as in common/fs/file_system.h.
//
// Thread:    none; FaultyFs locks.
// Invariant: a change of names waits in changes_ until all its directories are synced.
class MemoryTree {
 public:
  MemoryTree();

  absl::StatusOr<std::shared_ptr<Inode>> Find(const std::string& path) const;
  // Adds a new name. ALREADY_EXISTS: it is taken.
  absl::Status Add(const std::string& path, std::shared_ptr<Inode> inode);
  absl::Status Rename(const std::string& from, const std::string& to);
  absl::Status Remove(const std::string& path);
  absl::Status SyncDir(const std::string& path);

  // Everything not durable is lost. The first `changes_kept` unsynced changes of names survive all
  // the same: a file system may write them back early, in order.
  void Crash(uint64_t changes_kept);
  uint64_t unsynced_change_count() const { return changes_.size(); }

 private:
  using InodePtr = std::shared_ptr<Inode>;
  struct NameEdit {
    InodePtr directory;
    std::string name;
    InodePtr inode;  // null: the name goes
  };
  // Edits that survive together or not at all.
  struct Change {
    std::vector<NameEdit> edits;
    std::vector<bool> synced;  // one per edit
  };

  absl::StatusOr<InodePtr> FindParent(const std::string& path) const;
  void Apply(std::vector<NameEdit> edits);
  static void MakeDurable(const Change& change);

  InodePtr root_;
  std::vector<Change> changes_;
};

}  // namespace weir::testing
