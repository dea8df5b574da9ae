// What must hold: only allowed changes exist, an ended job never changes, every listener hears of
// each change, and a failing listener stops nobody.
#include "jobmanager/job/job_lifecycle.h"

#include <vector>

#include <catch2/catch.hpp>

namespace weir::job {
namespace {

constexpr JobState kAll[] = {JobState::kCreated,    JobState::kRunning,    JobState::kFailing,
                             JobState::kRestarting, JobState::kCancelling, JobState::kCanceled,
                             JobState::kFinished,   JobState::kFailed,     JobState::kSuspended};

TEST_CASE("An ended job changes no more", "[job][unit]") {
  for (const JobState from : kAll) {
    for (const JobState to : kAll) {
      if (HasEnded(from)) CHECK_FALSE(IsAllowed(from, to));
    }
  }
  CHECK(HasEnded(JobState::kSuspended));
  CHECK_FALSE(IsTerminal(JobState::kSuspended));
}

TEST_CASE("Every state that has not ended can be suspended or leads to an end", "[job][unit]") {
  for (const JobState from : kAll) {
    if (!HasEnded(from)) CHECK(IsAllowed(from, JobState::kSuspended));
  }
  CHECK(IsAllowed(JobState::kRunning, JobState::kFinished));
  CHECK_FALSE(IsAllowed(JobState::kRunning, JobState::kFailed));  // its tasks end first
  CHECK_FALSE(IsAllowed(JobState::kCreated, JobState::kFinished));
  CHECK_FALSE(IsAllowed(JobState::kCancelling, JobState::kRunning));
}

TEST_CASE("Listeners hear of each change in order, also after one that fails", "[job][unit]") {
  JobLifecycle lifecycle(JobId{1, 2}, "job", base::SystemClock());
  std::vector<std::pair<JobState, JobState>> heard;
  lifecycle.AddListener([](JobState, JobState) { return absl::InternalError("listener"); });
  lifecycle.AddListener([&heard](JobState from, JobState to) {
    heard.emplace_back(from, to);
    return absl::OkStatus();
  });
  CHECK(lifecycle.EnteredAt(JobState::kRunning) == absl::InfinitePast());
  lifecycle.Change(JobState::kRunning, absl::OkStatus());
  lifecycle.Change(JobState::kFailing, absl::InternalError("broken"));
  CHECK(heard ==
        std::vector<std::pair<JobState, JobState>>{{JobState::kCreated, JobState::kRunning},
                                                   {JobState::kRunning, JobState::kFailing}});
  CHECK(lifecycle.cause().message() == "broken");
  CHECK(lifecycle.EnteredAt(JobState::kRunning) != absl::InfinitePast());
}

}  // namespace
}  // namespace weir::job
