// Waiting for a job of a cluster, with progress.
#pragma once

#include <string>

#include <absl/status/statusor.h>

#include "cli/cluster_client.h"
#include "cli/console.h"

namespace weir::cli {

enum class WaitFor : uint8_t {
  kRunning,  // every task runs, or the job has ended
  kEnded,    // in whatever way
};

struct WaitOutcome {
  Json job;        // the last that was seen
  int signal = 0;  // that ended the waiting; 0: none did
};

// Asks again and again. A jobmanager that cannot be reached for a while is waited for: jobs
// outlive it. `job_id` is a full id.
// UNAVAILABLE: not reached for kUnreachableMax. NOT_FOUND: it knows no such job.
absl::StatusOr<WaitOutcome> WaitForJob(ClusterClient& client, const std::string& job_id,
                                       WaitFor what, Console& console);

// FINISHED, FAILED, CANCELED.
bool IsEndedState(const std::string& state);
// Says how the job ended, or what it does; the exit code that goes with it.
ExitCode ConcludeJob(const Json& job, Console& console);

}  // namespace weir::cli
