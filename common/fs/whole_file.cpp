#include "common/fs/whole_file.h"

#include <memory>
#include <utility>

#include <absl/strings/str_cat.h>

#include "common/base/status_macros.h"
#include "common/fs/path.h"

namespace weir::fs {
namespace {

absl::Status WriteSynced(FileSystem& file_system, const std::string& path, StringView bytes) {
  WEIR_ASSIGN_OR_RETURN(const std::unique_ptr<WritableFile> file, file_system.Create(path));
  WEIR_RETURN_IF_ERROR(file->Append(bytes));
  WEIR_RETURN_IF_ERROR(file->Sync());
  return file->Close();
}

}  // namespace

absl::StatusOr<std::string> ReadWholeFile(FileSystem& file_system, const std::string& path,
                                          uint64_t size_max) {
  WEIR_ASSIGN_OR_RETURN(const FileStat stat, file_system.Stat(path));
  if (stat.size > size_max) {
    return absl::OutOfRangeError(
        absl::StrCat(path, ": ", stat.size, " bytes; at most ", size_max, " are read here"));
  }
  WEIR_ASSIGN_OR_RETURN(const std::unique_ptr<SequentialFile> file,
                        file_system.OpenSequential(path));
  std::string bytes(stat.size, '\0');
  size_t filled = 0;
  while (filled < bytes.size()) {
    WEIR_ASSIGN_OR_RETURN(const size_t read,
                          file->Read(bytes.data() + filled, bytes.size() - filled));
    if (read == 0) break;
    filled += read;
  }
  bytes.resize(filled);
  return bytes;
}

absl::Status PublishFile(FileSystem& file_system, const std::string& path, StringView bytes) {
  const std::string temporary = absl::StrCat(path, ".tmp");
  absl::Status cleared = file_system.Remove(temporary);
  if (!cleared.ok() && !absl::IsNotFound(cleared)) return cleared;
  absl::Status status = WriteSynced(file_system, temporary, bytes);
  if (status.ok()) status = file_system.Rename(temporary, path);
  if (!status.ok()) {
    // The first error is the one to report; what is left is cleared by the next try.
    (void)file_system.Remove(temporary);
    return status;
  }
  return file_system.SyncDir(DirectoryOf(path));
}

}  // namespace weir::fs
