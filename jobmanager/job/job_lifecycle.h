// JobLifecycle: the state of a job and the one checked way to change it.
#pragma once

#include <array>
#include <functional>
#include <string>
#include <vector>

#include <absl/status/status.h>
#include <absl/time/time.h>

#include "common/base/clock.h"
#include "common/base/ids.h"
#include "common/base/string_view.h"

namespace weir::job {

enum class JobState : uint8_t {
  kCreated,     // planned; nothing runs
  kRunning,     // its tasks are deployed or run
  kFailing,     // a task failed; the others are being cancelled
  kRestarting,  // nothing runs; waits for its delay
  kCancelling,  // asked to end; tasks are being cancelled
  kCanceled,    // ended because asked to
  kFinished,    // its input ended and all of it is committed
  kFailed,      // ended by a failure it may not restart after
  kSuspended,   // this process stops; the job goes on with the next one
};
inline constexpr size_t kJobStateCount = 9;

// For example "RUNNING".
StringView ToString(JobState state);
// The job never runs again.
bool IsTerminal(JobState state);
// Terminal or suspended: nothing of it runs in this process and nothing will.
bool HasEnded(JobState state);
bool IsAllowed(JobState from, JobState to);

// Life:      made with the job.
// Thread:    confined to the control loop.
// Invariant: every change is an allowed one, is logged once and told to every listener.
class JobLifecycle {
 public:
  // A listener's error is a warning in the log and stops nobody.
  using Listener = std::function<absl::Status(JobState from, JobState to)>;

  JobLifecycle(JobId job, std::string name, const base::Clock& clock);

  JobState state() const { return state_; }
  // When the job last entered `state` (wall time); nullopt-like absl::InfinitePast() if never.
  absl::Time EnteredAt(JobState state) const { return entered_at_[static_cast<size_t>(state)]; }
  // Why the job is where it is: the cause of the last change.
  const absl::Status& cause() const { return cause_; }

  void AddListener(Listener listener) { listeners_.push_back(std::move(listener)); }
  // REQUIRES: IsAllowed(state(), to).
  void Change(JobState to, const absl::Status& cause);

 private:
  const JobId job_;
  const std::string name_;
  const base::Clock& clock_;
  JobState state_ = JobState::kCreated;
  absl::Status cause_;
  std::array<absl::Time, kJobStateCount> entered_at_;
  std::vector<Listener> listeners_;
};

}  // namespace weir::job
