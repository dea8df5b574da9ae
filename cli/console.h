// Console: everything the command says. stdout carries data only; messages, progress and errors go
// to stderr. With `-o json` both are JSON and stdout stays empty after an error.
#pragma once

#include <cstdint>
#include <cstdio>
#include <string>

#include <absl/status/status.h>

#include "cli/exit_code.h"
#include "common/base/string_view.h"
#include "common/config/diagnostic.h"
#include "common/config/diagnostic_text.h"

namespace weir::cli {

enum class OutputFormat : uint8_t { kText, kJson };
enum class ColourMode : uint8_t { kAuto, kAlways, kNever };

// What the global flags say.
struct ConsoleOptions {
  OutputFormat output = OutputFormat::kText;
  ColourMode colour = ColourMode::kAuto;
  bool is_quiet = false;
};

// Life:      made once by the command tree; passed to the verb that runs.
// Thread:    confined to the main thread.
class Console {
 public:
  Console(const ConsoleOptions& options, std::FILE* out, std::FILE* err);

  bool IsJson() const { return options_.output == OutputFormat::kJson; }
  config::Colour OutColour() const { return ColourOf(out_); }
  config::Colour ErrColour() const { return IsJson() ? config::Colour::kOff : ColourOf(err_); }

  // Data, as it is.
  void Out(StringView text);
  // {"api":"weir.cli/v1","kind":<kind>,<members>} and a line break; `members` is JSON without
  // braces.
  void OutJson(StringView kind, StringView members);
  // The same where stdout is for something else.
  void ErrJson(StringView kind, StringView members);
  // A line for people: nothing with -q or -o json.
  void Note(StringView line);
  // How far long work is: on a terminal a line that replaces the one before, elsewhere a line.
  // Nothing with -q or -o json.
  void Progress(StringView line, bool is_terminal);
  // Leaves the last progress line of a terminal standing.
  void EndProgress();

  // All diagnostics to stderr, errors, warnings and notes. kInvalidInput if there are errors.
  ExitCode Report(const config::Diagnostics& diagnostics);
  // One error to stderr; returns its exit code. `status` is not OK.
  ExitCode Fail(const absl::Status& status);
  // A mistake in the command line itself.
  ExitCode FailUsage(StringView message);

  // Flushes; a stdout that cannot be written (a full disk) turns success into failure.
  ExitCode Finish(ExitCode code);

 private:
  config::Colour ColourOf(std::FILE* stream) const;
  void Err(StringView text);
  void ErrError(StringView code, StringView message, StringView details);

  const ConsoleOptions options_;
  std::FILE* const out_;
  std::FILE* const err_;
};

}  // namespace weir::cli
