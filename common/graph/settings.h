// JobSettings: the `settings` block of a descriptor, typed, with its defaults.
#pragma once

#include <cstdint>

#include <absl/time/time.h>
#include <absl/types/optional.h>

namespace weir::graph {

enum class OnCancel : uint8_t { kRetain, kDelete };

// `settings.checkpointing`.
struct CheckpointingOptions {
  absl::optional<absl::Duration> interval;     // absent: none periodic; at least 10 ms
  absl::Duration timeout = absl::Minutes(10);  // at least 10 ms
  absl::Duration min_pause = absl::ZeroDuration();
  int64_t max_concurrent = 1;      // at least 1
  int64_t tolerable_failures = 3;  // consecutive; -1 unlimited
  int64_t retained = 3;            // at least 1
  OnCancel on_cancel = OnCancel::kRetain;
};

enum class RestartKind : uint8_t { kNone, kFixedDelay, kFailureRate, kExponentialDelay };

// `settings.restart`. Unset: exponential delay without limit when checkpoints are taken, else none.
struct RestartOptions {
  RestartKind kind = RestartKind::kNone;
  absl::Duration initial = absl::Milliseconds(100);  // exponential_delay
  absl::Duration max = absl::Minutes(1);
  double multiplier = 1.5;
  double jitter = 0.1;
  absl::Duration reset_after = absl::Minutes(10);
  absl::Duration delay = absl::Seconds(1);      // fixed_delay, failure_rate
  absl::Duration interval = absl::Minutes(10);  // failure_rate: the window failures are counted in
  int64_t attempts = -1;                        // -1 unlimited
};

struct JobSettings {
  int64_t parallelism = 1;
  int64_t max_parallelism = 0;  // 0 until the planner derives it; fixed for the life of the state
  CheckpointingOptions checkpointing;
  RestartOptions restart;
  bool has_restart = false;  // the job has a `restart` block: a cluster's default does not apply
  absl::Duration buffer_timeout = absl::Milliseconds(5);  // `execution.buffer_timeout`
};

}  // namespace weir::graph
