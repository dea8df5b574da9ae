// CommandTree: the verbs of `weir`, their flags, and the flags that all of them share.
// A new verb is one file that defines its Add function, and one line in verbs.h.
#pragma once

#include <cstdio>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "cli/console.h"
#include "cli/exit_code.h"

namespace CLI {  // NOLINT(readability-identifier-naming): CLI11's own
class App;
}  // namespace CLI

namespace weir::cli {

// What a verb does, once its flags are parsed.
using VerbAction = std::function<ExitCode(Console& console)>;

// Life:      one per process run.
// Thread:    confined to the main thread.
class CommandTree {
 public:
  // Has all verbs of verbs.h.
  CommandTree();
  ~CommandTree();

  // Adds `weir <word>`, which only groups the verbs below it.
  void AddGroup(const std::string& word, const std::string& description);

  // Adds `weir <words...>`: {"version"} or {"local", "run"}. The verb adds its flags to the
  // returned app; what they write to must live as long as the action, usually in a shared_ptr it
  // holds. REQUIRES: AddGroup() of all words but the last.
  CLI::App& AddVerb(const std::vector<std::string>& words, const std::string& description,
                    VerbAction action);

  // Parses the command line and runs the verb.
  ExitCode Run(int argc, const char* const* argv, std::FILE* out, std::FILE* err);

 private:
  struct GlobalFlags;

  void AddGlobalFlags();
  ExitCode RunVerb(Console& console);
  ExitCode ShowHelp(const std::vector<std::string>& words, Console& console);
  ExitCode FailUnknown(const std::string& word, const CLI::App& command, Console& console);

  std::unique_ptr<GlobalFlags> flags_;
  std::unique_ptr<CLI::App> root_;
  std::map<const CLI::App*, VerbAction> actions_;
};

}  // namespace weir::cli
