#include "common/graph/format_options.h"

#include <absl/strings/str_cat.h>
#include <absl/types/optional.h>

#include "common/config/names.h"

namespace weir::graph {
namespace {

using config::CustomOption;
using config::Diagnostics;
using config::ErrorAt;
using config::Node;
using config::OptionTable;
namespace codes = config::codes;

struct NamedFormat {
  const char* name;
  FormatKind kind;
};
constexpr NamedFormat kFormats[] = {
    {"text", FormatKind::kText}, {"csv", FormatKind::kCsv}, {"json", FormatKind::kJson}};

const OptionTable<FormatOptions>& TableOf(FormatKind kind) {
  switch (kind) {
    case FormatKind::kText:
      return TextFormatTable();
    case FormatKind::kCsv:
      return CsvFormatTable();
    case FormatKind::kJson:
      break;
  }
  return JsonFormatTable();
}

OptionTable<FormatOptions> NewTable(std::string name, std::string description) {
  OptionTable<FormatOptions> table(std::move(name), std::move(description));
  table
      .Add("type", &FormatOptions::type, config::TextOption{.type_text = "a format"}, "The format.")
      .Required();
  return table;
}

bool ReadDelimiter(const Node& node, FormatSpec* spec, Diagnostics* diagnostics) {
  if (!config::ExpectScalar(node, "one character", diagnostics)) return false;
  const std::string& text = node.text();
  const bool is_good = text.size() == 1 && static_cast<unsigned char>(text[0]) < 0x80 &&
                       text[0] != '"' && text[0] != '\n' && text[0] != '\r' && text[0] != '\0';
  if (!is_good) {
    diagnostics->Add(
        ErrorAt(node, codes::kBadValue, absl::StrCat("bad delimiter ", config::DescribeFound(node)))
            .Help("one ASCII character that is neither a quote nor a line break, "
                  "such as \";\" or \"\\t\""));
    return false;
  }
  spec->delimiter = text[0];
  return true;
}

// An option of the spec inside FormatOptions, read by `kind`.
template <class Member, class Kind>
void AddSpecOption(std::string key, Member FormatSpec::*member, Kind kind, std::string description,
                   OptionTable<FormatOptions>* table) {
  table->Add(std::move(key), &FormatOptions::spec,
             CustomOption<FormatSpec>{
                 .type_text = kind.TypeText(),
                 .read =
                     [kind, member](const Node& node, FormatSpec* spec, Diagnostics* diagnostics) {
                       return config::ReadMember(kind, node, &(spec->*member), diagnostics);
                     },
                 .format =
                     [kind, member](const FormatSpec& spec) {
                       return config::FormatMember(kind, spec.*member);
                     }},
             std::move(description));
}

absl::optional<FormatKind> FindFormat(const Node& node, FormatUse use, Diagnostics* diagnostics) {
  std::vector<std::string> names;
  for (const NamedFormat& format : kFormats) {
    if (use == FormatUse::kWrite && format.kind == FormatKind::kText) continue;
    if (node.text() == format.name) return format.kind;
    names.emplace_back(format.name);
  }
  const StringView whose = use == FormatUse::kWrite ? "a sink" : "a source";
  diagnostics->Add(
      ErrorAt(node, codes::kUnknownFormat,
              absl::StrCat("no format '", node.text(), "' for ", whose))
          .Suggest(config::DidYouMean(node.text(), names))
          .Help(absl::StrCat("formats of ", whose, ": ", config::JoinNames(names, names.size()))));
  return absl::nullopt;
}

// Text that could not be read back as NULL: the line would be taken apart in it.
bool CheckNullText(const Node& format, const FormatSpec& spec, Diagnostics* diagnostics) {
  const std::string parting = absl::StrCat(std::string(1, spec.delimiter), "\"\r\n");
  if (spec.null_text.find_first_of(parting) == std::string::npos) return true;
  diagnostics->Add(
      ErrorAt(*format.Find("null"), codes::kBadValue,
              "the text for NULL has the delimiter, a quote or a line break in it")
          .Help("a text that can stand between two delimiters without quotes, such as \"\\\\N\""));
  return false;
}

}  // namespace

const OptionTable<FormatOptions>& TextFormatTable() {
  static const OptionTable<FormatOptions> table = NewTable(
      "format 'text'", "Sources only. Each line is a row with one column, `line string not null`.");
  return table;
}

const OptionTable<FormatOptions>& CsvFormatTable() {
  static const OptionTable<FormatOptions> table = [] {
    OptionTable<FormatOptions> t =
        NewTable("format 'csv'", "Values separated by commas (RFC 4180), in UTF-8.");
    AddSpecOption("header", &FormatSpec::header, config::BoolOption{},
                  "Whether the first line names the columns. Reading: columns are found by name; "
                  "without it, by their order.",
                  &t);
    t.Add("delimiter", &FormatOptions::spec,
          CustomOption<FormatSpec>{
              .type_text = "a character",
              .read = ReadDelimiter,
              .format = [](const FormatSpec& spec) { return std::string(1, spec.delimiter); }},
          "What separates values.");
    AddSpecOption(
        "null", &FormatSpec::null_text, config::TextOption{.may_be_empty = true},
        "Text that stands for NULL where it is not quoted, without delimiters, quotes and "
        "line breaks. Default: an empty value.",
        &t);
    return t;
  }();
  return table;
}

const OptionTable<FormatOptions>& JsonFormatTable() {
  static const OptionTable<FormatOptions> table = [] {
    OptionTable<FormatOptions> t = NewTable("format 'json'", "One JSON object a line.");
    AddSpecOption("unknown_fields", &FormatSpec::unknown_fields,
                  config::EnumOption<UnknownFields>(
                      {{"ignore", UnknownFields::kIgnore}, {"fail", UnknownFields::kFail}}),
                  "Reading: what happens to an object with fields that the schema does not have; "
                  "`fail` makes it a bad row.",
                  &t);
    return t;
  }();
  return table;
}

StringView FormatName(FormatKind kind) {
  for (const NamedFormat& format : kFormats) {
    if (format.kind == kind) return format.name;
  }
  return "";
}

bool ReadFormat(const Node& node, FormatUse use, FormatSpec* format, Diagnostics* diagnostics) {
  const Node* const name = node.IsMap() ? node.Find("type") : &node;
  if (name == nullptr) {
    diagnostics->Add(ErrorAt(node, codes::kMissingKey, "missing key 'type' in format")
                         .Help("format: {type: csv, header: true}"));
    return false;
  }
  if (!config::ExpectScalar(*name, "the name of a format, or a map with its `type`", diagnostics)) {
    return false;
  }
  const absl::optional<FormatKind> kind = FindFormat(*name, use, diagnostics);
  if (!kind.has_value()) return false;
  FormatOptions options;
  if (node.IsMap() && !TableOf(*kind).Read(node, &options, diagnostics)) return false;
  if (*kind == FormatKind::kCsv && !CheckNullText(node, options.spec, diagnostics)) return false;
  *format = std::move(options.spec);
  format->kind = *kind;
  return true;
}

}  // namespace weir::graph
