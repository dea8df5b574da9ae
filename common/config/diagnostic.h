// Diagnostic: one thing to tell the user about their input: where, what, why and what to do.
// Diagnostics: all of them at once. How they look is in diagnostic_text.h.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include <absl/status/status.h>

#include "common/config/diagnostic_codes.h"
#include "common/config/source_text.h"

namespace weir::config {

enum class Severity : uint8_t { kError, kWarning, kNote };

// "error", "warning", "note".
StringView ToString(Severity severity);

// The methods return the object, so that a report is one expression:
//   diagnostics.Add(ErrorAt(node, codes::kUnknownColumn, "no column 'a'").Help("columns: b, c"));
struct Diagnostic {
  Severity severity = Severity::kError;
  DiagnosticCode code = codes::kBadValue;
  SourceRange range;
  // RFC 6901 pointer such as "/transforms/totals/where"; empty for the whole file.
  std::string path;
  std::string message;
  // Shown after the code on the first line: "did you mean 'interval'?".
  std::string suggestion;
  // Shown behind the ^^^^ under the source line.
  std::string label;
  // Whether the label says what to do, so that no help is needed.
  bool label_advises = false;
  std::vector<std::string> because;
  std::vector<std::string> help;

  // Each sets or adds one part; because and help may be called repeatedly, one line each.
  Diagnostic& Suggest(std::string text);
  Diagnostic& Label(std::string text);
  // A label that says what to do: "did you mean 'price'?".
  Diagnostic& Advise(std::string text);
  Diagnostic& Because(std::string line);
  Diagnostic& Help(std::string line);
};

Diagnostic MakeDiagnostic(Severity severity, const DiagnosticCode& code, SourceRange range,
                          std::string path, std::string message);

// Most errors shown, and most warnings and notes together: more are noise, the first ones explain
// the rest.
inline constexpr size_t kShownErrorsMax = 50;
// Most diagnostics kept, so that a hostile file cannot fill the memory.
inline constexpr size_t kKeptDiagnosticsMax = 1000;
static_assert(kKeptDiagnosticsMax >= 2 * kShownErrorsMax,
              "errors found late may stand early in the file");

// Collects diagnostics from all passes over one input.
//
// Thread:    confined to one thread.
// Invariant: kept_.size() <= kKeptDiagnosticsMax.
// Invariant: each kept error and warning has a help, a suggestion or a label that advises.
class Diagnostics {
 public:
  // A repeated one (same place, code and message) is ignored. An error or warning that does not say
  // what to do gets the help of its code.
  void Add(Diagnostic diagnostic);

  bool HasErrors() const { return error_count_ > 0; }
  size_t error_count() const { return error_count_; }
  size_t warning_count() const { return warning_count_; }
  bool empty() const { return kept_.empty() && error_count_ == 0; }

  // What is to be shown: by position, at most kShownErrorsMax errors and as many others.
  std::vector<Diagnostic> Sorted() const;
  // Errors, warnings and notes that Sorted() leaves out.
  size_t HiddenCount() const;

  // The error that stands first; null without errors.
  const Diagnostic* FirstError() const;
  // OK without errors; else INVALID_ARGUMENT with the first error as one line.
  absl::Status ToStatus() const;

 private:
  std::vector<Diagnostic> kept_;
  size_t error_count_ = 0;
  size_t warning_count_ = 0;
  size_t note_count_ = 0;
};

}  // namespace weir::config
