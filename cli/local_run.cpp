// weir local run FILE: runs a job in this process; with --state-dir it survives the process.
#include <algorithm>
#include <memory>
#include <string>
#include <unistd.h>

#include <CLI/App.hpp>
#include <CLI/Config.hpp>
#include <CLI/Formatter.hpp>
#include <absl/strings/str_cat.h>
#include <absl/strings/str_format.h>

#include "cli/command_tree.h"
#include "cli/local_cluster.h"
#include "cli/plan_file.h"
#include "cli/progress_line.h"
#include "cli/verbs.h"
#include "common/graph/parallelism_range.h"

namespace weir::cli {
namespace {

struct LocalRunOptions {
  std::string file;
  std::string state_dir;
  int64_t parallelism = 0;  // 0: as the descriptor says
};

absl::optional<int64_t> ParallelismOf(const LocalRunOptions& options) {
  if (options.parallelism == 0) return absl::nullopt;
  return options.parallelism;
}

constexpr const char* kHelpFooter =
    R"(Ctrl-C (SIGINT) or SIGTERM stops the run. With --state-dir the job is suspended and keeps its
checkpoints: the same command goes on from the newest one. So it does after a crash, which a second
signal amounts to.

With `-o json` the last line of stdout is how the run ended. Of a job with a stdout sink it goes to
stderr: stdout is for the rows.

Exit codes:
  0  the job has finished          4  the descriptor is not there
  1  the job failed                5  state or output of another job or an earlier run is in the way
  2  a bad flag                    7  no permission to read the descriptor
  3  the descriptor has errors     130, 143  stopped by SIGINT, SIGTERM)";

// Without checkpoints a state directory only keeps the job from running twice.
constexpr const char* kNoCheckpointsWarning =
    "weir: warning: no checkpoint will be kept in --state-dir, because the descriptor has no "
    "settings.checkpointing.interval: a run that is stopped starts from the beginning; "
    "`settings: {checkpointing: {interval: 10s}}` keeps one every 10 seconds";

ExitCode SayFinishedBefore(const coordination::EndedJob& job, Console& console) {
  if (console.IsJson()) {
    console.OutJson("LocalRun", SummaryJson(job.name, "FINISHED", /*ran=*/false, LocalProgress{}));
  } else {
    console.Note(absl::StrCat(
        "job '", job.name, "' has finished at ", absl::FormatTime(job.ended_at),
        " and does not run again; to run it anew, use another --state-dir and output"));
  }
  return ExitCode::kOk;
}

// What starting a suspended job again does.
std::string HowToGoOn(const LocalRunOptions& options, const LocalProgress& progress) {
  const bool has_checkpoint =
      progress.completed != kNoCheckpoint || progress.restored != kNoCheckpoint;
  return absl::StrCat(has_checkpoint ? "to go on: " : "starts from the beginning: ",
                      "weir local run ", options.file, " --state-dir ", options.state_dir);
}

// Whether the standard output is for rows, which nothing may stand between or behind.
bool WritesRows(const graph::Plan& plan) {
  return std::any_of(plan.nodes.begin(), plan.nodes.end(), [](const graph::PlanNode& node) {
    const auto* sink = std::get_if<graph::SinkSpec>(&node.spec);
    return sink != nullptr && std::holds_alternative<graph::StdoutOptions>(sink->connector);
  });
}

// What the end of the run means to whoever started it.
ExitCode Conclude(const graph::Plan& plan, const LocalRunOptions& options,
                  const LocalOutcome& outcome, Console& console) {
  const job::JobState state = outcome.job.state;
  const bool is_fenced = state == job::JobState::kSuspended && !outcome.job.cause.ok();
  if (state == job::JobState::kFailed || is_fenced) {
    const absl::Status cause = outcome.job.cause;
    static_cast<void>(console.Fail(absl::Status(
        cause.code(), absl::StrCat("job '", plan.name, "' failed: ", cause.message()))));
    // Before it ran, a place or state that belongs to something else is a conflict.
    const bool is_in_the_way = absl::IsFailedPrecondition(cause) || absl::IsAlreadyExists(cause);
    return (is_in_the_way && !outcome.job.has_run) || is_fenced ? ExitCode::kConflict
                                                                : ExitCode::kFailed;
  }
  if (console.IsJson()) {
    const std::string members =
        SummaryJson(plan.name, std::string(job::ToString(state)), /*ran=*/true, outcome.progress);
    if (WritesRows(plan)) {
      console.ErrJson("LocalRun", members);
    } else {
      console.OutJson("LocalRun", members);
    }
  } else {
    console.Note(SummaryText(plan.name, std::string(job::ToString(state)), outcome.progress));
    if (state == job::JobState::kSuspended) console.Note(HowToGoOn(options, outcome.progress));
  }
  if (state == job::JobState::kFinished) return ExitCode::kOk;
  return outcome.signal == SIGINT ? ExitCode::kInterrupted : ExitCode::kTerminated;
}

ExitCode LocalRun(const LocalRunOptions& options, Console& console) {
  absl::StatusOr<graph::PlanResult> planned = PlanFile(options.file, ParallelismOf(options));
  if (!planned.ok()) return console.Fail(planned.status());
  if (planned->plan == nullptr) return console.Report(planned->diagnostics);

  absl::StatusOr<std::unique_ptr<LocalCluster>> cluster = LocalCluster::Open(options.state_dir);
  if (!cluster.ok()) return console.Fail(cluster.status());
  if (const auto& stored = (*cluster)->stored(); stored.has_value()) {
    // max_parallelism was fixed at the first start; where the descriptor leaves it open it stays.
    planned = PlanFile(options.file, ParallelismOf(options), stored->source.max_parallelism);
    if (!planned.ok()) return console.Fail(planned.status());
  }
  const ExitCode reported = console.Report(planned->diagnostics);
  if (reported != ExitCode::kOk) return reported;
  if (const auto& finished = (*cluster)->finished();
      finished.has_value() && finished->name == planned->plan->name) {
    return SayFinishedBefore(*finished, console);
  }

  if (!options.state_dir.empty() && !planned->plan->settings.checkpointing.interval.has_value()) {
    console.Note(kNoCheckpointsWarning);
  }
  const bool is_terminal = isatty(STDERR_FILENO) == 1;
  ProgressLine line(console, is_terminal);
  const absl::StatusOr<LocalOutcome> outcome = (*cluster)->Run(
      planned->plan,
      {.progress_interval = line.interval(),
       .progress = [&line](const LocalProgress& progress) { line.Show(progress); },
       .restarting = [&line](const absl::Status& cause) { line.Restarting(cause); }});
  line.End();
  if (!outcome.ok()) return console.Fail(outcome.status());
  return Conclude(*planned->plan, options, *outcome, console);
}

}  // namespace

void AddLocalRun(CommandTree& tree) {
  tree.AddGroup("local", "Runs jobs in this process, without a cluster.");
  auto options = std::make_shared<LocalRunOptions>();
  CLI::App& app = tree.AddVerb({"local", "run"}, "Runs a job in this process.",
                               [options](Console& console) { return LocalRun(*options, console); });
  app.footer(kHelpFooter);
  app.add_option("FILE", options->file, "The job's descriptor.")->required()->type_name("");
  app.add_option("--state-dir", options->state_dir,
                 "Keeps the job's checkpoints here: started again with the same directory, it goes "
                 "on where the newest one was.")
      ->type_name("DIR")
      ->check([](const std::string& path) {
        // An unset shell variable must not run a job that was meant to survive without its state.
        return std::string(path.empty() ? "--state-dir needs a directory, not an empty text" : "");
      });
  app.add_option("--parallelism", options->parallelism,
                 "In place of settings.parallelism; may differ from run to run.")
      ->type_name("N")
      ->check(CLI::Range(graph::kParallelismMin, graph::kParallelismMax));
}

}  // namespace weir::cli
