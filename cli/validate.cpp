// weir validate FILE...: everything that is wrong with descriptors, without running them.
#include <memory>
#include <string>
#include <vector>

#include <CLI/CLI.hpp>
#include <absl/strings/str_cat.h>

#include "cli/command_tree.h"
#include "cli/plan_file.h"
#include "cli/verbs.h"

namespace weir::cli {
namespace {

struct ValidateOptions {
  std::vector<std::string> files;
  bool denies_warnings = false;
};

// "2 warnings", "1 warning", "" for none.
std::string WarningCount(size_t count) {
  if (count == 0) return "";
  return absl::StrCat(count, count == 1 ? " warning" : " warnings");
}

std::string FileJson(const std::string& file, const config::Diagnostics& diagnostics) {
  std::string json = "{\"file\":";
  config::AppendJsonString(file, &json);
  return absl::StrCat(json, ",\"valid\":true,\"diagnostics\":", config::RenderJson(diagnostics),
                      "}");
}

// Adds the file's part of the result to `items`.
ExitCode ValidateFile(const std::string& file, const ValidateOptions& options, Console& console,
                      std::vector<std::string>* items) {
  const absl::StatusOr<graph::PlanResult> result =
      PlanFile(file, absl::nullopt, absl::nullopt, PathCheck::kWarn);
  if (!result.ok()) return console.Fail(result.status());
  const config::Diagnostics& diagnostics = result->diagnostics;
  const ExitCode code = console.Report(diagnostics);
  if (code != ExitCode::kOk) return code;
  const std::string warnings = WarningCount(diagnostics.warning_count());
  if (options.denies_warnings && !warnings.empty()) {
    return console.Fail(absl::InvalidArgumentError(
        absl::StrCat(file, " has ", warnings, ", and --deny-warnings is given")));
  }
  items->push_back(FileJson(file, diagnostics));
  console.Note(absl::StrCat(file, ": valid", warnings.empty() ? "" : ", ", warnings));
  return ExitCode::kOk;
}

ExitCode Validate(const ValidateOptions& options, Console& console) {
  ExitCode worst = ExitCode::kOk;
  std::vector<std::string> items;
  for (const std::string& file : options.files) {
    const ExitCode code = ValidateFile(file, options, console, &items);
    if (code != ExitCode::kOk && worst != ExitCode::kInvalidInput) worst = code;
  }
  if (worst != ExitCode::kOk || !console.IsJson()) return worst;
  std::string list;
  for (const std::string& item : items) absl::StrAppend(&list, list.empty() ? "" : ",", item);
  console.OutJson("Validation", absl::StrCat("\"items\":[", list, "]"));
  return worst;
}

}  // namespace

void AddValidate(CommandTree& tree) {
  auto options = std::make_shared<ValidateOptions>();
  CLI::App& app = tree.AddVerb({"validate"}, "Checks descriptors without running them.",
                               [options](Console& console) { return Validate(*options, console); });
  app.add_option("FILE", options->files, "Descriptors.")->required()->type_name("");
  app.add_flag("--deny-warnings", options->denies_warnings, "Warnings count as errors.");
}

}  // namespace weir::cli
