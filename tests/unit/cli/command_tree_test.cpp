// What must hold: each verb is found with the shared flags on either side of it, and a slip in the
// command line ends with code 2 and a suggestion.
#include "cli/command_tree.h"

#include <string>
#include <utility>
#include <vector>

#include <catch2/catch.hpp>

#include "tests/unit/cli/captured_streams.h"

namespace weir::cli {

namespace {

struct Outcome {
  ExitCode code;
  std::string out;
  std::string err;
};

Outcome RunTree(CommandTree& tree, std::vector<const char*> words) {
  words.insert(words.begin(), "weir");
  CapturedStream out;
  CapturedStream err;
  const ExitCode code =
      tree.Run(static_cast<int>(words.size()), words.data(), out.get(), err.get());
  return {code, out.text(), err.text()};
}

// A tree that has one more verb, `pond fill`.
Outcome Run(const std::vector<const char*>& words) {
  CommandTree tree;
  tree.AddGroup("pond", "Works on the pond.");
  tree.AddVerb({"pond", "fill"}, "Fills the pond.", [](Console& console) {
    console.Out("filled\n");
    return ExitCode::kConflict;
  });
  return RunTree(tree, words);
}

}  // namespace

TEST_CASE("A verb of two words runs and gives its exit code", "[cli][unit]") {
  const Outcome outcome = Run({"pond", "fill"});
  CHECK(outcome.code == ExitCode::kConflict);
  CHECK(outcome.out == "filled\n");
  CHECK(outcome.err.empty());
}

TEST_CASE("The help of a group says what it is for, and lists its verbs", "[cli][unit]") {
  const Outcome outcome = Run({"pond", "--help"});
  CHECK(outcome.code == ExitCode::kOk);
  CHECK(outcome.out.find("Works on the pond.") == 0);
  CHECK(outcome.out.find("Fills the pond.") != std::string::npos);
  CHECK(Run({"local", "--help"}).out.find("Runs jobs in this process") == 0);
  CHECK(Run({"--help"}).out.find("Runs jobs in this process") != std::string::npos);
}

TEST_CASE("Shared flags stand before or behind the verb", "[cli][unit]") {
  for (const std::vector<const char*>& words : {std::vector<const char*>{"-o", "json", "version"},
                                                {"version", "-o", "json"},
                                                {"version", "--output=json"}}) {
    const Outcome outcome = Run(words);
    CHECK(outcome.code == ExitCode::kOk);
    CHECK(outcome.out.substr(0, 52) == R"({"api":"weir.cli/v1","kind":"Version","version":"0.1)");
  }
}

TEST_CASE("An unknown word is answered with a suggestion", "[cli][unit]") {
  CHECK(Run({"versoin"}).err == "weir: error: unknown verb 'versoin'; did you mean 'version'?\n");
  CHECK(Run({"pond", "fil"}).err == "weir: error: unknown verb 'fil'; did you mean 'fill'?\n");
  CHECK(Run({"version", "--outptu", "json"}).err ==
        "weir: error: unknown flag '--outptu'; did you mean '--output'?\n");
  CHECK(Run({"version", "x"}).err ==
        "weir: error: unexpected argument 'x'; see `weir version --help`\n");
  CHECK(Run({"pond"}).err == "weir: error: `weir pond` needs one of: fill\n");
  CHECK(Run({"versoin"}).code == ExitCode::kUsage);
}

TEST_CASE("A verb's flag in front of the verb is sent behind it", "[cli][unit]") {
  const std::string behind =
      "weir: error: '--jobmanager' belongs behind the verb: weir list --jobmanager ...\n";
  CHECK(Run({"--jobmanager", "http://h:1", "list"}).err == behind);
  CHECK(Run({"--jobmanager=http://h:1", "list"}).err == behind);
  CHECK(Run({"--jobmanager", "http://h:1", "list"}).code == ExitCode::kUsage);
  CHECK(Run({"-a", "list"}).err == "weir: error: '-a' belongs behind the verb: weir list -a\n");
  CHECK(Run({"local", "--state-dir", "d", "run", "f"}).err ==
        "weir: error: '--state-dir' belongs behind the verb: weir local run --state-dir ...\n");
  CHECK(Run({"--jobmanager", "http://h:1"}).err ==
        "weir: error: '--jobmanager' belongs behind a verb, such as: weir list --jobmanager ...\n");
}

TEST_CASE("Words of other stream processors lead to the verb", "[cli][unit]") {
  for (const auto& [theirs, ours] :
       std::vector<std::pair<const char*, std::string>>{{"jobs", "list"},
                                                        {"submit", "run"},
                                                        {"stop", "cancel"},
                                                        {"kill", "cancel"},
                                                        {"info", "describe"},
                                                        {"status", "describe"}}) {
    const std::string word = theirs;
    CHECK(Run({theirs}).err ==
          "weir: error: unknown verb '" + word + "'; did you mean '" + ours + "'?\n");
  }
  CHECK(Run({"pond", "jobs"}).err == "weir: error: unknown verb 'jobs'; see `weir pond --help`\n");
}

TEST_CASE("Flags that do not go together, or have no value, are refused in plain words",
          "[cli][unit]") {
  const Outcome both = Run({"run", "f", "--detach", "--wait", "finished"});
  CHECK(both.code == ExitCode::kUsage);
  CHECK(both.err == "weir: error: --detach and --wait exclude each other; see `weir run --help`\n");
  CHECK(Run({"list", "--all=x"}).err ==
        "weir: error: --all takes no value, found 'x'; see `weir list --help`\n");
  CHECK(Run({"list", "--quiet=x"}).err ==
        "weir: error: --quiet takes no value, found 'x'; see `weir list --help`\n");
}

TEST_CASE("A bad value of a shared flag is a usage error", "[cli][unit]") {
  const Outcome outcome = Run({"-o", "yaml", "version"});
  CHECK(outcome.code == ExitCode::kUsage);
  CHECK(outcome.out.empty());
  CHECK(outcome.err.find("yaml not in {text,json}") != std::string::npos);
}

TEST_CASE("A usage error is JSON where JSON is asked for", "[cli][unit]") {
  const Outcome outcome = Run({"versoin", "-o", "json"});
  CHECK(outcome.code == ExitCode::kUsage);
  CHECK(outcome.out.empty());
  CHECK(outcome.err == R"({"api":"weir.cli/v1","kind":"Error","code":"USAGE","message":)"
                       R"("unknown verb 'versoin'; did you mean 'version'?","details":null})"
                       "\n");
  CHECK(Run({"--color", "x", "-ojson"}).err.front() == '{');
}

TEST_CASE("Help goes to stdout and names the whole command", "[cli][unit]") {
  const Outcome outcome = Run({"pond", "fill", "--help"});
  CHECK(outcome.code == ExitCode::kOk);
  CHECK(outcome.out.find("Usage: weir pond fill") != std::string::npos);
  CHECK(Run({"--version"}).out.substr(0, 5) == "weir ");
}

TEST_CASE("Help is a verb, too, and the help of a verb points to the shared options",
          "[cli][unit]") {
  const std::string shared = "Also: the options of `weir --help`.\n";
  CHECK(Run({"help"}).out == Run({"--help"}).out);
  CHECK(Run({"help"}).out.find(shared) == std::string::npos);
  const std::string fill = Run({"pond", "fill", "--help"}).out;
  CHECK(Run({"help", "pond", "fill"}).out == fill);
  CHECK(fill.substr(fill.size() - shared.size()) == shared);
  const Outcome unknown = Run({"help", "pond", "fil"});
  CHECK(unknown.code == ExitCode::kUsage);
  CHECK(unknown.err == "weir: error: unknown verb 'fil'; did you mean 'fill'?\n");
}

TEST_CASE("The help of a local run says how it is stopped and what its exit codes mean",
          "[cli][unit]") {
  const std::string help = Run({"local", "run", "--help"}).out;
  CHECK(help.find("Ctrl-C") != std::string::npos);
  CHECK(help.find("Exit codes:") != std::string::npos);
  CHECK(help.find("143") != std::string::npos);
}

}  // namespace weir::cli
