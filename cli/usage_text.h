// What a slip in the command line is answered with: a verb, flag or value that does not fit.
#pragma once

#include <string>
#include <vector>

#include "common/base/string_view.h"

namespace CLI {  // NOLINT(readability-identifier-naming): CLI11's own
class App;
class Error;
}  // namespace CLI

namespace weir::cli {

// The verbs below `command`.
std::vector<std::string> WordsOf(const CLI::App& command);

// "weir local run", for "see `weir local run --help`".
std::string FullName(const CLI::App& command);

// What CLI11 refuses, in words that do not need its documentation.
std::string UsageText(const CLI::Error& error, const CLI::App& command);

// For `word` on the command line of `command`, which knows no such flag, or not in that place.
std::string UnknownFlagText(const std::string& word, const CLI::App& command);

// For `word` where a verb below `command` is expected.
std::string UnknownVerbText(const std::string& word, const CLI::App& command);

// For a `word` more than the verb `command` takes.
std::string UnexpectedWordText(const std::string& word, const CLI::App& command);

}  // namespace weir::cli
