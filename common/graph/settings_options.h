// The option tables of a descriptor's `settings` block.
#pragma once

#include <optional>

#include "common/config/option_table.h"
#include "common/graph/settings.h"

namespace weir::graph {

// Most subtasks of one step, and most key groups of a job.
inline constexpr int64_t kMaxParallelismMax = 32768;
// Fewest key groups a job gets when it does not say how many.
inline constexpr int64_t kDefaultKeyGroupsMin = 128;

struct ExecutionOptions {
  absl::Duration buffer_timeout = JobSettings{}.buffer_timeout;
};

// `settings` as written; FinishSettings() makes JobSettings of it.
struct SettingsOptions {
  config::Located<int64_t> parallelism = 1;
  config::Located<int64_t> max_parallelism;  // not set: derived
  CheckpointingOptions checkpointing;
  std::optional<RestartOptions> restart;
  ExecutionOptions execution;
};

const config::OptionTable<CheckpointingOptions>& CheckpointingTable();
const config::OptionTable<RestartOptions>& RestartTable();
const config::OptionTable<ExecutionOptions>& ExecutionTable();
const config::OptionTable<SettingsOptions>& SettingsTable();

// The settings with what follows from others: restarts without limit if checkpoints are taken, and
// an interval of at least min_pause. max_parallelism stays 0 where it was not set.
JobSettings FinishSettings(const SettingsOptions& settings);

// Key groups of a job whose steps run at most `parallelism` subtasks each.
int64_t DefaultMaxParallelism(int64_t parallelism);

}  // namespace weir::graph
