#include "jobmanager/job/job_lifecycle.h"

#include <utility>

#include <glog/logging.h>

#include "common/base/check.h"

namespace weir::job {

StringView ToString(JobState state) {
  switch (state) {
    case JobState::kCreated:
      return "CREATED";
    case JobState::kRunning:
      return "RUNNING";
    case JobState::kFailing:
      return "FAILING";
    case JobState::kRestarting:
      return "RESTARTING";
    case JobState::kCancelling:
      return "CANCELLING";
    case JobState::kCanceled:
      return "CANCELED";
    case JobState::kFinished:
      return "FINISHED";
    case JobState::kFailed:
      return "FAILED";
    case JobState::kSuspended:
      return "SUSPENDED";
  }
  return "UNKNOWN";
}

bool IsTerminal(JobState state) {
  return state == JobState::kCanceled || state == JobState::kFinished || state == JobState::kFailed;
}

bool HasEnded(JobState state) {
  return IsTerminal(state) || state == JobState::kSuspended;
}

bool IsAllowed(JobState from, JobState to) {
  if (HasEnded(from)) return false;
  if (to == JobState::kSuspended) return true;
  switch (from) {
    case JobState::kCreated:
      return to == JobState::kRunning || to == JobState::kFailing || to == JobState::kCancelling;
    case JobState::kRunning:
      return to == JobState::kFailing || to == JobState::kCancelling || to == JobState::kFinished;
    case JobState::kFailing:
      return to == JobState::kRestarting || to == JobState::kFailed || to == JobState::kCancelling;
    case JobState::kRestarting:
      return to == JobState::kRunning || to == JobState::kFailing || to == JobState::kCancelling;
    case JobState::kCancelling:
      return to == JobState::kCanceled;
    default:
      return false;
  }
}

JobLifecycle::JobLifecycle(JobId job, std::string name, const base::Clock& clock)
    : job_(job), name_(std::move(name)), clock_(clock) {
  entered_at_.fill(absl::InfinitePast());
  entered_at_[static_cast<size_t>(state_)] = clock_.WallNow();
}

void JobLifecycle::Change(JobState to, const absl::Status& cause) {
  const JobState from = state_;
  WEIR_CHECK(IsAllowed(from, to));
  state_ = to;
  cause_ = cause;
  entered_at_[static_cast<size_t>(to)] = clock_.WallNow();
  LOG(INFO) << "job state changed job=" << job_.ToString() << " name=" << name_
            << " from=" << ToString(from) << " to=" << ToString(to)
            << " cause=" << (cause.ok() ? "none" : cause.ToString());
  for (const Listener& listener : listeners_) {
    const absl::Status told = listener(from, to);
    if (!told.ok()) LOG(WARNING) << "job state listener failed cause=" << told.ToString();
  }
}

}  // namespace weir::job
