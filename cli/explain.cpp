// weir explain FILE: the plan of a descriptor.
#include "common/graph/explain.h"

#include <memory>
#include <string>

#include <CLI/CLI.hpp>

#include "cli/command_tree.h"
#include "cli/plan_file.h"
#include "cli/verbs.h"
#include "common/graph/parallelism_range.h"

namespace weir::cli {
namespace {

struct ExplainOptions {
  std::string file;
  int64_t parallelism = 0;  // 0: as the descriptor says
  bool is_physical = false;
};

ExitCode Explain(const ExplainOptions& options, Console& console) {
  absl::optional<int64_t> parallelism;
  if (options.parallelism > 0) parallelism = options.parallelism;
  const absl::StatusOr<graph::PlanResult> result =
      PlanFile(options.file, parallelism, absl::nullopt, PathCheck::kWarn);
  if (!result.ok()) return console.Fail(result.status());
  const ExitCode code = console.Report(result->diagnostics);
  if (code != ExitCode::kOk) return code;
  if (console.IsJson()) {
    console.OutJson("Plan", graph::ExplainJson(*result->plan));
  } else {
    console.Out(graph::ExplainText(*result->plan, options.is_physical
                                                      ? graph::ExplainView::kPhysical
                                                      : graph::ExplainView::kOperators));
  }
  return ExitCode::kOk;
}

}  // namespace

void AddExplain(CommandTree& tree) {
  auto options = std::make_shared<ExplainOptions>();
  CLI::App& app = tree.AddVerb({"explain"}, "Shows the plan of a descriptor.",
                               [options](Console& console) { return Explain(*options, console); });
  app.add_option("FILE", options->file, "The descriptor.")->required()->type_name("");
  app.add_option("--parallelism", options->parallelism, "In place of settings.parallelism.")
      ->check(CLI::Range(graph::kParallelismMin, graph::kParallelismMax).description(""))
      ->type_name("N");
  app.add_flag("--physical", options->is_physical,
               "Also what runs in one task, and the edges between tasks.");
}

}  // namespace weir::cli
