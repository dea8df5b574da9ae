// weir list, describe, cancel, checkpoints, logs and taskmanagers: what a cluster has and does.
#include <memory>
#include <string>
#include <unistd.h>

#include <CLI/App.hpp>
#include <CLI/Config.hpp>
#include <CLI/Formatter.hpp>
#include <absl/strings/str_cat.h>
#include <absl/strings/str_format.h>

#include "cli/cluster_client.h"
#include "cli/command_tree.h"
#include "cli/job_text.h"
#include "cli/job_wait.h"
#include "cli/text_table.h"
#include "cli/verbs.h"
#include "common/base/clock.h"

namespace weir::cli {
namespace {

struct JobVerbOptions {
  ClusterFlags cluster;
  std::string job;
  bool all = false;
  bool yes = false;
  bool trigger = false;
  bool jobmanager_log = false;
  std::string taskmanager;
  int64_t lines = 1000;
};

using Options = std::shared_ptr<JobVerbOptions>;
using WithClient = ExitCode (*)(const JobVerbOptions& options, ClusterClient& client,
                                Console& console);

struct ClientVerb {
  CLI::App& app;
  Options options;
};

// A verb that starts with a client. Its options are its own: the environment of a flag is read for
// every verb, also for those that are not called, and would replace what was given to another's.
ClientVerb AddClientVerb(CommandTree& tree, const std::string& word, const std::string& description,
                         WithClient action) {
  const auto options = std::make_shared<JobVerbOptions>();
  CLI::App& app = tree.AddVerb({word}, description, [options, action](Console& console) {
    absl::StatusOr<std::unique_ptr<ClusterClient>> client =
        ClusterClient::Connect(options->cluster);
    if (!client.ok()) return console.FailUsage(std::string(client.status().message()));
    return action(*options, **client, console);
  });
  AddClusterFlags(app, options->cluster);
  return {app, options};
}

void AddJobArgument(const ClientVerb& verb, bool is_required) {
  verb.app
      .add_option("JOB", verb.options->job,
                  "A job's name, its id, or the first 4 or more digits of it.")
      ->required(is_required)
      ->type_name("");
}

ExitCode List(const JobVerbOptions& options, ClusterClient& client, Console& console) {
  const absl::StatusOr<Json> answer =
      client.Get(options.all ? "/v1/jobs?all=true" : "/v1/jobs", "jobs");
  if (!answer.ok()) return console.Fail(answer.status());
  const Json& jobs = MemberOf(*answer, "jobs");
  if (console.IsJson()) {
    console.OutJson("JobList", JsonMembers(Json{{"items", jobs}}));
    return ExitCode::kOk;
  }
  console.Out(JobListText(jobs));
  if (jobs.empty()) {
    console.Note(options.all ? "there is no job" : "no job runs; `weir list -a` shows ended ones");
  }
  return ExitCode::kOk;
}

ExitCode Describe(const JobVerbOptions& options, ClusterClient& client, Console& console) {
  const absl::StatusOr<Json> answer = client.Get(JobTarget(options.job), "job");
  if (!answer.ok()) return console.Fail(answer.status());
  if (console.IsJson()) {
    console.OutJson("Job", JsonMembers(*answer));
    return ExitCode::kOk;
  }
  console.Out(JobDetailText(*answer));
  return ExitCode::kOk;
}

// Whether the person at the terminal agrees.
bool Confirms(const std::string& question) {
  if (isatty(STDIN_FILENO) != 1) return false;
  std::fprintf(stderr, "%s [y/N] ", question.c_str());
  const int answer = std::getchar();
  return answer == 'y' || answer == 'Y';
}

ExitCode Cancel(const JobVerbOptions& options, ClusterClient& client, Console& console) {
  const absl::StatusOr<Json> found = client.Get(JobTarget(options.job), "job");
  if (!found.ok()) return console.Fail(found.status());
  const Json& job = MemberOf(*found, "job");
  const std::string id = TextOf(job, "id");
  const Json& last = MemberOf(MemberOf(job, "checkpoints"), "last");
  const std::string checkpoint = last.is_null()
                                     ? "it has no checkpoint"
                                     : absl::StrCat("its newest checkpoint is ",
                                                    AgeOf(MemberOf(last, "completed_at")), " old");
  if (!options.yes && !IsEndedState(TextOf(job, "state")) &&
      !Confirms(absl::StrCat("cancel job '", TextOf(job, "name"), "'? ", checkpoint))) {
    return console.FailUsage(
        absl::StrCat("job '", TextOf(job, "name"), "' is not cancelled; to do it, add --yes"));
  }
  const absl::StatusOr<Json> cancelled =
      client.Post(JobTarget(id) + "/cancel", Json::object(), "job");
  if (!cancelled.ok()) return console.Fail(cancelled.status());
  const absl::StatusOr<WaitOutcome> outcome = WaitForJob(client, id, WaitFor::kEnded, console);
  if (!outcome.ok()) return console.Fail(outcome.status());
  if (outcome->signal != 0) return ExitCode::kInterrupted;
  const ExitCode concluded = ConcludeJob(outcome->job, console);
  return TextOf(outcome->job, "state") == "CANCELED" ? ExitCode::kOk : concluded;
}

ExitCode Trigger(const JobVerbOptions& options, ClusterClient& client, Console& console) {
  const absl::StatusOr<Json> answer =
      client.Post(JobTarget(options.job) + "/checkpoints", Json::object(), "checkpoint");
  if (!answer.ok()) return console.Fail(answer.status());
  if (console.IsJson()) {
    console.OutJson("Checkpoint", JsonMembers(*answer));
  } else {
    console.Out(absl::StrCat(NumberOf(MemberOf(*answer, "checkpoint"), "id"), "\n"));
  }
  return ExitCode::kOk;
}

ExitCode Checkpoints(const JobVerbOptions& options, ClusterClient& client, Console& console) {
  if (options.trigger) return Trigger(options, client, console);
  const absl::StatusOr<Json> answer =
      client.Get(JobTarget(options.job) + "/checkpoints", "checkpoints");
  if (!answer.ok()) return console.Fail(answer.status());
  const Json& checkpoints = MemberOf(*answer, "checkpoints");
  if (console.IsJson()) {
    console.OutJson("CheckpointList", JsonMembers(Json{{"items", checkpoints}}));
    return ExitCode::kOk;
  }
  TextTable table({"ID", "STATUS", "TRIGGERED", "DURATION", "STATE", "ACKS", "CAUSE"});
  for (const Json& one : checkpoints) {
    const Json& duration = MemberOf(one, "duration_ms");
    table.Add({absl::StrCat(NumberOf(one, "id")), TextOf(one, "status"),
               TextOf(one, "triggered_at"),
               absl::StrFormat("%.1f ms", duration.is_number() ? duration.get<double>() : 0.0),
               absl::StrCat(NumberOf(one, "state_bytes"), " B"),
               absl::StrCat(NumberOf(one, "acknowledged"), "/", NumberOf(one, "required")),
               TextOf(one, "cause")});
  }
  console.Out(table.Render());
  return ExitCode::kOk;
}

ExitCode Logs(const JobVerbOptions& options, ClusterClient& client, Console& console) {
  const int chosen = (options.job.empty() ? 0 : 1) + (options.taskmanager.empty() ? 0 : 1) +
                     (options.jobmanager_log ? 1 : 0);
  if (chosen != 1) {
    return console.FailUsage("name one of JOB, --of-jobmanager and --of-taskmanager ID");
  }
  std::string target = absl::StrCat("/v1/logs?lines=", options.lines);
  if (!options.job.empty()) absl::StrAppend(&target, "&job=", rpc::PercentEncode(options.job));
  if (!options.taskmanager.empty()) {
    absl::StrAppend(&target, "&taskmanager=", rpc::PercentEncode(options.taskmanager));
  }
  const absl::StatusOr<Json> answer = client.Get(target, "lines");
  if (!answer.ok()) return console.Fail(answer.status());
  if (console.IsJson()) {
    console.OutJson("LogList", JsonMembers(Json{{"items", MemberOf(*answer, "lines")}}));
    return ExitCode::kOk;
  }
  const Json& lines = MemberOf(*answer, "lines");
  if (lines.empty()) console.Note("no line; daemons keep their newest lines while they run");
  for (const Json& line : lines) {
    console.Out(absl::StrCat(TextOf(line, "at"), " ", TextOf(line, "level"), " ",
                             TextOf(line, "text"), "\n"));
  }
  return ExitCode::kOk;
}

ExitCode TaskManagers(const JobVerbOptions&, ClusterClient& client, Console& console) {
  const absl::StatusOr<Json> answer = client.Get("/v1/cluster", "taskmanagers");
  if (!answer.ok()) return console.Fail(answer.status());
  const Json& taskmanagers = MemberOf(*answer, "taskmanagers");
  if (console.IsJson()) {
    console.OutJson("TaskManagerList", JsonMembers(Json{{"items", taskmanagers}}));
    return ExitCode::kOk;
  }
  TextTable table({"ID", "HOST", "PID", "SLOTS", "FREE", "MEMORY", "HEARD", "DATA"});
  for (const Json& one : taskmanagers) {
    table.Add({TextOf(one, "id").substr(0, kShortIdDigits), TextOf(one, "host"),
               absl::StrCat(NumberOf(one, "pid")), absl::StrCat(NumberOf(one, "slots")),
               absl::StrCat(NumberOf(one, "slots_free")),
               absl::StrFormat("%.1f MiB",
                               static_cast<double>(NumberOf(one, "resident_bytes")) / (1 << 20)),
               absl::StrCat(AgeOf(MemberOf(one, "heard_at")), " ago"),
               TextOf(one, "data_address")});
  }
  console.Out(table.Render());
  if (taskmanagers.empty()) console.Note("no taskmanager is registered; start weir-taskmanager");
  return ExitCode::kOk;
}

}  // namespace

void AddJobVerbs(CommandTree& tree) {
  const ClientVerb list = AddClientVerb(tree, "list", "Lists the jobs of a cluster.", List);
  list.app.add_flag("-a,--all", list.options->all, "Ended jobs too.");

  const ClientVerb describe = AddClientVerb(
      tree, "describe", "Shows a job: its steps, tasks, checkpoints and failures.", Describe);
  AddJobArgument(describe, /*is_required=*/true);

  const ClientVerb cancel = AddClientVerb(tree, "cancel", "Ends a job for good.", Cancel);
  AddJobArgument(cancel, /*is_required=*/true);
  cancel.app.add_flag("-y,--yes", cancel.options->yes, "Does not ask.");

  const ClientVerb checkpoints = AddClientVerb(
      tree, "checkpoints", "Shows a job's last checkpoints, or takes one.", Checkpoints);
  AddJobArgument(checkpoints, /*is_required=*/true);
  checkpoints.app.add_flag("--trigger", checkpoints.options->trigger,
                           "Takes a checkpoint now and prints its id once it is complete.");

  const ClientVerb logs = AddClientVerb(tree, "logs", "Shows the last log lines.", Logs);
  AddJobArgument(logs, /*is_required=*/false);
  logs.app.add_flag("--of-jobmanager", logs.options->jobmanager_log, "Those of the jobmanager.");
  logs.app.add_option("--of-taskmanager", logs.options->taskmanager, "Those of one taskmanager.")
      ->type_name("ID");
  logs.app.add_option("--lines", logs.options->lines, "At most so many.")
      ->type_name("N")
      ->check(CLI::Range(int64_t{1}, int64_t{10'000}));

  AddClientVerb(tree, "taskmanagers", "Lists the taskmanagers of a cluster.", TaskManagers);
}

}  // namespace weir::cli
