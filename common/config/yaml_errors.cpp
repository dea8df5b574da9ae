#include "common/config/yaml_errors.h"

#include <algorithm>
#include <utility>

#include <absl/strings/match.h>
#include <absl/strings/str_cat.h>
#include <absl/strings/strip.h>
#include <yaml-cpp/exceptions.h>

namespace weir::config {

namespace {

constexpr char kQuoteHint[] = "quote this expression or use a `|` block";
constexpr char kIndentHint[] =
    "check the indentation: keys of one map start in the same column, deeper than the key above";

// What the explanation depends on.
struct Place {
  // The line in front of the error, and from it on.
  StringView before;
  StringView rest;
  // Nothing but spaces and `-` is in front of it.
  bool is_line_start = false;
  // "key: " is in front of it.
  bool has_key = false;
};

Place DescribePlace(const SourceText& source, size_t at) {
  const LineColumn where = source.At(at);
  const StringView line = source.Line(where.line);
  const size_t column = std::min(at - source.LineBegin(where.line), line.size());
  Place place;
  place.before = line.substr(0, column);
  place.rest = line.substr(column);
  place.is_line_start = place.before.find_first_not_of(" \t-") == StringView::npos;
  place.has_key = absl::StrContains(place.before, ": ");
  return place;
}

struct Wording {
  std::string message;
  std::string help;
};

Wording ExplainMapping(const Place& place) {
  if (place.has_key) return {"mapping values are not allowed here", kQuoteHint};
  return {"mapping values are not allowed here: the line continues the value above it",
          kIndentHint};
}

Wording ExplainUnclosed(const Place& place, const Node* open_flow, const SourcePtr& source,
                        size_t at) {
  const bool is_same_line =
      open_flow != nullptr && open_flow->range().Begin().line == source->At(at).line;
  if (is_same_line && absl::StartsWith(place.rest, ":")) return ExplainMapping(place);
  const bool is_map = open_flow == nullptr || open_flow->IsMap();
  const std::string where =
      open_flow == nullptr ? "" : absl::StrCat(" of ", open_flow->range().ToString());
  const StringView bracket = is_map ? "{" : "[";
  const StringView closing = is_map ? "}" : "]";
  return {absl::StrCat("the `", bracket, "`", where, " is not closed before this"),
          absl::StrCat("add the missing `", closing, "` or a comma; ",
                       "quote a value that has one of ,[]{} or `: `")};
}

Wording ExplainEnd(const Place& place) {
  if (place.is_line_start) {
    return {"the indentation of this line fits no block around it", kIndentHint};
  }
  return {"there is more text after the end of the value", kQuoteHint};
}

Wording ExplainBlockHeader(const Place& place) {
  return {"a value that starts with `|` or `>` is a block, whose text starts on the next line",
          kQuoteHint};
}

Wording Explain(const std::string& message, const Place& place, const Node* open_flow,
                const SourcePtr& source, size_t at) {
  namespace msg = YAML::ErrorMsg;
  if (message == msg::MAP_VALUE) return ExplainMapping(place);
  if (message == msg::END_OF_MAP_FLOW || message == msg::END_OF_SEQ_FLOW) {
    return ExplainUnclosed(place, open_flow, source, at);
  }
  if (message == msg::END_OF_MAP || message == msg::END_OF_SEQ) return ExplainEnd(place);
  if (message == msg::TAB_IN_INDENTATION) {
    return {"a tab in the indentation", "indent with spaces"};
  }
  if (message == msg::CHAR_IN_BLOCK) {
    const StringView before = place.before;
    const bool is_header = absl::EndsWith(before, ": |") || absl::EndsWith(before, ": >") ||
                           absl::EndsWith(before, "- |") || absl::EndsWith(before, "- >");
    return is_header ? ExplainBlockHeader(place) : ExplainEnd(place);
  }
  if (message == msg::BLOCK_ENTRY) {
    return {"a list item `- ` is not allowed here",
            "start the list on the next line, or quote the value"};
  }
  if (message == msg::UNKNOWN_TOKEN) {
    return {"a value cannot start with this character", kQuoteHint};
  }
  if (message == msg::FLOW_END) return {"the bracket closes nothing", kQuoteHint};
  if (message == msg::MAP_KEY) return {"a `? ` key is not allowed here", kQuoteHint};
  if (message == msg::EOF_IN_SCALAR || message == msg::DOC_IN_SCALAR) {
    return {"the quoted text is not closed", "add the missing quote"};
  }
  if (absl::StartsWith(message, msg::INVALID_ESCAPE)) {
    return {"unknown escape in a double-quoted text",
            "write `\\\\` for a backslash, or use single quotes, where it is an ordinary letter"};
  }
  return {message, ""};
}

}  // namespace

Diagnostic ExplainYamlError(const std::string& message, const SourcePtr& source, size_t at,
                            const Node* open_flow) {
  const bool is_alias = absl::StartsWith(message, YAML::ErrorMsg::UNKNOWN_ANCHOR) ||
                        message == YAML::ErrorMsg::ALIAS_NOT_FOUND;
  const SourceRange range{source, at, std::min(at + 1, source->text().size())};
  if (is_alias) {
    return MakeDiagnostic(Severity::kError, codes::kBadAlias, range, "",
                          "the alias names no anchor above it")
        .Help("an anchor is written `&name` in front of a value; quote a text that starts with *");
  }
  const Place place = DescribePlace(*source, at);
  Wording wording = Explain(message, place, open_flow, source, at);
  Diagnostic diagnostic =
      MakeDiagnostic(Severity::kError, codes::kYamlSyntax, range, "", std::move(wording.message));
  if (!wording.help.empty()) diagnostic.Help(std::move(wording.help));
  return diagnostic;
}

}  // namespace weir::config
