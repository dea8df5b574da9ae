#include "cli/job_wait.h"

#include <unistd.h>

#include <absl/strings/str_cat.h>

#include "cli/progress_line.h"
#include "common/base/clock.h"
#include "common/base/status_macros.h"

namespace weir::cli {
namespace {

constexpr absl::Duration kPollInterval = absl::Milliseconds(100);
constexpr absl::Duration kUnreachableMax = absl::Seconds(60);

job::JobState StateOf(const Json& job) {
  const std::string text = TextOf(job, "state");
  for (size_t i = 0; i < job::kJobStateCount; ++i) {
    if (job::ToString(static_cast<job::JobState>(i)) == text) return static_cast<job::JobState>(i);
  }
  return job::JobState::kCreated;
}

LocalProgress ProgressOf(const Json& job) {
  const Json& rows = MemberOf(job, "rows");
  const Json& checkpoints = MemberOf(job, "checkpoints");
  LocalProgress progress;
  progress.state = StateOf(job);
  progress.rows_read = NumberOf(rows, "read");
  progress.rows_written = NumberOf(rows, "written");
  progress.rows_late = NumberOf(rows, "late");
  progress.rows_skipped = NumberOf(rows, "skipped");
  progress.restarts = NumberOf(job, "restarts");
  progress.restored = CheckpointId{NumberOf(checkpoints, "restored")};
  progress.completed = CheckpointId{NumberOf(MemberOf(checkpoints, "last"), "id")};
  progress.checkpoints_completed = static_cast<uint64_t>(NumberOf(checkpoints, "completed"));
  progress.checkpoints_failed = static_cast<uint64_t>(NumberOf(checkpoints, "failed"));
  return progress;
}

bool IsReached(const Json& job, WaitFor what) {
  const std::string state = TextOf(job, "state");
  if (IsEndedState(state)) return true;
  if (what == WaitFor::kEnded || state != "RUNNING") return false;
  const Json& tasks = MemberOf(job, "tasks");
  return NumberOf(tasks, "running") + NumberOf(tasks, "finished") == NumberOf(tasks, "total");
}

// Tells what keeps a job waiting, or that it starts again, once each.
class NewsOfJob {
 public:
  explicit NewsOfJob(ProgressLine& line, Console& console) : line_(line), console_(console) {}

  void See(const Json& job) {
    const std::string waits_for = TextOf(job, "waits_for");
    if (waits_for != waits_for_ && !waits_for.empty()) {
      line_.End();
      console_.Note(waits_for);
    }
    waits_for_ = waits_for;
    const int64_t restarts = NumberOf(job, "restarts");
    if (restarts > restarts_) line_.Restarting(absl::UnavailableError(TextOf(job, "cause")));
    restarts_ = restarts;
  }

 private:
  ProgressLine& line_;
  Console& console_;
  std::string waits_for_;
  int64_t restarts_ = 0;
};

}  // namespace

bool IsEndedState(const std::string& state) {
  return state == "FINISHED" || state == "FAILED" || state == "CANCELED";
}

absl::StatusOr<WaitOutcome> WaitForJob(ClusterClient& client, const std::string& job_id,
                                       WaitFor what, Console& console) {
  const base::Clock& clock = base::SystemClock();
  ProgressLine line(console, isatty(STDERR_FILENO) == 1);
  NewsOfJob news(line, console);
  WaitOutcome outcome;
  absl::Duration reached_at = clock.SteadyNow();
  absl::Duration shown_at = reached_at;
  for (;;) {
    absl::StatusOr<Json> answer = client.Get(JobTarget(job_id));
    const absl::Duration now = clock.SteadyNow();
    if (answer.ok()) {
      reached_at = now;
      outcome.job = MemberOf(*answer, "job");
      news.See(outcome.job);
      if (IsReached(outcome.job, what)) break;
    } else if (!absl::IsUnavailable(answer.status()) || now - reached_at > kUnreachableMax) {
      line.End();
      return answer.status();
    }
    if (what == WaitFor::kEnded && now - shown_at >= line.interval()) {
      shown_at = now;
      line.Show(ProgressOf(outcome.job));
    }
    outcome.signal = client.Pause(kPollInterval);
    if (outcome.signal != 0) break;
  }
  line.End();
  return outcome;
}

ExitCode ConcludeJob(const Json& job, Console& console) {
  const std::string name = TextOf(job, "name");
  const std::string state = TextOf(job, "state");
  if (console.IsJson()) {
    console.OutJson("Job", JsonMembers(Json{{"job", job}}));
  } else if (IsEndedState(state)) {
    console.Note(SummaryText(name, state, ProgressOf(job)));
  } else {
    console.Note(
        absl::StrCat("job '", name, "' is ", state, " (", TextOf(job, "id").substr(0, 8), ")"));
  }
  if (state != "FAILED") return ExitCode::kOk;
  if (!console.IsJson()) {
    static_cast<void>(console.Fail(
        absl::InternalError(absl::StrCat("job '", name, "' failed: ", TextOf(job, "cause")))));
  }
  return ExitCode::kFailed;
}

}  // namespace weir::cli
