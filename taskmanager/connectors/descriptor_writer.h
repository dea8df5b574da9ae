// Writing to an open descriptor that may be a pipe somebody closes.
#pragma once

#include <absl/status/status.h>

#include "common/base/string_view.h"

namespace weir::connectors {

// Writes all of `bytes`; a closed pipe is an error, not a signal.
// FAILED_PRECONDITION: nobody reads the other end any more. RESOURCE_EXHAUSTED: the disk is full.
// UNAVAILABLE: anything else.
absl::Status WriteAll(int descriptor, StringView bytes);

}  // namespace weir::connectors
