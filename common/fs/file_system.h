// FileSystem: the seam between Weir and any place that stores files.
// Everything durable goes through it, so that tests can lose power and fill the disk anywhere.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include <absl/status/status.h>
#include <absl/status/statusor.h>

#include "common/base/string_view.h"

namespace weir::fs {

// Errors of every method in this file, unless it says otherwise; messages name the path and say
// what to do:
// NOT_FOUND: the path or its parent does not exist.
// PERMISSION_DENIED: access is refused, or the file system is read-only.
// RESOURCE_EXHAUSTED: disk, quota or open-file limit is full.
// FAILED_PRECONDITION: a directory where a file is needed or the reverse.
// DATA_LOSS: the device reports that bytes are damaged or a write is lost.
// UNAVAILABLE: any other failure of the device.

// A file being written, at its end.
//
// Life:   destroying it closes it; bytes not synced may then be lost by a crash.
// Thread: confined to one thread at a time.
class WritableFile {
 public:
  virtual ~WritableFile() = default;
  virtual absl::Status Append(StringView bytes) = 0;
  // The bytes survive a crash of the machine once this returns OK. The file's name does only after
  // SyncDir() on its directory.
  virtual absl::Status Sync() = 0;
  // Repeated calls are OK. Append() and Sync() afterwards give FAILED_PRECONDITION.
  virtual absl::Status Close() = 0;
};

// Reads from the start to the end. Thread: confined to one thread at a time.
class SequentialFile {
 public:
  virtual ~SequentialFile() = default;
  // Reads up to `size` bytes. Returns how many; 0 only at the end.
  virtual absl::StatusOr<size_t> Read(char* into, size_t size) = 0;
};

// Reads anywhere. Thread: any.
class RandomFile {
 public:
  virtual ~RandomFile() = default;
  // Reads up to `size` bytes from `offset`. Fewer only where the file ends.
  virtual absl::StatusOr<size_t> ReadAt(uint64_t offset, char* into, size_t size) const = 0;
};

// Held until destroyed or until the process ends, however it ends.
class FileLock {
 public:
  virtual ~FileLock() = default;
};

struct FileStat {
  uint64_t size = 0;     // bytes
  int64_t mtime_us = 0;  // since 1970-01-01 UTC
  bool is_directory = false;
  bool is_regular = true;  // false: a directory, device, pipe or socket
};

struct DirectoryEntry {
  std::string name;  // without the directory
  bool is_directory = false;

  bool operator==(const DirectoryEntry&) const = default;
};

// Life:   outlives every file and lock it opened.
// Thread: all methods from any thread.
class FileSystem {
 public:
  virtual ~FileSystem() = default;

  // Makes a new, empty file. ALREADY_EXISTS: never overwrites.
  virtual absl::StatusOr<std::unique_ptr<WritableFile>> Create(const std::string& path) = 0;
  // Opens an existing file at its end.
  virtual absl::StatusOr<std::unique_ptr<WritableFile>> OpenAppend(const std::string& path) = 0;
  virtual absl::StatusOr<std::unique_ptr<SequentialFile>> OpenSequential(
      const std::string& path) = 0;
  virtual absl::StatusOr<std::unique_ptr<RandomFile>> OpenRandom(const std::string& path) = 0;

  // Atomic; replaces a file at `to`. Durable after SyncDir() on the directories of both.
  virtual absl::Status Rename(const std::string& from, const std::string& to) = 0;
  // A second name of one file. ALREADY_EXISTS: `to` is taken.
  virtual absl::Status Link(const std::string& from, const std::string& to) = 0;
  // Removes one file or one empty directory.
  virtual absl::Status Remove(const std::string& path) = 0;
  // Removes a directory and everything in it, or one file. OK if nothing is there.
  virtual absl::Status RemoveTree(const std::string& path) = 0;

  // Sorted by name.
  virtual absl::StatusOr<std::vector<DirectoryEntry>> List(const std::string& path) = 0;
  // Makes a directory and its missing parents, durably. OK if it exists.
  virtual absl::Status MakeDirs(const std::string& path) = 0;
  // Names made, renamed and removed in this directory survive a crash once this returns OK.
  virtual absl::Status SyncDir(const std::string& path) = 0;
  virtual absl::StatusOr<FileStat> Stat(const std::string& path) = 0;

  // Takes the exclusive lock on `path` (made if missing) and writes `holder` into the file for
  // others to read. FAILED_PRECONDITION: someone else holds it; the message quotes their `holder`.
  virtual absl::StatusOr<std::unique_ptr<FileLock>> Lock(const std::string& path,
                                                         StringView holder) = 0;
};

}  // namespace weir::fs
