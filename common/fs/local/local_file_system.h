// LocalFileSystem: the files of this machine.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "common/fs/file_system.h"

namespace weir::fs {

// Thread: any; it keeps no state.
class LocalFileSystem final : public FileSystem {
 public:
  absl::StatusOr<std::unique_ptr<WritableFile>> Create(const std::string& path) override;
  absl::StatusOr<std::unique_ptr<WritableFile>> OpenAppend(const std::string& path) override;
  absl::StatusOr<std::unique_ptr<SequentialFile>> OpenSequential(const std::string& path) override;
  absl::StatusOr<std::unique_ptr<RandomFile>> OpenRandom(const std::string& path) override;
  absl::Status Rename(const std::string& from, const std::string& to) override;
  absl::Status Link(const std::string& from, const std::string& to) override;
  absl::Status Remove(const std::string& path) override;
  absl::Status RemoveTree(const std::string& path) override;
  absl::StatusOr<std::vector<DirectoryEntry>> List(const std::string& path) override;
  absl::Status MakeDirs(const std::string& path) override;
  absl::Status SyncDir(const std::string& path) override;
  absl::StatusOr<FileStat> Stat(const std::string& path) override;
  absl::StatusOr<std::unique_ptr<FileLock>> Lock(const std::string& path,
                                                 StringView holder) override;
};

}  // namespace weir::fs
