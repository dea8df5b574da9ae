// FileIdentity: what shows whether a file is still the one a job began to read.
#pragma once

#include <cstdint>
#include <string>

#include <absl/status/status.h>
#include <absl/status/statusor.h>

#include "common/fs/file_system.h"

namespace weir::connectors {

// Bytes at a file's start that its identity covers, and that a csv header must fit into.
inline constexpr size_t kFileHeadBytes = 64u << 10;

struct FileIdentity {
  uint64_t size = 0;
  int64_t mtime_us = 0;
  uint64_t head_hash = 0;  // XXH3_64 of the first kFileHeadBytes

  bool operator==(const FileIdentity&) const = default;
};

// What a file is and how it begins.
struct FileHead {
  FileIdentity identity;
  std::string bytes;  // the first kFileHeadBytes of it
};

// NOT_FOUND: no such file. FAILED_PRECONDITION: not a regular file, or one that does not tell its
// size, like those under /proc.
absl::StatusOr<FileHead> ReadFileHead(fs::FileSystem& files, const std::string& path);

// OK if `now` is the file of `then`. FAILED_PRECONDITION: says what differs; a file that has only
// grown is another one, too. `since`: of what moment `then` is, for the message.
absl::Status CheckUnchanged(const std::string& path, const FileIdentity& then, const FileHead& now,
                            StringView since);

}  // namespace weir::connectors
