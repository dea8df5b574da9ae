#include "cli/job_text.h"

#include <algorithm>

#include <absl/strings/ascii.h>
#include <absl/strings/str_cat.h>
#include <absl/strings/str_replace.h>
#include <absl/time/time.h>

#include "cli/text_table.h"
#include "common/base/clock.h"

namespace weir::cli {
namespace {

job::JobState StateOf(const Json& job) {
  const std::string text = TextOf(job, "state");
  for (size_t i = 0; i < job::kJobStateCount; ++i) {
    if (job::ToString(static_cast<job::JobState>(i)) == text) return static_cast<job::JobState>(i);
  }
  return job::JobState::kCreated;
}

double RealOf(const Json& object, const char* name) {
  const Json& number = MemberOf(object, name);
  return number.is_number() ? number.get<double>() : 0;
}

// "-" for null: of a job that ended under an earlier jobmanager most is not kept.
std::string CountText(const Json& object, const char* name) {
  return MemberOf(object, name).is_null() ? "-" : absl::StrCat(NumberOf(object, name));
}

// "12s ago"; "-" for null.
std::string AgoOf(const Json& time) {
  const std::string age = AgeOf(time);
  return age == "-" ? age : absl::StrCat(age, " ago");
}

std::string StepsText(const Json& steps) {
  TextTable table({"STEP", "PAR", "ROWS IN", "ROWS OUT", "LATE", "SKIPPED"});
  for (const Json& step : steps) {
    table.Add({TextOf(step, "id"), absl::StrCat(NumberOf(step, "parallelism")),
               absl::StrCat(NumberOf(step, "rows_in")), absl::StrCat(NumberOf(step, "rows_out")),
               absl::StrCat(NumberOf(step, "rows_late")),
               absl::StrCat(NumberOf(step, "rows_skipped"))});
  }
  return table.Render();
}

std::string SubtasksText(const Json& subtasks) {
  TextTable table({"SUBTASK", "STATE", "TASKMANAGER", "HOST"});
  for (const Json& subtask : subtasks) {
    table.Add({absl::StrCat(TextOf(subtask, "vertex"), " #", NumberOf(subtask, "subtask") + 1),
               TextOf(subtask, "state"), TextOf(subtask, "taskmanager"), TextOf(subtask, "host")});
  }
  return table.Render();
}

std::string FailuresText(const Json& failures) {
  std::string text;
  for (const Json& failure : failures) {
    absl::StrAppend(&text, text.empty() ? "root cause  " : "then        ", TextOf(failure, "at"));
    if (!TextOf(failure, "vertex").empty()) {
      absl::StrAppend(&text, "  ", TextOf(failure, "vertex"), " #",
                      NumberOf(failure, "subtask") + 1);
    }
    if (!TextOf(failure, "taskmanager").empty()) {
      absl::StrAppend(&text, "  on ", TextOf(failure, "taskmanager"), " (", TextOf(failure, "host"),
                      ")");
    }
    absl::StrAppend(&text, "\n            ", TextOf(failure, "message"), "\n");
  }
  return text;
}

std::string CheckpointsText(const Json& checkpoints) {
  std::string text = absl::StrCat(CountText(checkpoints, "completed"), " completed, ",
                                  CountText(checkpoints, "failed"), " failed");
  const Json& last = MemberOf(checkpoints, "last");
  if (!last.is_null()) {
    absl::StrAppend(&text, ", newest ", NumberOf(last, "id"));
    const std::string ago = AgoOf(MemberOf(last, "completed_at"));
    if (ago != "-") absl::StrAppend(&text, " ", ago);
  }
  const int64_t restored = NumberOf(checkpoints, "restored");
  if (restored > 0) absl::StrAppend(&text, ", restored from ", restored);
  return text;
}

}  // namespace

std::string AgeOf(const Json& time) {
  absl::Time at;
  std::string error;
  if (!time.is_string() ||
      !absl::ParseTime(absl::RFC3339_full, time.get<std::string>(), &at, &error)) {
    return "-";
  }
  const int64_t seconds =
      std::max<int64_t>(absl::ToInt64Seconds(base::SystemClock().WallNow() - at), 0);
  if (seconds < 120) return absl::StrCat(seconds, "s");
  if (seconds < 120 * 60) return absl::StrCat(seconds / 60, "m");
  if (seconds < 48 * 3600) return absl::StrCat(seconds / 3600, "h");
  return absl::StrCat(seconds / 86400, "d");
}

std::string StateText(const Json& job) {
  std::string state = TextOf(job, "state");
  const Json& tasks = MemberOf(job, "tasks");
  const int64_t up = NumberOf(tasks, "running") + NumberOf(tasks, "finished");
  if (state != "RUNNING" || up == NumberOf(tasks, "total")) return state;
  return absl::StrCat(state, " ", up, "/", NumberOf(tasks, "total"));
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
  const Json& last = MemberOf(checkpoints, "last");
  progress.completed = CheckpointId{NumberOf(last, "id")};
  progress.checkpoint_duration = absl::Milliseconds(RealOf(last, "duration_ms"));
  progress.checkpoints_completed = static_cast<uint64_t>(NumberOf(checkpoints, "completed"));
  progress.checkpoints_failed = static_cast<uint64_t>(NumberOf(checkpoints, "failed"));
  return progress;
}

std::string JobListText(const Json& jobs) {
  TextTable table(
      {"NAME", "ID", "STATE", "PAR", "SUBMITTED", "RESTARTS", "LAST CKPT", "READ", "WRITTEN"});
  for (const Json& job : jobs) {
    const Json& rows = MemberOf(job, "rows");
    const Json& last = MemberOf(MemberOf(job, "checkpoints"), "last");
    table.Add({TextOf(job, "name"), TextOf(job, "id").substr(0, kShortIdDigits), StateText(job),
               absl::StrCat(NumberOf(job, "parallelism")),
               absl::StrCat(AgeOf(MemberOf(job, "submitted_at")), " ago"),
               absl::StrCat(NumberOf(job, "restarts")), AgoOf(MemberOf(last, "completed_at")),
               CountText(rows, "read"), CountText(rows, "written")});
  }
  return table.Render();
}

std::string JobDetailText(const Json& answer) {
  const Json& job = MemberOf(answer, "job");
  std::string text = absl::StrCat("job          ", TextOf(job, "name"), "\nid           ",
                                  TextOf(job, "id"), "\nstate        ", StateText(job), "\n");
  const std::string description = TextOf(answer, "description");
  if (!description.empty()) {
    absl::StrAppend(
        &text, "             ",
        absl::StrReplaceAll(absl::StripAsciiWhitespace(description), {{"\n", "\n             "}}),
        "\n");
  }
  const std::string waits_for = TextOf(job, "waits_for");
  if (!waits_for.empty()) absl::StrAppend(&text, "             ", waits_for, "\n");
  absl::StrAppend(&text, "submitted    ", TextOf(job, "submitted_at"), "\nrestarts     ",
                  NumberOf(job, "restarts"), "\ncheckpoints  ",
                  CheckpointsText(MemberOf(job, "checkpoints")), "\n");
  const std::string failures = FailuresText(MemberOf(answer, "failures"));
  // Of a job that ended under an earlier jobmanager only the cause is kept.
  const std::string cause = TextOf(job, "cause");
  if (!failures.empty()) {
    absl::StrAppend(&text, "\n", failures);
  } else if (!cause.empty()) {
    absl::StrAppend(&text, "cause        ", cause, "\n");
  }
  if (MemberOf(MemberOf(job, "rows"), "read").is_null()) {
    absl::StrAppend(&text,
                    "\nit ended under an earlier jobmanager: its steps and rows are not kept\n");
    return text;
  }
  absl::StrAppend(&text, "\n", StepsText(MemberOf(answer, "steps")), "\n",
                  SubtasksText(MemberOf(answer, "subtasks")));
  return text;
}

std::string CauseOf(const Json& answer) {
  std::string cause = TextOf(MemberOf(answer, "job"), "cause");
  const Json& failures = MemberOf(answer, "failures");
  if (!cause.empty() || !failures.is_array() || failures.empty()) return cause;
  return TextOf(failures.front(), "message");
}

JobNews::News JobNews::See(const Json& answer) {
  const Json& job = MemberOf(answer, "job");
  News news;
  const std::string waits_for = TextOf(job, "waits_for");
  if (waits_for != waits_for_) news.waits_for = waits_for;
  waits_for_ = waits_for;
  const int64_t restarts = NumberOf(job, "restarts");
  const bool is_told = has_seen_ || TextOf(job, "state") == "RESTARTING";
  if (restarts > restarts_ && is_told) {
    news.restarted = CauseOf(answer);
    if (news.restarted.empty()) news.restarted = "its cause is not known any more";
  }
  restarts_ = restarts;
  has_seen_ = true;
  return news;
}

}  // namespace weir::cli
