// What this build of Weir calls itself.
#pragma once

#include "common/base/string_view.h"

namespace weir::daemon {

// "0.1.0"
StringView Version();
// "Release"
StringView BuildType();

}  // namespace weir::daemon
