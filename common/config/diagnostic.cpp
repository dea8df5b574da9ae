#include "common/config/diagnostic.h"

#include <algorithm>
#include <tuple>
#include <utility>

#include <absl/strings/str_cat.h>

#include "common/base/check.h"

namespace weir::config {

namespace {

// Those about the whole input come first; then by file, place and severity.
bool StandsBefore(const Diagnostic& a, const Diagnostic& b) {
  const auto key = [](const Diagnostic& d) {
    const StringView file = d.range.IsKnown() ? StringView(d.range.source->name()) : StringView();
    return std::make_tuple(d.range.IsKnown(), file, d.range.begin, d.severity);
  };
  return key(a) < key(b);
}

bool IsSame(const Diagnostic& a, const Diagnostic& b) {
  return a.range.begin == b.range.begin && a.range.source == b.range.source &&
         StringView(a.code.id) == StringView(b.code.id) && a.message == b.message;
}

bool SaysWhatToDo(const Diagnostic& diagnostic) {
  return !diagnostic.help.empty() || !diagnostic.suggestion.empty() || diagnostic.label_advises;
}

}  // namespace

StringView ToString(Severity severity) {
  switch (severity) {
    case Severity::kError:
      return "error";
    case Severity::kWarning:
      return "warning";
    case Severity::kNote:
      return "note";
  }
  return "error";
}

Diagnostic& Diagnostic::Suggest(std::string text) {
  suggestion = std::move(text);
  return *this;
}

Diagnostic& Diagnostic::Label(std::string text) {
  label = std::move(text);
  return *this;
}

Diagnostic& Diagnostic::Advise(std::string text) {
  label_advises = !text.empty();
  return Label(std::move(text));
}

Diagnostic& Diagnostic::Because(std::string line) {
  because.push_back(std::move(line));
  return *this;
}

Diagnostic& Diagnostic::Help(std::string line) {
  help.push_back(std::move(line));
  return *this;
}

Diagnostic MakeDiagnostic(Severity severity, const DiagnosticCode& code, SourceRange range,
                          std::string path, std::string message) {
  Diagnostic made;
  made.severity = severity;
  made.code = code;
  made.range = std::move(range);
  made.path = std::move(path);
  made.message = std::move(message);
  return made;
}

void Diagnostics::Add(Diagnostic diagnostic) {
  const bool is_known = std::any_of(kept_.begin(), kept_.end(),
                                    [&](const Diagnostic& d) { return IsSame(d, diagnostic); });
  if (is_known) return;
  if (diagnostic.severity != Severity::kNote && !SaysWhatToDo(diagnostic)) {
    diagnostic.Help(diagnostic.code.help);
  }
  switch (diagnostic.severity) {
    case Severity::kError:
      ++error_count_;
      break;
    case Severity::kWarning:
      ++warning_count_;
      break;
    case Severity::kNote:
      ++note_count_;
      break;
  }
  if (kept_.size() < kKeptDiagnosticsMax) {
    kept_.push_back(std::move(diagnostic));
    return;
  }
  // Errors matter more: one takes the place of a warning or note.
  if (diagnostic.severity != Severity::kError) return;
  const auto lesser = std::find_if(kept_.rbegin(), kept_.rend(), [](const Diagnostic& d) {
    return d.severity != Severity::kError;
  });
  if (lesser != kept_.rend()) *lesser = std::move(diagnostic);
}

std::vector<Diagnostic> Diagnostics::Sorted() const {
  std::vector<Diagnostic> all = kept_;
  std::stable_sort(all.begin(), all.end(), StandsBefore);
  std::vector<Diagnostic> shown;
  size_t errors = 0;
  size_t others = 0;
  for (Diagnostic& diagnostic : all) {
    size_t& count = diagnostic.severity == Severity::kError ? errors : others;
    if (count == kShownErrorsMax) continue;
    ++count;
    shown.push_back(std::move(diagnostic));
  }
  return shown;
}

size_t Diagnostics::HiddenCount() const {
  const size_t others = warning_count_ + note_count_;
  const size_t hidden_errors = error_count_ - std::min(error_count_, kShownErrorsMax);
  // Others may have given up their place for errors, so what is shown is counted.
  const auto kept_others =
      static_cast<size_t>(std::count_if(kept_.begin(), kept_.end(), [](const Diagnostic& d) {
        return d.severity != Severity::kError;
      }));
  WEIR_CHECK(kept_others <= others);
  return hidden_errors + others - std::min(kept_others, kShownErrorsMax);
}

const Diagnostic* Diagnostics::FirstError() const {
  const Diagnostic* first = nullptr;
  for (const Diagnostic& diagnostic : kept_) {
    if (diagnostic.severity != Severity::kError) continue;
    if (first == nullptr || StandsBefore(diagnostic, *first)) first = &diagnostic;
  }
  return first;
}

absl::Status Diagnostics::ToStatus() const {
  const Diagnostic* const first = FirstError();
  if (first == nullptr) return absl::OkStatus();
  const std::string place = first->range.IsKnown() ? first->range.ToString() + ": " : "";
  const std::string more =
      error_count_ > 1 ? absl::StrCat(" (and ", error_count_ - 1, " more)") : "";
  return absl::InvalidArgumentError(
      absl::StrCat(place, first->message, " [", first->code.id, "]", more));
}

}  // namespace weir::config
