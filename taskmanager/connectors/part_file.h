// PartFile: one temporary file of a file sink while it is written and made durable.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include <absl/base/thread_annotations.h>
#include <absl/status/status.h>
#include <absl/status/statusor.h>

#include "common/base/mutex.h"
#include "common/base/string_view.h"
#include "common/fs/file_system.h"

namespace weir::connectors {

// Life:      shared by the sink and the async parts of checkpoints that wait for its durability;
//            `files` must outlive it.
// Thread:    Append() by the task only, before the first MakeDurable(); the rest from any.
// Invariant: once a write or sync has failed it never reports OK again: a failed sync may have lost
//            bytes, and a later one would not tell.
class PartFile {
 public:
  // ALREADY_EXISTS: never overwrites.
  static absl::StatusOr<std::shared_ptr<PartFile>> Create(fs::FileSystem& files,
                                                          const std::string& directory,
                                                          const std::string& name);

  absl::Status Append(StringView bytes);
  uint64_t bytes() const { return bytes_; }

  // Syncs and closes the file and syncs its name. Repeated calls do nothing more.
  absl::Status MakeDurable();
  bool IsDurable() const;
  // OK unless something failed.
  absl::Status status() const;

  // Use Create().
  PartFile(fs::FileSystem& files, std::string directory, std::unique_ptr<fs::WritableFile> file);

 private:
  absl::Status SyncAndClose() ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);

  fs::FileSystem& files_;
  const std::string directory_;
  uint64_t bytes_ = 0;  // the task's
  mutable base::Mutex mutex_;
  std::unique_ptr<fs::WritableFile> file_ ABSL_GUARDED_BY(mutex_);
  absl::Status status_ ABSL_GUARDED_BY(mutex_);
  bool is_durable_ ABSL_GUARDED_BY(mutex_) = false;
};

}  // namespace weir::connectors
