// What must hold: data goes to stdout, everything else to stderr, and JSON output is JSON
// throughout.
#include "cli/console.h"

#include <string>

#include <catch2/catch.hpp>

#include "cli/exit_code.h"
#include "tests/unit/cli/captured_streams.h"

namespace weir::cli {

namespace {

config::Diagnostics OneWarningOneError() {
  const config::SourcePtr source = config::MakeSource("job.yaml", "a: 1\nb: 2\n");
  config::Diagnostics diagnostics;
  diagnostics.Add(MakeDiagnostic(config::Severity::kWarning, config::codes::kUnusedStep,
                                 {source, 0, 1}, "/a", "unused"));
  diagnostics.Add(MakeDiagnostic(config::Severity::kError, config::codes::kBadValue, {source, 8, 9},
                                 "/b", "bad"));
  return diagnostics;
}

}  // namespace

TEST_CASE("Console reports diagnostics as text on stderr", "[cli][unit]") {
  CapturedStream out;
  CapturedStream err;
  Console console({}, out.get(), err.get());
  CHECK(console.Report(OneWarningOneError()) == ExitCode::kInvalidInput);
  CHECK(out.text().empty());
  CHECK(err.text() ==
        "job.yaml:1:1: warning: unused [W0401]\n"
        "   = help: read it in another step or a sink, or remove it\n"
        "job.yaml:2:4: error: bad [E0105]\n"
        "   |\n"
        "2  | b: 2\n"
        "   |    ^\n"
        "   = help: write a value of the type that is asked for\n");
}

TEST_CASE("Console reports diagnostics as one JSON error", "[cli][unit]") {
  CapturedStream out;
  CapturedStream err;
  Console console({.output = OutputFormat::kJson}, out.get(), err.get());
  const config::Diagnostics diagnostics = OneWarningOneError();
  CHECK(console.Report(diagnostics) == ExitCode::kInvalidInput);
  CHECK(out.text().empty());
  CHECK(err.text() ==
        R"({"api":"weir.cli/v1","kind":"Error","code":"E0105","message":"bad","details":)" +
            RenderJson(diagnostics) + "}\n");
}

TEST_CASE("Console returns the exit code of a failure", "[cli][unit]") {
  CapturedStream out;
  CapturedStream err;
  Console console({}, out.get(), err.get());
  CHECK(console.Fail(absl::NotFoundError("no job 'x'")) == ExitCode::kNotFound);
  CHECK(err.text() == "weir: error: no job 'x'\n");
  CHECK(ExitCodeOf(absl::OkStatus()) == ExitCode::kOk);
  CHECK(ExitCodeOf(absl::InvalidArgumentError("")) == ExitCode::kInvalidInput);
  CHECK(ExitCodeOf(absl::AlreadyExistsError("")) == ExitCode::kConflict);
  CHECK(ExitCodeOf(absl::UnavailableError("")) == ExitCode::kUnavailable);
  CHECK(ExitCodeOf(absl::UnauthenticatedError("")) == ExitCode::kDenied);
  CHECK(ExitCodeOf(absl::DeadlineExceededError("")) == ExitCode::kTimeout);
  CHECK(ExitCodeOf(absl::DataLossError("")) == ExitCode::kFailed);
}

TEST_CASE("Console colours when told to and never in JSON", "[cli][unit]") {
  CapturedStream out;
  CapturedStream err;
  const Console automatic({}, out.get(), err.get());
  CHECK(automatic.OutColour() == config::Colour::kOff);
  const Console always({.colour = ColourMode::kAlways}, out.get(), err.get());
  CHECK(always.ErrColour() == config::Colour::kOn);
  const Console json({.output = OutputFormat::kJson, .colour = ColourMode::kAlways}, out.get(),
                     err.get());
  CHECK(json.ErrColour() == config::Colour::kOff);
}

TEST_CASE("Console is silent with -q", "[cli][unit]") {
  CapturedStream out;
  CapturedStream err;
  Console talking({}, out.get(), err.get());
  talking.Note("working");
  CHECK(err.text() == "working\n");
  Console quiet({.is_quiet = true}, out.get(), err.get());
  quiet.Note("more");
  CHECK(err.text() == "working\n");
}

TEST_CASE("Console turns a stdout that cannot be written into a failure", "[cli][unit]") {
  CapturedStream err;
  std::FILE* const full = std::fopen("/dev/full", "w");
  REQUIRE(full != nullptr);
  Console console({}, full, err.get());
  console.Out("data\n");
  CHECK(console.Finish(ExitCode::kOk) == ExitCode::kFailed);
  CHECK(err.text() == "weir: error: cannot write to the standard output\n");
  std::fclose(full);
}

}  // namespace weir::cli
