#include "jobmanager/server/checkpoint_probe.h"

#include <memory>

#include <absl/strings/str_cat.h>

#include "common/base/ids.h"
#include "common/base/status_macros.h"

namespace weir::server {

using Nonce = base::Id128<struct NonceTag>;

CheckpointProbe MakeProbe(const std::string& directory, base::IdSource& ids) {
  if (directory.empty()) return {};
  return {.path = absl::StrCat(directory, "/.probe-", ids.Make<Nonce>().ToString()),
          .content = ids.Make<Nonce>().ToString()};
}

absl::Status WriteProbe(fs::FileSystem& files, const CheckpointProbe& probe) {
  WEIR_ASSIGN_OR_RETURN(const std::unique_ptr<fs::WritableFile> file, files.Create(probe.path));
  WEIR_RETURN_IF_ERROR(file->Append(probe.content));
  // Not for a crash: some shared file systems show others only what was synced.
  WEIR_RETURN_IF_ERROR(file->Sync());
  return file->Close();
}

absl::Status RemoveProbe(fs::FileSystem& files, const CheckpointProbe& probe) {
  const absl::Status removed = files.Remove(probe.path);
  return absl::IsNotFound(removed) ? absl::OkStatus() : removed;
}

}  // namespace weir::server
