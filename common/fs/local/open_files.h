// The local driver's open files and locks.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <utility>

#include "common/base/string_view.h"
#include "common/fs/file_system.h"
#include "common/fs/local/descriptor.h"

namespace weir::fs {

// write(2) at the end of one descriptor. Thread: confined to one at a time.
class LocalWritableFile final : public WritableFile {
 public:
  LocalWritableFile(std::string path, Descriptor descriptor);
  absl::Status Append(StringView bytes) override;
  absl::Status Sync() override;
  absl::Status Close() override;

 private:
  absl::Status CheckOpen() const;

  const std::string path_;
  Descriptor descriptor_;
};

// read(2) from start to end. Thread: confined to one at a time.
class LocalSequentialFile final : public SequentialFile {
 public:
  LocalSequentialFile(std::string path, Descriptor descriptor);
  absl::StatusOr<size_t> Read(char* into, size_t size) override;

 private:
  const std::string path_;
  const Descriptor descriptor_;
};

// pread(2). Thread: any.
class LocalRandomFile final : public RandomFile {
 public:
  LocalRandomFile(std::string path, Descriptor descriptor);
  absl::StatusOr<size_t> ReadAt(uint64_t offset, char* into, size_t size) const override;

 private:
  const std::string path_;
  const Descriptor descriptor_;
};

// flock(2) on an open descriptor: the kernel drops it with the process. The file stays: removing it
// would let two processes lock two files of one name.
class LocalFileLock final : public FileLock {
 public:
  explicit LocalFileLock(Descriptor descriptor) : descriptor_(std::move(descriptor)) {}

 private:
  const Descriptor descriptor_;
};

// Takes the lock, see FileSystem::Lock().
absl::StatusOr<std::unique_ptr<FileLock>> LockLocalFile(const std::string& path, StringView holder);

}  // namespace weir::fs
