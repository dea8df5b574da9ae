// FaultyFs: a file system in memory that fails and loses power on demand.
// Unsynced bytes and unsynced names are lost by Crash(), as file_system.h allows.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include <absl/base/thread_annotations.h>

#include "common/base/mutex.h"
#include "common/fs/file_system.h"
#include "common/testing/fault_plan.h"
#include "common/testing/memory_tree.h"

namespace weir::testing {

// Life:      open files and locks may outlive it; after Crash() they are dead.
// Thread:    any.
// Invariant: every call that reaches the disk is one numbered operation of the plan.
class FaultyFs final : public fs::FileSystem {
 public:
  FaultyFs();
  ~FaultyFs() override;

  // --- fs::FileSystem ---
  absl::StatusOr<std::unique_ptr<fs::WritableFile>> Create(const std::string& path) override;
  absl::StatusOr<std::unique_ptr<fs::WritableFile>> OpenAppend(const std::string& path) override;
  absl::StatusOr<std::unique_ptr<fs::SequentialFile>> OpenSequential(
      const std::string& path) override;
  absl::StatusOr<std::unique_ptr<fs::RandomFile>> OpenRandom(const std::string& path) override;
  absl::Status Rename(const std::string& from, const std::string& to) override;
  absl::Status Link(const std::string& from, const std::string& to) override;
  absl::Status Remove(const std::string& path) override;
  absl::Status RemoveTree(const std::string& path) override;
  absl::StatusOr<std::vector<fs::DirectoryEntry>> List(const std::string& path) override;
  absl::Status MakeDirs(const std::string& path) override;
  absl::Status SyncDir(const std::string& path) override;
  absl::StatusOr<fs::FileStat> Stat(const std::string& path) override;
  absl::StatusOr<std::unique_ptr<fs::FileLock>> Lock(const std::string& path,
                                                     StringView holder) override;

  // --- Faults ---
  // Operation number `site`, counted from now as 1, meets `fault`.
  void FailAt(uint64_t site, Fault fault);
  void PowerCutAt(uint64_t site) { FailAt(site, Fault::kPowerCut); }
  // No fault any more; the count starts anew.
  void ClearFaults();
  bool has_fired() const;
  std::string fired_at() const;
  uint64_t operation_count() const;

  // Power is lost and comes back: what was not durable is gone, open files are dead, locks are
  // free, faults are cleared. `changes_kept` unsynced changes of names survive, oldest first.
  void Crash(uint64_t changes_kept = 0);
  uint64_t unsynced_change_count() const;
  // The process alone dies: open files are dead and locks free, but nothing is lost.
  void KillProcess();

  // Damages what lies on the disk. REQUIRES: the file exists and is long enough.
  void FlipBit(const std::string& path, uint64_t offset);
  void Truncate(const std::string& path, uint64_t size);

  struct Shared;  // kept alive by open files

 private:
  std::shared_ptr<Shared> shared_;
};

}  // namespace weir::testing
