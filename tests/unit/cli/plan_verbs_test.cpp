// What must hold: `validate` and `explain` answer with the documented exit codes, and with data on
// stdout only.
#include <cstdio>
#include <stdlib.h>
#include <string>
#include <unistd.h>
#include <vector>

#include <absl/strings/match.h>
#include <absl/strings/str_cat.h>
#include <catch2/catch.hpp>

#include "cli/command_tree.h"
#include "tests/unit/cli/captured_streams.h"

namespace weir::cli {

namespace {

// A descriptor in a file of its own. Life: removed with the object.
class DescriptorFile {
 public:
  explicit DescriptorFile(const std::string& text) {
    const int descriptor = mkstemp(path_.data());
    REQUIRE(descriptor >= 0);
    const ssize_t written = write(descriptor, text.data(), text.size());
    CHECK(written == static_cast<ssize_t>(text.size()));
    close(descriptor);
  }
  DescriptorFile(const DescriptorFile&) = delete;
  DescriptorFile& operator=(const DescriptorFile&) = delete;
  ~DescriptorFile() { unlink(path_.c_str()); }

  const char* path() const { return path_.c_str(); }

 private:
  std::string path_ = "/tmp/weir-plan-verbs-XXXXXX";
};

struct Outcome {
  ExitCode code;
  std::string out;
  std::string err;
};

Outcome Run(std::vector<const char*> words) {
  words.insert(words.begin(), "weir");
  CommandTree tree;
  CapturedStream out;
  CapturedStream err;
  const ExitCode code =
      tree.Run(static_cast<int>(words.size()), words.data(), out.get(), err.get());
  return {code, out.text(), err.text()};
}

// A valid job but for `where`; with `extra` sources.
std::string Job(const std::string& where, const std::string& extra = "") {
  return absl::StrCat(R"(weir: 1
name: some
sources:
  lines: {connector: file, options: {path: /dev/null}, format: text}
)",
                      extra, R"(
transforms:
  long: {type: filter, input: lines, where: )",
                      where, R"(}
sinks:
  out: {connector: stdout, input: long}
)");
}

constexpr const char* kUnused =
    "  spare: {connector: file, options: {path: /dev/null}, format: text}";

}  // namespace

TEST_CASE("validate accepts a good descriptor and says nothing on stdout", "[cli][unit]") {
  const DescriptorFile file(Job("length(line) > 3"));
  const Outcome outcome = Run({"validate", file.path()});
  CHECK(outcome.code == ExitCode::kOk);
  CHECK(outcome.out.empty());
  CHECK(outcome.err == absl::StrCat(file.path(), ": valid\n"));
}

TEST_CASE("validate reports errors of every file and ends with code 3", "[cli][unit]") {
  const DescriptorFile good(Job("length(line) > 3"));
  const DescriptorFile bad(Job("lenght(line) > 3"));
  const DescriptorFile worse(Job("length(lin) > 3"));
  const Outcome outcome = Run({"validate", bad.path(), good.path(), worse.path()});
  CHECK(outcome.code == ExitCode::kInvalidInput);
  CHECK(absl::StrContains(outcome.err, absl::StrCat(bad.path(), ":7:")));
  CHECK(absl::StrContains(outcome.err, absl::StrCat(worse.path(), ":7:")));
  CHECK(absl::StrContains(outcome.err, "[E0203]"));
}

TEST_CASE("validate of a directory says what to name instead", "[cli][unit]") {
  const Outcome outcome = Run({"validate", "/tmp"});
  CHECK(outcome.code == ExitCode::kInvalidInput);
  CHECK(outcome.err ==
        "weir: error: '/tmp' is a directory; name the descriptors in it, such as /tmp/*.yaml\n");
}

TEST_CASE("validate fails over warnings only if asked to", "[cli][unit]") {
  const DescriptorFile file(Job("length(line) > 3", kUnused));
  const Outcome lenient = Run({"validate", file.path()});
  CHECK(lenient.code == ExitCode::kOk);
  CHECK(absl::StrContains(lenient.err, "[W0401]"));
  CHECK(absl::StrContains(lenient.err, "valid, 1 warning\n"));
  const Outcome strict = Run({"validate", "--deny-warnings", file.path()});
  CHECK(strict.code == ExitCode::kInvalidInput);
  CHECK(absl::StrContains(strict.err, "[W0401]"));
}

TEST_CASE("validate -o json puts a result on stdout, and errors on stderr", "[cli][unit]") {
  const DescriptorFile good(Job("length(line) > 3", kUnused));
  const Outcome valid = Run({"validate", "-o", "json", good.path()});
  CHECK(valid.code == ExitCode::kOk);
  CHECK(absl::StartsWith(
      valid.out, absl::StrCat(R"({"api":"weir.cli/v1","kind":"Validation","items":[{"file":")",
                              good.path(), R"(","valid":true,"diagnostics":[{)")));
  CHECK(absl::StrContains(valid.out, R"("code":"W0401")"));
  const DescriptorFile bad(Job("length(lin) > 3"));
  const Outcome invalid = Run({"validate", "-o", "json", bad.path()});
  CHECK(invalid.code == ExitCode::kInvalidInput);
  CHECK(invalid.out.empty());
  CHECK(absl::StrContains(invalid.err, R"("path":"/transforms/long/where")"));
}

TEST_CASE("A descriptor that is not there ends with code 4", "[cli][unit]") {
  for (const char* verb : {"validate", "explain"}) {
    const Outcome outcome = Run({verb, "/tmp/weir-no-such-file.yaml"});
    CHECK(outcome.code == ExitCode::kNotFound);
    CHECK(absl::StrContains(outcome.err, "cannot read '/tmp/weir-no-such-file.yaml'"));
  }
}

TEST_CASE("explain shows the plan, with --physical its vertices, with json both", "[cli][unit]") {
  const DescriptorFile file(Job("length(line) > 3"));
  const Outcome plain = Run({"explain", file.path()});
  CHECK(plain.code == ExitCode::kOk);
  CHECK(absl::StartsWith(plain.out, "job some   parallelism 1 "));
  CHECK_FALSE(absl::StrContains(plain.out, "vertices"));
  const Outcome physical = Run({"explain", "--physical", "--parallelism", "3", file.path()});
  CHECK(absl::StrContains(physical.out, "  0  x3  lines -> long -> out\n"));
  const Outcome json = Run({"explain", file.path(), "-o", "json"});
  CHECK(absl::StartsWith(json.out, R"({"api":"weir.cli/v1","kind":"Plan","job":"some",)"));
  CHECK(absl::StrContains(json.out, R"("vertices":[{"name":"lines -> long -> out",)"));
}

TEST_CASE("explain of a bad descriptor prints no plan", "[cli][unit]") {
  const DescriptorFile file(Job("length(lin) > 3"));
  const Outcome outcome = Run({"explain", file.path()});
  CHECK(outcome.code == ExitCode::kInvalidInput);
  CHECK(outcome.out.empty());
}

TEST_CASE("validate and explain warn of a source whose file does not exist", "[cli][unit]") {
  std::string text = Job("true");
  text.replace(text.find("/dev/null"), 9, "/nowhere/a");
  const DescriptorFile file(text);
  for (const char* verb : {"validate", "explain"}) {
    const Outcome outcome = Run({verb, file.path()});
    CHECK(outcome.code == ExitCode::kOk);
    CHECK(absl::StrContains(outcome.err, "warning: '/nowhere/a' does not exist here [W0501]"));
  }
}

}  // namespace weir::cli
