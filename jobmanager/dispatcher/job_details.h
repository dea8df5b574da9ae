// Job details: a job's inner life as people see it. Pure reading.
#pragma once

#include <vector>

#include "common/coordination/job_end.h"
#include "jobmanager/dispatcher/job_api.h"
#include "jobmanager/job/job.h"

namespace weir::dispatcher {

// REQUIRES: HasEnded(state).
coordination::JobEnd EndOf(job::JobState state);

// Sets the numbers of running, finished and failed tasks of the newest execution.
void CountTasks(const job::Job& job, JobSummary* summary);
// Of the newest execution, vertex by vertex; none before the first.
std::vector<SubtaskDetail> SubtasksOf(const job::Job& job);
// Of the newest incident, the root cause first.
std::vector<FailureDetail> FailuresOf(const job::Job& job);

}  // namespace weir::dispatcher
