// Whole files: read under a size limit, publish durably.
#pragma once

#include <cstdint>
#include <string>

#include <absl/status/status.h>
#include <absl/status/statusor.h>

#include "common/base/string_view.h"
#include "common/fs/file_system.h"

namespace weir::fs {

// All bytes of a file. OUT_OF_RANGE: it is larger than `size_max`; nothing was allocated for it.
absl::StatusOr<std::string> ReadWholeFile(FileSystem& file_system, const std::string& path,
                                          uint64_t size_max);

// Makes `path` hold exactly `bytes`, replacing what was there: written and synced under
// `path`.tmp, renamed, directory synced. After a crash at any point `path` holds the old bytes or
// the new ones. If this fails `path` may hold either.
absl::Status PublishFile(FileSystem& file_system, const std::string& path, StringView bytes);

}  // namespace weir::fs
