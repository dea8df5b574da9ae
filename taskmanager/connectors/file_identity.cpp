#include "taskmanager/connectors/file_identity.h"

#include <algorithm>
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
  if (stat.size == 0 && size > 0) {
    return absl::FailedPreconditionError(absl::StrCat(
        path,
        ": its size is given as 0 bytes, and yet it has content, as files under /proc do; "
        "copy it to a regular file and read that"));
  }
  head.bytes.resize(static_cast<size_t>(std::min<uint64_t>(size, stat.size)));
  head.identity.size = stat.size;
  head.identity.mtime_us = stat.mtime_us;
  head.identity.head_hash = io::Xxh3(head.bytes);
  return head;
}

absl::Status CheckUnchanged(const std::string& path, const FileIdentity& then, const FileHead& now,
                            StringView since) {
  if (then == now.identity) return absl::OkStatus();
  std::vector<std::string> changes;
  if (then.size != now.identity.size) {
    changes.push_back(absl::StrCat("it is ", now.identity.size < then.size ? "shorter" : "longer",
                                   ", ", now.identity.size, " bytes instead of ", then.size));
  }
  if (then.mtime_us != now.identity.mtime_us) {
    changes.push_back(absl::StrCat("it was written at ", types::FormatTimestamp(then.mtime_us),
                                   " and is from ", types::FormatTimestamp(now.identity.mtime_us)));
  }
  // What was hashed then; of a file that became shorter than that, nothing can be said.
  const size_t hashed = static_cast<size_t>(std::min<uint64_t>(then.size, kFileHeadBytes));
  if (now.bytes.size() >= hashed) {
    const bool is_same = io::Xxh3(StringView(now.bytes).substr(0, hashed)) == then.head_hash;
    changes.push_back(
        absl::StrCat("its first ", hashed, " bytes ", is_same ? "are the same" : "differ"));
  }
  return absl::FailedPreconditionError(absl::StrCat(
      path, ": the file has changed since ", since, ": ", absl::StrJoin(changes, ", "),
      ". A file must stay as it is while a job reads it: bring the old one back, or start the job "
      "anew without its state"));
}

}  // namespace weir::connectors
