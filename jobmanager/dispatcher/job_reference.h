// Job references: what people call a job: its name, its id, or the beginning of its id. Pure.
#pragma once

#include <string>
#include <vector>

#include <absl/status/statusor.h>
#include <absl/time/time.h>

#include "common/base/ids.h"
#include "common/base/string_view.h"

namespace weir::dispatcher {

// Fewest digits of an id that name something.
inline constexpr size_t kIdPrefixDigitsMin = 4;

struct NamedJob {
  JobId id;
  std::string name;
  absl::Time submitted_at;
  bool has_ended = false;
};

// An exact name wins over an id. Of several jobs of one name the newest that has not ended is
// meant, else the newest.
// NOT_FOUND: none. INVALID_ARGUMENT: several ids begin so; lists them.
absl::StatusOr<JobId> ResolveJob(const std::vector<NamedJob>& jobs, StringView reference);

// NOT_FOUND, INVALID_ARGUMENT: as above. `thing` is "job" or "taskmanager".
absl::StatusOr<size_t> ResolveIdPrefix(const std::vector<std::string>& ids, StringView prefix,
                                       StringView thing);

}  // namespace weir::dispatcher
