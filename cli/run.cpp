// weir run FILE: submits a job to a cluster.
#include <memory>
#include <string>
#include <variant>

#include <CLI/App.hpp>
#include <CLI/Config.hpp>
#include <CLI/Formatter.hpp>
#include <absl/strings/str_cat.h>

#include "cli/cluster_client.h"
#include "cli/command_tree.h"
#include "cli/job_wait.h"
#include "cli/plan_source.h"
#include "cli/verbs.h"
#include "common/base/id_source.h"
#include "common/base/random.h"
#include "common/fs/path.h"
#include "common/graph/parallelism_range.h"
#include "common/graph/plan.h"

namespace weir::cli {
namespace {

// How often a submission is sent anew when its answer was lost, and how long apart.
constexpr int kSubmitAttemptsMax = 5;
constexpr absl::Duration kSubmitPause = absl::Milliseconds(500);

struct RunOptions {
  ClusterFlags cluster;
  std::string file;
  int64_t parallelism = 0;  // 0: as the descriptor says
  bool detach = false;
  std::string wait = "running";
  std::string request_id;
};

Json SubmissionOf(const graph::JobSource& source, const std::string& request_id) {
  Json body = {{"descriptor", source.text},
               {"file_name", source.file_name},
               {"variables", source.variables},
               {"request_id", request_id}};
  if (source.parallelism.has_value()) body["parallelism"] = *source.parallelism;
  return body;
}

// Sends until there is an answer: the request id makes a repeated submission the same one.
absl::StatusOr<Json> Submit(ClusterClient& client, const Json& body) {
  absl::StatusOr<Json> answer = client.Post("/v1/jobs", body, "job");
  for (int i = 1; i < kSubmitAttemptsMax && absl::IsUnavailable(answer.status()); ++i) {
    if (client.Pause(kSubmitPause) != 0) break;
    answer = client.Post("/v1/jobs", body, "job");
  }
  return answer;
}

// What the jobmanager found that this command did not: another version, or its own environment.
ExitCode SayRefused(const Json& answer, Console& console) {
  std::string message = TextOf(MemberOf(answer, "error"), "message");
  for (const Json& diagnostic : MemberOf(answer, "diagnostics")) {
    absl::StrAppend(&message, "\n  ", TextOf(diagnostic, "file"), ":", NumberOf(diagnostic, "line"),
                    ":", NumberOf(diagnostic, "column"), ": ", TextOf(diagnostic, "message"), " [",
                    TextOf(diagnostic, "code"), "]");
  }
  return console.Fail(
      absl::InvalidArgumentError(absl::StrCat("the jobmanager refuses the job: ", message)));
}

// Empty: it names no file.
std::string PathOf(const graph::StepSpec& spec) {
  if (const auto* source = std::get_if<graph::SourceSpec>(&spec)) {
    const auto* file = std::get_if<graph::FileSourceOptions>(&source->connector);
    return file == nullptr ? "" : file->path;
  }
  const auto* sink = std::get_if<graph::SinkSpec>(&spec);
  if (sink == nullptr) return "";
  const auto* file = std::get_if<graph::FileSinkOptions>(&sink->connector);
  return file == nullptr ? "" : file->path;
}

// Such a path means what it says here to a local run alone.
void WarnOfRelativePaths(const graph::Plan& plan, Console& console) {
  for (const graph::PlanNode& node : plan.nodes) {
    const std::string path = PathOf(node.spec);
    if (path.empty() || fs::IsAbsolutePath(path)) continue;
    console.Note(absl::StrCat("weir: warning: the path of '", node.step_id, "', ", path,
                              ", is relative: on a cluster each taskmanager takes it from the "
                              "directory it was started in; write an absolute one"));
  }
}

ExitCode Run(const RunOptions& options, Console& console) {
  const absl::optional<int64_t> parallelism =
      options.parallelism == 0 ? absl::nullopt : absl::make_optional(options.parallelism);
  const absl::StatusOr<PlannedSource> planned = PlanSource(options.file, parallelism);
  if (!planned.ok()) return console.Fail(planned.status());
  const ExitCode reported = console.Report(planned->result.diagnostics);
  if (reported != ExitCode::kOk) return reported;
  WarnOfRelativePaths(*planned->result.plan, console);

  absl::StatusOr<std::unique_ptr<ClusterClient>> client = ClusterClient::Connect(options.cluster);
  if (!client.ok()) return console.FailUsage(std::string(client.status().message()));
  const std::string request_id = options.request_id.empty()
                                     ? base::IdSource(base::EntropySeed()).Make<JobId>().ToString()
                                     : options.request_id;
  const absl::StatusOr<Json> answer = Submit(**client, SubmissionOf(planned->source, request_id));
  if (!answer.ok()) return console.Fail(answer.status());
  const std::string id = TextOf(MemberOf(*answer, "job"), "id");
  if (id.empty()) return SayRefused(*answer, console);
  if (options.detach) {
    if (console.IsJson()) {
      console.OutJson("JobSubmitted", JsonMembers(*answer));
    } else {
      console.Out(absl::StrCat(id, "\n"));
    }
    return ExitCode::kOk;
  }
  const WaitFor what = options.wait == "finished" ? WaitFor::kEnded : WaitFor::kRunning;
  const absl::StatusOr<WaitOutcome> outcome = WaitForJob(**client, id, what, console);
  if (!outcome.ok()) return console.Fail(outcome.status());
  if (outcome->signal != 0) {
    console.Note(absl::StrCat("the job goes on; see `weir describe ", id.substr(0, 8), "`"));
    return outcome->signal == SIGINT ? ExitCode::kInterrupted : ExitCode::kTerminated;
  }
  return ConcludeJob(outcome->job, console);
}

}  // namespace

void AddRun(CommandTree& tree) {
  auto options = std::make_shared<RunOptions>();
  CLI::App& app = tree.AddVerb({"run"}, "Submits a job to a cluster.",
                               [options](Console& console) { return Run(*options, console); });
  app.add_option("FILE", options->file, "The job's descriptor.")->required()->type_name("");
  app.add_option("--parallelism", options->parallelism, "In place of settings.parallelism.")
      ->type_name("N")
      ->check(CLI::Range(graph::kParallelismMin, graph::kParallelismMax));
  CLI::Option* const detach =
      app.add_flag("--detach", options->detach, "Prints the job's id and does not wait.");
  app.add_option("--wait", options->wait,
                 "What to wait for: running (every task runs) or finished (the job has ended).")
      ->excludes(detach)
      ->check(CLI::IsMember({"running", "finished"}).description(""))
      ->type_name("STATE");
  app.add_option("--request-id", options->request_id,
                 "Names this submission: the same one again gives the same job. Random if not set.")
      ->type_name("ID");
  AddClusterFlags(app, options->cluster);
}

}  // namespace weir::cli
