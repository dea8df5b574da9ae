// DirectoryId: the name of a storage directory, whatever its path: made once, in <dir>/id.
#pragma once

#include <cstdint>
#include <string>

#include <absl/status/statusor.h>

#include "common/base/cluster_id.h"
#include "common/fs/file_system.h"

namespace weir::coordination {

// Reads it, or makes one. Blocks. REQUIRES: this process leads in `dir`, so that no other makes
// one. DATA_LOSS: the file holds something else; the message says what to do. Others:
// file_system.h. `seed`: differs from process to process.
absl::StatusOr<ClusterId> ReadOrMakeDirectoryId(fs::FileSystem& files, const std::string& dir,
                                                uint64_t seed);

}  // namespace weir::coordination
