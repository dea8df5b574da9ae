#include "cli/console.h"

#include <cstdlib>
#include <unistd.h>

#include <absl/strings/str_cat.h>

#include "common/base/check.h"

namespace weir::cli {

namespace {

constexpr char kApi[] = R"({"api":"weir.cli/v1","kind":")";

// See https://no-color.org: any value but the empty one.
bool IsNoColorSet() {
  const char* const value = std::getenv("NO_COLOR");  // NOLINT(concurrency-mt-unsafe)
  return value != nullptr && *value != '\0';
}

void Write(StringView text, std::FILE* stream) {
  // A failure stays in the stream; Finish() asks for it.
  static_cast<void>(std::fwrite(text.data(), 1, text.size(), stream));
}

}  // namespace

Console::Console(const ConsoleOptions& options, std::FILE* out, std::FILE* err)
    : options_(options), out_(out), err_(err) {
}

config::Colour Console::ColourOf(std::FILE* stream) const {
  const bool is_on =
      options_.colour == ColourMode::kAlways ||
      (options_.colour == ColourMode::kAuto && !IsNoColorSet() && isatty(fileno(stream)) == 1);
  return is_on ? config::Colour::kOn : config::Colour::kOff;
}

void Console::Out(StringView text) {
  Write(text, out_);
}

void Console::Err(StringView text) {
  Write(text, err_);
}

void Console::OutJson(StringView kind, StringView members) {
  Out(absl::StrCat(kApi, kind, "\",", members, "}\n"));
}

void Console::ErrJson(StringView kind, StringView members) {
  Err(absl::StrCat(kApi, kind, "\",", members, "}\n"));
}

void Console::Note(StringView line) {
  if (options_.is_quiet || IsJson()) return;
  Err(absl::StrCat(line, "\n"));
}

void Console::Progress(StringView line, bool is_terminal) {
  if (options_.is_quiet || IsJson()) return;
  // Carriage return, then the terminal's "erase to the end of the line".
  Err(is_terminal ? absl::StrCat("\r\033[K", line) : absl::StrCat(line, "\n"));
}

void Console::EndProgress() {
  if (!options_.is_quiet && !IsJson()) Err("\n");
}

void Console::ErrError(StringView code, StringView message, StringView details) {
  std::string line = absl::StrCat(kApi, "Error\",\"code\":");
  config::AppendJsonString(code, &line);
  line += ",\"message\":";
  config::AppendJsonString(message, &line);
  Err(absl::StrCat(line, ",\"details\":", details, "}\n"));
}

ExitCode Console::Report(const config::Diagnostics& diagnostics) {
  const config::Diagnostic* const first = diagnostics.FirstError();
  if (!IsJson()) {
    Err(RenderText(diagnostics, ErrColour()));
  } else if (first != nullptr) {
    ErrError(first->code.id, first->message, RenderJson(diagnostics));
  }
  return diagnostics.HasErrors() ? ExitCode::kInvalidInput : ExitCode::kOk;
}

ExitCode Console::Fail(const absl::Status& status) {
  WEIR_CHECK(!status.ok());
  if (IsJson()) {
    ErrError(absl::StatusCodeToString(status.code()), status.message(), "null");
  } else {
    Err(absl::StrCat("weir: error: ", status.message(), "\n"));
  }
  return ExitCodeOf(status);
}

ExitCode Console::FailUsage(StringView message) {
  if (IsJson()) {
    ErrError("USAGE", message, "null");
  } else {
    Err(absl::StrCat("weir: error: ", message, "\n"));
  }
  return ExitCode::kUsage;
}

ExitCode Console::Finish(ExitCode code) {
  const bool is_written = std::fflush(out_) == 0 && std::ferror(out_) == 0;
  if (is_written || code != ExitCode::kOk) return code;
  return Fail(absl::InternalError("cannot write to the standard output"));
}

}  // namespace weir::cli
