#include "cli/job_wait.h"

#include <unistd.h>

#include <absl/strings/str_cat.h>

#include "cli/job_text.h"
#include "cli/progress_line.h"
#include "common/base/clock.h"
#include "common/base/status_macros.h"

namespace weir::cli {
namespace {

constexpr absl::Duration kPollInterval = absl::Milliseconds(100);
constexpr absl::Duration kUnreachableMax = absl::Seconds(60);

bool IsReached(const Json& job, WaitFor what) {
  const std::string state = TextOf(job, "state");
  if (IsEndedState(state)) return true;
  if (what == WaitFor::kEnded || state != "RUNNING") return false;
  const Json& tasks = MemberOf(job, "tasks");
  return NumberOf(tasks, "running") + NumberOf(tasks, "finished") == NumberOf(tasks, "total");
}

void Tell(const JobNews::News& news, ProgressLine& line, Console& console) {
  if (!news.waits_for.empty()) {
    line.End();
    console.Note(news.waits_for);
  }
  if (!news.restarted.empty()) line.Restarting(absl::UnavailableError(news.restarted));
}

}  // namespace

bool IsEndedState(const std::string& state) {
  return state == "FINISHED" || state == "FAILED" || state == "CANCELED";
}

absl::StatusOr<WaitOutcome> WaitForJob(ClusterClient& client, const std::string& job_id,
                                       WaitFor what, Console& console) {
  const base::Clock& clock = base::SystemClock();
  ProgressLine line(console, isatty(STDERR_FILENO) == 1);
  JobNews news;
  WaitOutcome outcome;
  absl::Duration reached_at = clock.SteadyNow();
  absl::Duration shown_at = reached_at;
  for (;;) {
    absl::StatusOr<Json> answer = client.Get(JobTarget(job_id), "job");
    const absl::Duration now = clock.SteadyNow();
    if (answer.ok()) {
      reached_at = now;
      outcome.job = MemberOf(*answer, "job");
      Tell(news.See(*answer), line, console);
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
  if (state == "CANCELED") return ExitCode::kFailed;  // whoever waited wanted it to run
  if (state != "FAILED") return ExitCode::kOk;
  if (!console.IsJson()) {
    static_cast<void>(console.Fail(
        absl::InternalError(absl::StrCat("job '", name, "' failed: ", TextOf(job, "cause")))));
  }
  return ExitCode::kFailed;
}

}  // namespace weir::cli
