#include "taskmanager/connectors/file_identity.h"

#include <memory>
#include <utility>
#include <vector>

#include <absl/strings/str_cat.h>
#include <absl/strings/str_join.h>

#include "common/base/status_macros.h"
#include "common/io/hash.h"
#include "common/types/datetime.h"

namespace weir::connectors {

absl::StatusOr<FileHead> ReadFileHead(fs::FileSystem& files, const std::string& path) {
  WEIR_ASSIGN_OR_RETURN(const fs::FileStat stat, files.Stat(path));
  if (stat.is_directory || !stat.is_regular) {
    return absl::FailedPreconditionError(
        absl::StrCat(path, stat.is_directory ? ": is a directory" : ": is not a regular file",
                     "; a file source reads one regular file"));
  }
  WEIR_ASSIGN_OR_RETURN(const std::unique_ptr<fs::RandomFile> file, files.OpenRandom(path));
  FileHead head;
  head.bytes.resize(kFileHeadBytes);
  WEIR_ASSIGN_OR_RETURN(const size_t size, file->ReadAt(0, head.bytes.data(), head.bytes.size()));
  head.bytes.resize(size);
  head.identity.size = stat.size;
  head.identity.mtime_us = stat.mtime_us;
  head.identity.head_hash = io::Xxh3(head.bytes);
  return head;
}

absl::Status CheckUnchanged(const std::string& path, const FileIdentity& then,
                            const FileIdentity& now, StringView since) {
  if (then == now) return absl::OkStatus();
  std::vector<std::string> changes;
  if (then.size != now.size) {
    changes.push_back(absl::StrCat("its size was ", then.size, " bytes and is ", now.size));
  }
  if (then.mtime_us != now.mtime_us) {
    changes.push_back(absl::StrCat("it was written at ", types::FormatTimestamp(then.mtime_us),
                                   " and is from ", types::FormatTimestamp(now.mtime_us)));
  }
  if (then.head_hash != now.head_hash) changes.push_back("its first bytes differ");
  return absl::FailedPreconditionError(absl::StrCat(
      path, ": the file has changed since ", since, ": ", absl::StrJoin(changes, ", "),
      ". A file must stay as it is while a job reads it: bring the old one back, or start the job "
      "anew without its state"));
}

}  // namespace weir::connectors
