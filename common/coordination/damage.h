// What people are told when what a job stored is damaged: which files, and what they can do.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include <absl/status/status.h>

#include "common/base/string_view.h"
#include "common/coordination/completed_checkpoint_store.h"

namespace weir::coordination {

// Adds to `damage` what to do about it; the code stays. Any other status is returned as it is.
absl::Status WithWaysOut(const absl::Status& damage);

// Adds to the damage of a record in the log of `directory` what to do about it, as above.
absl::Status LogWithWaysOut(const absl::Status& damage, const std::string& directory);

// For a job none of whose checkpoints can be read: names each, newest first, and why.
// DATA_LOSS. REQUIRES: not empty.
absl::Status NothingReadable(const std::vector<SkippedCheckpoint>& skipped);

// For a job whose own checkpoint directory is not there, as when its disk is not mounted: that says
// nothing about what lies on it. UNAVAILABLE. `listed`: checkpoints that should lie there.
absl::Status DirectoryAway(const std::string& directory, size_t listed);

}  // namespace weir::coordination
