#include "cli/command_tree.h"

#include <algorithm>
#include <utility>

#include <CLI/CLI.hpp>
#include <absl/strings/match.h>
#include <absl/strings/str_cat.h>

#include "cli/usage_text.h"
#include "cli/verbs.h"
#include "common/base/check.h"
#include "common/config/names.h"
#include "common/daemon/logging.h"
#include "common/daemon/version.h"

namespace weir::cli {

namespace {

// Below the help of a verb: the shared options are listed once.
constexpr const char* kSharedOptions = "\nAlso: the options of `weir --help`.\n";

// Whether the command line asks for JSON, for errors found before or while it is parsed.
bool WantsJson(int argc, const char* const* argv) {
  for (int i = 1; i < argc; ++i) {
    const StringView word = argv[i];
    if (word == "-ojson" || word == "-o=json" || word == "--output=json") return true;
    const bool has_value = word == "-o" || word == "--output";
    if (has_value && i + 1 < argc && StringView(argv[i + 1]) == "json") return true;
  }
  return false;
}

daemon::LogLevel LogLevelOf(int verbosity) {
  if (verbosity <= 0) return daemon::LogLevel::kError;
  return verbosity == 1 ? daemon::LogLevel::kInfo : daemon::LogLevel::kDebug;
}

// The verb that the command line names; the root if it names none.
const CLI::App& ChosenCommand(const CLI::App& root) {
  const CLI::App* command = &root;
  while (!command->get_subcommands().empty()) command = command->get_subcommands().front();
  return *command;
}

CLI::App& AddCommand(CLI::App& parent, const std::string& word, const std::string& description) {
  CLI::App& command = *parent.add_subcommand(word, description);
  // The shared flags may follow the verb.
  command.fallthrough();
  command.require_subcommand(0, 1);
  return command;
}

}  // namespace

struct CommandTree::GlobalFlags {
  std::string output = "text";
  std::string colour = "auto";
  bool is_quiet = false;
  int verbosity = 0;

  ConsoleOptions Console() const {
    ConsoleOptions options;
    options.output = output == "json" ? OutputFormat::kJson : OutputFormat::kText;
    options.is_quiet = is_quiet;
    if (colour == "always") options.colour = ColourMode::kAlways;
    if (colour == "never") options.colour = ColourMode::kNever;
    return options;
  }
};

CommandTree::CommandTree()
    : flags_(std::make_unique<GlobalFlags>()),
      root_(std::make_unique<CLI::App>("Runs and manages exactly-once stream processing jobs.",
                                       "weir")) {
  AddGlobalFlags();
#define WEIR_ADD_VERB(function) function(*this);
  WEIR_VERBS(WEIR_ADD_VERB)
#undef WEIR_ADD_VERB
  auto words = std::make_shared<std::vector<std::string>>();
  CLI::App& help = AddVerb({"help"}, "Shows what a verb does.",
                           [this, words](Console& console) { return ShowHelp(*words, console); });
  help.add_option("VERB", *words, "Such as local run.")->type_name("");
}

CommandTree::~CommandTree() = default;

void CommandTree::AddGlobalFlags() {
  root_->set_version_flag("--version", absl::StrCat("weir ", daemon::Version()),
                          "Shows the version.");
  root_->set_help_flag("-h,--help", "Shows this help.");
  // What no verb knows is reported by FailUnknown, with a suggestion.
  root_->allow_extras();
  root_->require_subcommand(0, 1);
  root_->add_option("-o,--output", flags_->output, "Form of the output: text or json.")
      ->check(CLI::IsMember({"text", "json"}).description(""))
      ->type_name("FORMAT")
      ->envname("WEIR_OUTPUT");
  root_->add_option("--color", flags_->colour, "When to use colours: auto, always or never.")
      ->check(CLI::IsMember({"auto", "always", "never"}).description(""))
      ->type_name("WHEN")
      ->envname("WEIR_COLOR");
  root_->add_flag("-q,--quiet", flags_->is_quiet, "Shows only data and errors.");
  root_->add_flag("-v,--verbose", flags_->verbosity, "Logs to stderr; twice for more.");
}

void CommandTree::AddGroup(const std::string& word, const std::string& description) {
  AddCommand(*root_, word, description);
}

CLI::App& CommandTree::AddVerb(const std::vector<std::string>& words,
                               const std::string& description, VerbAction action) {
  WEIR_CHECK(!words.empty());
  CLI::App* parent = root_.get();
  for (size_t i = 0; i + 1 < words.size(); ++i) parent = parent->get_subcommand(words[i]);
  CLI::App& command = AddCommand(*parent, words.back(), description);
  const bool is_new = actions_.emplace(&command, std::move(action)).second;
  WEIR_CHECK(is_new);
  return command;
}

ExitCode CommandTree::Run(int argc, const char* const* argv, std::FILE* out, std::FILE* err) {
  ConsoleOptions before_parsing;
  if (WantsJson(argc, argv)) before_parsing.output = OutputFormat::kJson;
  try {
    root_->parse(argc, argv);
  } catch (const CLI::CallForVersion& version) {
    Console console(before_parsing, out, err);
    console.Out(absl::StrCat(version.what(), "\n"));
    return console.Finish(ExitCode::kOk);
  } catch (const CLI::Success&) {
    Console console(before_parsing, out, err);
    console.Out(root_->help());
    if (!root_->get_subcommands().empty()) console.Out(kSharedOptions);
    return console.Finish(ExitCode::kOk);
  } catch (const CLI::Error& error) {
    Console console(before_parsing, out, err);
    return console.FailUsage(UsageText(error, ChosenCommand(*root_)));
  }
  Console console(flags_->Console(), out, err);
  return console.Finish(RunVerb(console));
}

ExitCode CommandTree::ShowHelp(const std::vector<std::string>& words, Console& console) {
  const CLI::App* command = root_.get();
  std::string path;
  for (const std::string& word : words) {
    const std::vector<std::string> known = WordsOf(*command);
    if (std::find(known.begin(), known.end(), word) == known.end()) {
      return FailUnknown(word, *command, console);
    }
    absl::StrAppend(&path, path.empty() ? "" : " ", command->get_name());
    command = command->get_subcommand(word);
  }
  // `help` itself has been chosen: it would be shown instead of the root's.
  console.Out(command->get_formatter()->make_help(
      command, absl::StrCat(path, path.empty() ? "" : " ", command->get_name()),
      CLI::AppFormatMode::Normal));
  if (!words.empty()) console.Out(kSharedOptions);
  return ExitCode::kOk;
}

ExitCode CommandTree::RunVerb(Console& console) {
  const CLI::App& command = ChosenCommand(*root_);
  const std::vector<std::string> unknown = root_->remaining(/*recurse=*/true);
  if (!unknown.empty()) return FailUnknown(unknown.front(), command, console);
  const auto action = actions_.find(&command);
  if (action == actions_.end()) {
    const std::vector<std::string> words = WordsOf(command);
    return console.FailUsage(absl::StrCat(
        "`", FullName(command), "` needs one of: ", config::JoinNames(words, words.size())));
  }
  daemon::StartLogging("weir", LogLevelOf(flags_->verbosity));
  return action->second(console);
}

ExitCode CommandTree::FailUnknown(const std::string& word, const CLI::App& command,
                                  Console& console) {
  if (absl::StartsWith(word, "-")) return console.FailUsage(UnknownFlagText(word, command));
  const bool is_verb = actions_.find(&command) == actions_.end();
  return console.FailUsage(is_verb ? UnknownVerbText(word, command)
                                   : UnexpectedWordText(word, command));
}

}  // namespace weir::cli
