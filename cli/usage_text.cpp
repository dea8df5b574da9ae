#include "cli/usage_text.h"

#include <algorithm>
#include <utility>

#include <CLI/CLI.hpp>
#include <absl/strings/match.h>
#include <absl/strings/str_cat.h>
#include <absl/strings/str_split.h>
#include <absl/strings/strip.h>

#include "common/config/names.h"

namespace weir::cli {

namespace {

// What other stream processors and job tools call a verb.
constexpr config::ForeignName kForeignVerbs[] = {
    {"jobs", "list"},   {"ps", "list"},       {"submit", "run"},      {"stop", "cancel"},
    {"kill", "cancel"}, {"info", "describe"}, {"status", "describe"}, {"savepoint", "checkpoints"},
};

std::string SeeHelp(const CLI::App& command) {
  return absl::StrCat("see `", FullName(command), " --help`");
}

// The command's own flags and the shared ones.
std::vector<std::string> FlagsOf(const CLI::App& command) {
  std::vector<std::string> flags;
  for (const CLI::App* app = &command; app != nullptr; app = app->get_parent()) {
    for (const CLI::Option* option : app->get_options()) {
      if (!option->nonpositional()) continue;
      flags.push_back(absl::StrCat("--", option->get_single_name()));
    }
  }
  return flags;
}

// The flag that `command` or a command around it knows by `name`; null: none.
const CLI::Option* FindFlag(const std::string& name, const CLI::App& command) {
  for (const CLI::App* app = &command; app != nullptr; app = app->get_parent()) {
    const CLI::Option* const option = app->get_option_no_throw(name);
    if (option != nullptr && option->nonpositional()) return option;
  }
  return nullptr;
}

bool TakesValue(const CLI::Option& option) {
  return option.get_items_expected_max() > 0;
}

// `command` or the first verb below it that knows the flag; null: none does.
const CLI::App* FirstWithFlag(const std::string& name, const CLI::App& command) {
  if (FindFlag(name, command) != nullptr) return &command;
  for (const CLI::App* verb : command.get_subcommands([](const CLI::App*) { return true; })) {
    const CLI::App* const found = FirstWithFlag(name, *verb);
    if (found != nullptr) return found;
  }
  return nullptr;
}

// "did you mean 'list'?", or "".
std::string NearestVerb(const std::string& word, const CLI::App& command) {
  // They are verbs of `weir` itself, not of a group such as `weir local`.
  std::string ours =
      command.get_parent() == nullptr ? config::DidYouMeanOurs(word, kForeignVerbs) : "";
  return ours.empty() ? config::DidYouMean(word, WordsOf(command)) : ours;
}

// "Could not convert: --all = x", as CLI11 has it.
std::string ConversionText(StringView text, const CLI::App& command) {
  if (!absl::ConsumePrefix(&text, "Could not convert: ")) return std::string(text);
  const std::pair<std::string, std::string> parts = absl::StrSplit(text, absl::MaxSplits(" = ", 1));
  const CLI::Option* const flag = FindFlag(parts.first, command);
  if (flag != nullptr && !TakesValue(*flag)) {
    return absl::StrCat(parts.first, " takes no value, found '", parts.second, "'");
  }
  return absl::StrCat("'", parts.second, "' is no value for ", parts.first);
}

}  // namespace

std::vector<std::string> WordsOf(const CLI::App& command) {
  std::vector<std::string> words;
  for (const CLI::App* verb : command.get_subcommands([](const CLI::App*) { return true; })) {
    words.push_back(verb->get_name());
  }
  return words;
}

std::string FullName(const CLI::App& command) {
  if (command.get_parent() == nullptr) return command.get_name();
  return absl::StrCat(FullName(*command.get_parent()), " ", command.get_name());
}

std::string UsageText(const CLI::Error& error, const CLI::App& command) {
  std::string text = error.what();
  if (error.get_name() == "ConversionError") text = ConversionText(text, command);
  if (error.get_name() == "ExcludesError") {
    const std::pair<std::string, std::string> flags =
        absl::StrSplit(text, absl::MaxSplits(" excludes ", 1));
    text = absl::StrCat(flags.first, " and ", flags.second, " exclude each other");
  }
  return absl::StrCat(text, "; ", SeeHelp(command));
}

std::string UnknownFlagText(const std::string& word, const CLI::App& command) {
  const std::string flag = word.substr(0, word.find('='));
  if (const CLI::App* const verb = FirstWithFlag(flag, command); verb != nullptr) {
    const char* const place = verb == &command ? "the verb: " : "a verb, such as: ";
    return absl::StrCat("'", flag, "' belongs behind ", place, FullName(*verb), " ", flag,
                        TakesValue(*FindFlag(flag, *verb)) ? " ..." : "");
  }
  const std::string suggestion = config::DidYouMean(flag, FlagsOf(command));
  return absl::StrCat("unknown flag '", word, "'; ",
                      suggestion.empty() ? SeeHelp(command) : suggestion);
}

std::string UnknownVerbText(const std::string& word, const CLI::App& command) {
  const std::string suggestion = NearestVerb(word, command);
  return absl::StrCat("unknown verb '", word, "'; ",
                      suggestion.empty() ? SeeHelp(command) : suggestion);
}

std::string UnexpectedWordText(const std::string& word, const CLI::App& command) {
  return absl::StrCat("unexpected argument '", word, "'; ", SeeHelp(command));
}

}  // namespace weir::cli
