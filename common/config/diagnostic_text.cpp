#include "common/config/diagnostic_text.h"

#include <algorithm>
#include <utility>
#include <vector>

#include <absl/strings/str_cat.h>
#include <absl/strings/str_split.h>

#include "common/config/utf8.h"

namespace weir::config {

namespace {

// A longer source line is cut around the place, so that one-line JSON stays readable.
constexpr size_t kSnippetColumnsMax = 160;
// Columns shown before the place in a cut line.
constexpr size_t kSnippetLeadColumns = 60;
static_assert(kSnippetLeadColumns < kSnippetColumnsMax);
constexpr size_t kGutterWidthWithoutSnippet = 3;

constexpr char kBold[] = "\x1b[1m";
constexpr char kRed[] = "\x1b[1;31m";
constexpr char kMagenta[] = "\x1b[1;35m";
constexpr char kCyan[] = "\x1b[1;36m";
constexpr char kBlue[] = "\x1b[1;34m";
constexpr char kReset[] = "\x1b[0m";

const char* SeverityColour(Severity severity) {
  switch (severity) {
    case Severity::kError:
      return kRed;
    case Severity::kWarning:
      return kMagenta;
    case Severity::kNote:
      return kCyan;
  }
  return kRed;
}

std::string Paint(StringView text, const char* colour, Colour mode) {
  if (mode == Colour::kOff) return std::string(text);
  return absl::StrCat(colour, text, kReset);
}

bool ShowsSnippet(const Diagnostic& diagnostic) {
  if (!diagnostic.range.IsKnown() || !diagnostic.range.source->HasShownLines()) return false;
  if (!diagnostic.label.empty()) return true;
  return diagnostic.severity == Severity::kError && diagnostic.suggestion.empty();
}

std::string HeaderLine(const Diagnostic& diagnostic, Colour colour, StringView program) {
  const std::string place =
      absl::StrCat(diagnostic.range.IsKnown() ? diagnostic.range.ToString() : program, ":");
  const std::string severity = absl::StrCat(ToString(diagnostic.severity), ":");
  std::string line =
      absl::StrCat(Paint(place, kBold, colour), " ",
                   Paint(severity, SeverityColour(diagnostic.severity), colour), " ",
                   Paint(diagnostic.message, kBold, colour), " [", diagnostic.code.id, "]");
  if (!diagnostic.suggestion.empty()) absl::StrAppend(&line, "; ", diagnostic.suggestion);
  return line + "\n";
}

// The part of a source line that is shown, and where its carets go, in code points.
struct Snippet {
  std::string line;
  size_t caret_begin = 0;
  size_t caret_count = 1;
};

Snippet CutSnippet(StringView line, size_t begin, size_t end) {
  std::vector<StringView> points = SplitCodePoints(line);
  begin = std::min(begin, points.size());
  end = std::clamp(end, begin, points.size());
  Snippet snippet;
  size_t from = 0;
  size_t to = points.size();
  if (points.size() > kSnippetColumnsMax) {
    from = begin > kSnippetLeadColumns ? begin - kSnippetLeadColumns : 0;
    to = std::min(points.size(), from + kSnippetColumnsMax);
  }
  if (from > 0) snippet.line = "...";
  snippet.caret_begin = snippet.line.size() + begin - from;
  for (size_t i = from; i < to; ++i) absl::StrAppend(&snippet.line, points[i]);
  if (to < points.size()) snippet.line += "...";
  snippet.caret_count = std::max<size_t>(1, std::min(end, to) - std::min(begin, to));
  // A tab would put the carets at a place that depends on the terminal.
  std::replace(snippet.line.begin(), snippet.line.end(), '\t', ' ');
  return snippet;
}

void AppendSnippet(const Diagnostic& diagnostic, Colour colour, std::string* out,
                   size_t* gutter_width) {
  const SourceText& source = *diagnostic.range.source;
  const LineColumn begin = diagnostic.range.Begin();
  const LineColumn end = diagnostic.range.End();
  const StringView line = source.Line(begin.line);
  const size_t end_column = end.line == begin.line ? end.column - 1 : line.size();
  const Snippet snippet = CutSnippet(line, begin.column - 1, end_column);

  const std::string number = absl::StrCat(begin.line);
  *gutter_width = std::max(number.size() + 1, kGutterWidthWithoutSnippet);
  const std::string empty_gutter = Paint(std::string(*gutter_width, ' ') + "|", kBlue, colour);
  const std::string gutter =
      Paint(number + std::string(*gutter_width - number.size(), ' ') + "|", kBlue, colour);
  const std::string carets =
      Paint(std::string(snippet.caret_count, '^'), SeverityColour(diagnostic.severity), colour);
  absl::StrAppend(out, empty_gutter, "\n", gutter, snippet.line.empty() ? "" : " ", snippet.line,
                  "\n", empty_gutter, " ", std::string(snippet.caret_begin, ' '), carets);
  if (!diagnostic.label.empty()) absl::StrAppend(out, " ", diagnostic.label);
  *out += "\n";
}

void AppendFootnote(StringView title, const std::vector<std::string>& lines, size_t gutter_width,
                    Colour colour, std::string* out) {
  const std::string gutter(gutter_width, ' ');
  const std::string lead = absl::StrCat("= ", title, ": ");
  bool is_first = true;
  for (const std::string& text : lines) {
    for (const StringView line : absl::StrSplit(text, '\n')) {
      const std::string start =
          is_first ? Paint(lead, kBold, colour) : std::string(lead.size(), ' ');
      absl::StrAppend(out, gutter, start, line, "\n");
      is_first = false;
    }
  }
}

void AppendJsonStrings(const std::vector<std::string>& texts, std::string* out) {
  *out += "[";
  for (size_t i = 0; i < texts.size(); ++i) {
    if (i > 0) *out += ",";
    AppendJsonString(texts[i], out);
  }
  *out += "]";
}

}  // namespace

std::string RenderText(const Diagnostic& diagnostic, Colour colour, StringView program) {
  std::string out = HeaderLine(diagnostic, colour, program);
  size_t gutter_width = kGutterWidthWithoutSnippet;
  std::vector<std::string> because = diagnostic.because;
  std::vector<std::string> help = diagnostic.help;
  if (ShowsSnippet(diagnostic)) {
    AppendSnippet(diagnostic, colour, &out, &gutter_width);
  } else if (!diagnostic.label.empty()) {
    std::vector<std::string>& lines = diagnostic.label_advises ? help : because;
    lines.insert(lines.begin(), diagnostic.label);
  }
  AppendFootnote("because", because, gutter_width, colour, &out);
  AppendFootnote("help", help, gutter_width, colour, &out);
  return out;
}

std::string RenderText(const Diagnostics& diagnostics, Colour colour, StringView program) {
  std::string out;
  for (const Diagnostic& diagnostic : diagnostics.Sorted()) {
    out += RenderText(diagnostic, colour, program);
  }
  if (const size_t hidden = diagnostics.HiddenCount(); hidden > 0) {
    absl::StrAppend(&out, hidden, " more not shown\n");
  }
  return out;
}

std::string RenderJson(const Diagnostic& diagnostic) {
  const LineColumn begin = diagnostic.range.Begin();
  const LineColumn end = diagnostic.range.End();
  std::string out = R"({"file":)";
  if (diagnostic.range.IsKnown()) {
    AppendJsonString(diagnostic.range.source->name(), &out);
  } else {
    out += "null";
  }
  absl::StrAppend(&out, R"(,"line":)", begin.line, R"(,"column":)", begin.column);
  absl::StrAppend(&out, R"(,"end_line":)", end.line, R"(,"end_column":)", end.column);
  absl::StrAppend(&out, R"(,"severity":")", ToString(diagnostic.severity), R"(","code":")",
                  diagnostic.code.id, R"(","message":)");
  AppendJsonString(diagnostic.message, &out);
  out += R"(,"because":)";
  AppendJsonStrings(diagnostic.because, &out);
  std::vector<std::string> help;
  if (!diagnostic.suggestion.empty()) help.push_back(diagnostic.suggestion);
  if (!diagnostic.label.empty()) help.push_back(diagnostic.label);
  help.insert(help.end(), diagnostic.help.begin(), diagnostic.help.end());
  out += R"(,"help":)";
  AppendJsonStrings(help, &out);
  out += R"(,"path":)";
  AppendJsonString(diagnostic.path, &out);
  return out + "}";
}

std::string RenderJson(const Diagnostics& diagnostics) {
  std::string out = "[";
  for (const Diagnostic& diagnostic : diagnostics.Sorted()) {
    if (out.size() > 1) out += ",";
    out += RenderJson(diagnostic);
  }
  return out + "]";
}

void AppendJsonString(StringView text, std::string* out) {
  static constexpr char kHex[] = "0123456789abcdef";
  *out += '"';
  for (const StringView point : SplitCodePoints(text)) {
    const auto first = static_cast<unsigned char>(point[0]);
    if (point == "\"" || point == "\\") {
      absl::StrAppend(out, "\\", point);
    } else if (point == "\n") {
      *out += "\\n";
    } else if (point == "\t") {
      *out += "\\t";
    } else if (first < 0x20 || first == 0x7F) {
      *out += "\\u00";
      *out += kHex[first >> 4];
      *out += kHex[first & 0xF];
    } else if (FindInvalidUtf8(point) != StringView::npos) {
      *out += "\xEF\xBF\xBD";
    } else {
      absl::StrAppend(out, point);
    }
  }
  *out += '"';
}

}  // namespace weir::config
