// The probe of the checkpoint directory: a file that a taskmanager must be able to read before it
// is taken in, since both sides keep the state of jobs there.
#pragma once

#include <string>

#include <absl/status/status.h>
#include <absl/status/statusor.h>

#include "common/base/id_source.h"
#include "common/fs/file_system.h"

namespace weir::server {

struct CheckpointProbe {
  std::string path;     // "<directory>/.probe-<32 digits>"; empty: there is no directory
  std::string content;  // another 32 digits, so that the path alone proves nothing
};

// A name and a content that nobody has seen before.
CheckpointProbe MakeProbe(const std::string& directory, base::IdSource& ids);

// Both block. Errors of fs::FileSystem.
absl::Status WriteProbe(fs::FileSystem& files, const CheckpointProbe& probe);
absl::Status RemoveProbe(fs::FileSystem& files, const CheckpointProbe& probe);

}  // namespace weir::server
