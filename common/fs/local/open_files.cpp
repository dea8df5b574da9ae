#include "common/fs/local/open_files.h"

#include <cerrno>
#include <fcntl.h>
#include <unistd.h>
#include <utility>

#include <absl/strings/ascii.h>
#include <absl/strings/str_cat.h>
#include <sys/file.h>

#include "common/base/status_macros.h"
#include "common/fs/local/errno_status.h"

namespace weir::fs {
namespace {

// Longest holder text quoted from a lock file.
constexpr size_t kHolderBytesMax = 256;

absl::Status WriteAll(int fd, StringView bytes, const std::string& path) {
  while (!bytes.empty()) {
    const ssize_t written = write(fd, bytes.data(), bytes.size());
    if (written < 0) {
      if (errno == EINTR) continue;
      return StatusOfErrno(errno, "write", path);
    }
    bytes.remove_prefix(static_cast<size_t>(written));
  }
  return absl::OkStatus();
}

std::string ReadHolder(int fd) {
  char buffer[kHolderBytesMax];
  const ssize_t size = pread(fd, buffer, sizeof(buffer), 0);
  if (size <= 0) return {};
  return std::string(absl::StripAsciiWhitespace(StringView(buffer, static_cast<size_t>(size))));
}

}  // namespace

LocalWritableFile::LocalWritableFile(std::string path, Descriptor descriptor)
    : path_(std::move(path)), descriptor_(std::move(descriptor)) {
}

absl::Status LocalWritableFile::CheckOpen() const {
  if (descriptor_.is_open()) return absl::OkStatus();
  return absl::FailedPreconditionError(absl::StrCat(path_, ": the file is closed"));
}

absl::Status LocalWritableFile::Append(StringView bytes) {
  WEIR_RETURN_IF_ERROR(CheckOpen());
  return WriteAll(descriptor_.get(), bytes, path_);
}

absl::Status LocalWritableFile::Sync() {
  WEIR_RETURN_IF_ERROR(CheckOpen());
  if (fsync(descriptor_.get()) != 0) return StatusOfErrno(errno, "sync", path_);
  return absl::OkStatus();
}

absl::Status LocalWritableFile::Close() {
  return descriptor_.Close(path_);
}

LocalSequentialFile::LocalSequentialFile(std::string path, Descriptor descriptor)
    : path_(std::move(path)), descriptor_(std::move(descriptor)) {
}

absl::StatusOr<size_t> LocalSequentialFile::Read(char* into, size_t size) {
  while (true) {
    const ssize_t got = read(descriptor_.get(), into, size);
    if (got >= 0) return static_cast<size_t>(got);
    if (errno != EINTR) return StatusOfErrno(errno, "read", path_);
  }
}

LocalRandomFile::LocalRandomFile(std::string path, Descriptor descriptor)
    : path_(std::move(path)), descriptor_(std::move(descriptor)) {
}

absl::StatusOr<size_t> LocalRandomFile::ReadAt(uint64_t offset, char* into, size_t size) const {
  size_t filled = 0;
  while (filled < size) {
    const ssize_t got =
        pread(descriptor_.get(), into + filled, size - filled, static_cast<off_t>(offset + filled));
    if (got == 0) break;
    if (got > 0) {
      filled += static_cast<size_t>(got);
    } else if (errno != EINTR) {
      return StatusOfErrno(errno, "read", path_);
    }
  }
  return filled;
}

absl::StatusOr<std::unique_ptr<FileLock>> LockLocalFile(const std::string& path,
                                                        StringView holder) {
  WEIR_ASSIGN_OR_RETURN(Descriptor descriptor, OpenDescriptor(path, O_RDWR | O_CREAT, "lock"));
  if (flock(descriptor.get(), LOCK_EX | LOCK_NB) != 0) {
    if (errno != EWOULDBLOCK) return StatusOfErrno(errno, "lock", path);
    const std::string other = ReadHolder(descriptor.get());
    return absl::FailedPreconditionError(
        absl::StrCat(path, " is locked by ", other.empty() ? "another process" : other));
  }
  // Over the former name, and not after removing it: a process that is killed in between, or a full
  // disk, must not leave a file without a name, by which an owner knows what is its own.
  const std::string line = absl::StrCat(holder, "\n");
  WEIR_RETURN_IF_ERROR(WriteAll(descriptor.get(), line, path));
  if (ftruncate(descriptor.get(), static_cast<off_t>(line.size())) != 0) {
    return StatusOfErrno(errno, "write", path);
  }
  return std::make_unique<LocalFileLock>(std::move(descriptor));
}

}  // namespace weir::fs
