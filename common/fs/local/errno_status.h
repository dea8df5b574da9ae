// Turns errno into a Status that names the path and says what to do.
#pragma once

#include <string>

#include <absl/status/status.h>

#include "common/base/string_view.h"

namespace weir::fs {

// `doing`: for example "create". REQUIRES: error != 0.
absl::Status StatusOfErrno(int error, StringView doing, const std::string& path);

}  // namespace weir::fs
