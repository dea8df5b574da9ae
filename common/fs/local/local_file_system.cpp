#include "common/fs/local/local_file_system.h"

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <dirent.h>
#include <fcntl.h>
#include <unistd.h>
#include <utility>

#include <absl/strings/str_cat.h>
#include <sys/stat.h>

#include "common/base/status_macros.h"
#include "common/fs/local/errno_status.h"
#include "common/fs/local/open_files.h"
#include "common/fs/path.h"

namespace weir::fs {
namespace {

constexpr int kDirectoryModeNew = 0755;
// Deepest tree that is made or removed: recursion over what others may have put there.
constexpr int kTreeDepthMax = 200;

absl::Status CheckFile(const Descriptor& descriptor, const std::string& path) {
  struct stat info {};
  if (fstat(descriptor.get(), &info) != 0) return StatusOfErrno(errno, "open", path);
  if (S_ISDIR(info.st_mode)) return StatusOfErrno(EISDIR, "open", path);
  return absl::OkStatus();
}

bool IsDirectory(const std::string& path, const struct dirent& entry) {
  if (entry.d_type != DT_UNKNOWN) return entry.d_type == DT_DIR;
  struct stat info {};
  return lstat(JoinPath(path, entry.d_name).c_str(), &info) == 0 && S_ISDIR(info.st_mode);
}

absl::Status MakeDirsBelow(LocalFileSystem& file_system, const std::string& path, int depth) {
  struct stat info {};
  if (stat(path.c_str(), &info) == 0) {
    return S_ISDIR(info.st_mode) ? absl::OkStatus() : StatusOfErrno(ENOTDIR, "use", path);
  }
  if (errno != ENOENT) return StatusOfErrno(errno, "make directory", path);
  if (depth == 0) return StatusOfErrno(ENAMETOOLONG, "make directory", path);
  const std::string parent = DirectoryOf(path);
  WEIR_RETURN_IF_ERROR(MakeDirsBelow(file_system, parent, depth - 1));
  if (mkdir(path.c_str(), kDirectoryModeNew) != 0 && errno != EEXIST) {
    // It is the parent that refuses.
    return StatusOfErrno(errno, absl::StrCat("make directory ", path, " in"), parent);
  }
  return file_system.SyncDir(parent);
}

absl::Status RemoveTreeBelow(LocalFileSystem& file_system, const std::string& path, int depth) {
  if (depth == 0) return StatusOfErrno(ENAMETOOLONG, "remove", path);
  absl::StatusOr<std::vector<DirectoryEntry>> entries = file_system.List(path);
  if (absl::IsNotFound(entries.status())) return absl::OkStatus();
  WEIR_RETURN_IF_ERROR(entries.status());
  for (const DirectoryEntry& entry : *entries) {
    const std::string child = JoinPath(path, entry.name);
    absl::Status removed = entry.is_directory ? RemoveTreeBelow(file_system, child, depth - 1)
                                              : file_system.Remove(child);
    if (!removed.ok() && !absl::IsNotFound(removed)) return removed;
  }
  const absl::Status removed = file_system.Remove(path);
  return absl::IsNotFound(removed) ? absl::OkStatus() : removed;
}

}  // namespace

absl::StatusOr<std::unique_ptr<WritableFile>> LocalFileSystem::Create(const std::string& path) {
  WEIR_ASSIGN_OR_RETURN(Descriptor descriptor,
                        OpenDescriptor(path, O_WRONLY | O_CREAT | O_EXCL, "create"));
  return std::make_unique<LocalWritableFile>(path, std::move(descriptor));
}

absl::StatusOr<std::unique_ptr<WritableFile>> LocalFileSystem::OpenAppend(const std::string& path) {
  WEIR_ASSIGN_OR_RETURN(Descriptor descriptor, OpenDescriptor(path, O_WRONLY | O_APPEND, "open"));
  return std::make_unique<LocalWritableFile>(path, std::move(descriptor));
}

absl::StatusOr<std::unique_ptr<SequentialFile>> LocalFileSystem::OpenSequential(
    const std::string& path) {
  WEIR_ASSIGN_OR_RETURN(Descriptor descriptor, OpenDescriptor(path, O_RDONLY, "open"));
  WEIR_RETURN_IF_ERROR(CheckFile(descriptor, path));
  return std::make_unique<LocalSequentialFile>(path, std::move(descriptor));
}

absl::StatusOr<std::unique_ptr<RandomFile>> LocalFileSystem::OpenRandom(const std::string& path) {
  WEIR_ASSIGN_OR_RETURN(Descriptor descriptor, OpenDescriptor(path, O_RDONLY, "open"));
  WEIR_RETURN_IF_ERROR(CheckFile(descriptor, path));
  return std::make_unique<LocalRandomFile>(path, std::move(descriptor));
}

absl::Status LocalFileSystem::Rename(const std::string& from, const std::string& to) {
  if (rename(from.c_str(), to.c_str()) == 0) return absl::OkStatus();
  return StatusOfErrno(errno, "rename", absl::StrCat(from, " to ", to));
}

absl::Status LocalFileSystem::Link(const std::string& from, const std::string& to) {
  if (link(from.c_str(), to.c_str()) == 0) return absl::OkStatus();
  return StatusOfErrno(errno, "link", absl::StrCat(from, " to ", to));
}

absl::Status LocalFileSystem::Remove(const std::string& path) {
  if (remove(path.c_str()) == 0) return absl::OkStatus();
  return StatusOfErrno(errno, "remove", path);
}

absl::Status LocalFileSystem::RemoveTree(const std::string& path) {
  struct stat info {};
  if (lstat(path.c_str(), &info) != 0) {
    return errno == ENOENT ? absl::OkStatus() : StatusOfErrno(errno, "remove", path);
  }
  // A link to a directory is removed, not followed.
  if (!S_ISDIR(info.st_mode)) return Remove(path);
  return RemoveTreeBelow(*this, path, kTreeDepthMax);
}

absl::StatusOr<std::vector<DirectoryEntry>> LocalFileSystem::List(const std::string& path) {
  DIR* const directory = opendir(path.c_str());
  if (directory == nullptr) return StatusOfErrno(errno, "list", path);
  std::vector<DirectoryEntry> entries;
  errno = 0;
  // Each DIR has its own buffer: readdir() is safe with one reader per DIR.
  // NOLINTNEXTLINE(concurrency-mt-unsafe)
  while (const struct dirent* entry = readdir(directory)) {
    const StringView name(entry->d_name);
    if (name == "." || name == "..") continue;
    entries.push_back({std::string(name), IsDirectory(path, *entry)});
    errno = 0;
  }
  const int error = errno;
  closedir(directory);
  if (error != 0) return StatusOfErrno(error, "list", path);
  std::sort(entries.begin(), entries.end(),
            [](const DirectoryEntry& a, const DirectoryEntry& b) { return a.name < b.name; });
  return entries;
}

absl::Status LocalFileSystem::MakeDirs(const std::string& path) {
  return MakeDirsBelow(*this, path, kTreeDepthMax);
}

absl::Status LocalFileSystem::SyncDir(const std::string& path) {
  WEIR_ASSIGN_OR_RETURN(const Descriptor descriptor,
                        OpenDescriptor(path, O_RDONLY | O_DIRECTORY, "sync directory"));
  if (fsync(descriptor.get()) != 0) return StatusOfErrno(errno, "sync directory", path);
  return absl::OkStatus();
}

absl::StatusOr<FileStat> LocalFileSystem::Stat(const std::string& path) {
  struct stat info {};
  if (stat(path.c_str(), &info) != 0) return StatusOfErrno(errno, "look up", path);
  return FileStat{.size = static_cast<uint64_t>(info.st_size),
                  .mtime_us = info.st_mtim.tv_sec * 1'000'000 + info.st_mtim.tv_nsec / 1'000,
                  .is_directory = S_ISDIR(info.st_mode),
                  .is_regular = S_ISREG(info.st_mode)};
}

absl::StatusOr<std::unique_ptr<FileLock>> LocalFileSystem::Lock(const std::string& path,
                                                                StringView holder) {
  return LockLocalFile(path, holder);
}

}  // namespace weir::fs
