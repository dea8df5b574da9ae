#include "common/graph/row_type.h"

#include <algorithm>
#include <iterator>
#include <map>
#include <memory>
#include <utility>

#include <absl/strings/ascii.h>
#include <absl/strings/match.h>
#include <absl/strings/str_cat.h>
#include <absl/strings/str_split.h>
#include <absl/strings/strip.h>

#include "common/config/names.h"
#include "common/graph/steps/step_options.h"
#include "common/types/value_text.h"

namespace weir::graph {
namespace {

using config::Diagnostics;
using config::ErrorAt;
using config::Node;
using config::OptionTable;
using config::TextOption;
namespace codes = config::codes;

constexpr size_t kColumnNameBytesMax = 63;

// What people write, besides the canonical names.
const std::vector<std::string>& TypeNames() {
  static const std::vector<std::string> names = {
      "bool", "int32",  "int64",       "double",  "string",  "timestamp", "date",   "decimal",
      "int",  "bigint", "timestamptz", "numeric", "integer", "text",      "boolean"};
  return names;
}

// What other systems call a type.
constexpr config::ForeignName kForeignNames[] = {
    {"long", "int64"},          {"float", "double"}, {"real", "double"}, {"float4", "double"},
    {"smallint", "int32"},      {"int16", "int32"},  {"int2", "int32"},  {"tinyint", "int32"},
    {"varchar", "string"},      {"char", "string"},  {"str", "string"},  {"datetime", "timestamp"},
    {"number", "decimal(p,s)"},
};

// "did you mean 'timestamp'?", by the canonical name; "" if none is near.
std::string NearestType(StringView word) {
  std::string foreign = config::DidYouMeanOurs(word, kForeignNames);
  if (!foreign.empty()) return foreign;
  const std::string nearest = config::NearestName(word, TypeNames());
  if (nearest.empty()) return "";
  const types::DataType type = *types::ParseDataType(nearest);
  const bool is_decimal = type.kind == types::TypeKind::kDecimal;
  return absl::StrCat("did you mean '", is_decimal ? "decimal(p,s)" : type.ToString(), "'?");
}

// Types that expressions or other systems have, but no column does.
bool IsKnownElsewhere(StringView name) {
  for (const char* known :
       {"int16", "smallint", "int2", "float", "real", "float4", "bytes", "bytea", "datetime",
        "time", "interval", "array", "map", "row", "json", "jsonb"}) {
    if (name == known) return true;
  }
  return false;
}

// Removes a trailing "not null"; the rest of the text in lower case.
std::string SplitNotNull(StringView text, bool* nullable) {
  const std::vector<std::string> words =
      absl::StrSplit(absl::AsciiStrToLower(text), absl::ByAnyChar(" \t"), absl::SkipEmpty());
  size_t count = words.size();
  *nullable = !(count >= 2 && words[count - 2] == "not" && words[count - 1] == "null");
  if (!*nullable) count -= 2;
  std::string rest;
  for (size_t i = 0; i < count; ++i) absl::StrAppend(&rest, i == 0 ? "" : " ", words[i]);
  return rest;
}

// The word in front of brackets: "decimal" of "decimal(12,2)".
std::string LeadingWord(StringView text) {
  size_t end = 0;
  while (end < text.size() &&
         (absl::ascii_isalnum(static_cast<unsigned char>(text[end])) != 0 || text[end] == '_')) {
    ++end;
  }
  return std::string(text.substr(0, end));
}

int BracketBalance(StringView text) {
  int balance = 0;
  for (const char c : text) {
    if (c == '(' || c == '<') ++balance;
    if (c == ')' || c == '>') --balance;
  }
  return balance;
}

void ReportBadType(const Node& node, StringView text, Diagnostics* diagnostics) {
  const std::string word = LeadingWord(text);
  if (BracketBalance(text) != 0) {
    auto error = ErrorAt(node, codes::kBadTypeText,
                         absl::StrCat("the brackets of type '", text, "' are not balanced"));
    if (node.InFlow()) error.Help("inside {...}, quote a type that contains a comma");
    diagnostics->Add(std::move(error));
    return;
  }
  if (word == "decimal" || word == "numeric") {
    diagnostics->Add(ErrorAt(node, codes::kBadPrecision, absl::StrCat("bad type '", text, "'"))
                         .Help("decimal(p,s) with 1 <= p <= 38 digits, of which 0 <= s <= p "
                               "are behind the point"));
    return;
  }
  if (IsKnownElsewhere(word)) {
    diagnostics->Add(
        ErrorAt(node, codes::kNotAvailable,
                absl::StrCat("columns of type '", word, "' are not available in this version"))
            .Suggest(config::DidYouMeanOurs(word, kForeignNames))
            .Help("column types: bool, int32, int64, double, string, timestamp, date, "
                  "decimal(p,s)"));
    return;
  }
  diagnostics->Add(ErrorAt(node, codes::kUnknownType, absl::StrCat("unknown type '", text, "'"))
                       .Suggest(NearestType(word))
                       .Help("column types: bool, int32, int64, double, string, timestamp, date, "
                             "decimal(p,s); each may be followed by `not null`"));
}

bool ReadLongForm(const Node& node, RowColumn* column, Diagnostics* diagnostics) {
  ColumnOptions options;
  if (!ColumnTable().Read(node, &options, diagnostics)) return false;
  column->from = options.from.node;
  if (options.default_value != nullptr &&
      !config::ExpectScalar(*options.default_value, "a value of the type", diagnostics)) {
    return false;
  }
  column->default_value = options.default_value;
  if (!ReadColumnType(*options.type.node, &column->field, diagnostics)) return false;
  if (column->default_value == nullptr ||
      IsValueOf(column->field.type, column->default_value->text())) {
    return true;
  }
  diagnostics->Add(
      ErrorAt(*column->default_value, codes::kBadDefault,
              absl::StrCat("default '", column->default_value->text(), "' is not a value of type ",
                           column->field.type.ToString())));
  return false;
}

RowType ReadRowType(const Node& key, const Node& node, Diagnostics* diagnostics) {
  RowType row_type;
  row_type.id = key.text();
  row_type.is_complete = config::ExpectMap(node, "a map of column names to types", diagnostics);
  if (!row_type.is_complete) return row_type;
  if (node.entries().empty() || node.entries().size() > types::kColumnCountMax) {
    diagnostics->Add(ErrorAt(node, codes::kLimitExceeded,
                             absl::StrCat("schema '", row_type.id, "' has ", node.entries().size(),
                                          " columns; a row has 1 to ", types::kColumnCountMax))
                         .Help("list the columns: id: int64 not null, name: string"));
    row_type.is_complete = false;
    return row_type;
  }
  for (const config::MapEntry& entry : node.entries()) {
    RowColumn column;
    column.node = entry.value;
    column.field.name = entry.key->text();
    bool is_good = ExpectColumnName(*entry.key, diagnostics);
    if (entry.value->IsMap()) {
      is_good &= ReadLongForm(*entry.value, &column, diagnostics);
    } else {
      is_good &= config::ExpectScalar(*entry.value, "a type such as `int64 not null`, or a map",
                                      diagnostics) &&
                 ReadColumnType(*entry.value, &column.field, diagnostics);
    }
    row_type.is_complete &= is_good;
    row_type.columns.push_back(std::move(column));
  }
  return row_type;
}

// Most names in one JSON path; decoders have the same limit.
constexpr size_t kJsonPathNamesMax = 32;

using JsonPath = std::vector<std::string>;

// The names of "$.a.b", or the text itself where it does not begin with $. Empty: neither.
JsonPath ParseJsonPath(StringView text) {
  if (!absl::StartsWith(text, "$")) return {std::string(text)};
  if (!absl::ConsumePrefix(&text, "$.") || absl::StrContains(text, "[")) return {};
  JsonPath names = absl::StrSplit(text, '.');
  for (const std::string& name : names) {
    if (name.empty()) return {};
  }
  return names.size() > kJsonPathNamesMax ? JsonPath() : names;
}

// One value cannot be of two types, and not an object and a value at once.
bool CheckJsonPaths(const RowType& row_type, Diagnostics* diagnostics) {
  std::map<JsonPath, const RowColumn*> by_path;
  bool is_good = true;
  const auto report = [&](const RowColumn& column, StringView text) {
    diagnostics->Add(ErrorAt(*column.node, codes::kConflictingOptions, std::string(text)));
    is_good = false;
  };
  for (const RowColumn& column : row_type.columns) {
    const JsonPath path =
        ParseJsonPath(column.from != nullptr ? column.from->text() : StringView(column.field.name));
    const auto [found, is_new] = by_path.emplace(path, &column);
    if (!is_new && found->second->field.type != column.field.type) {
      report(column, absl::StrCat("columns '", found->second->field.name, "' and '",
                                  column.field.name, "' read one field as different types"));
    }
  }
  // Sorted, so that a path stands right before the first that continues it.
  for (auto path = by_path.begin(); path != by_path.end(); ++path) {
    const auto next = std::next(path);
    if (next == by_path.end() || next->first.size() <= path->first.size()) continue;
    if (!std::equal(path->first.begin(), path->first.end(), next->first.begin())) continue;
    report(*next->second, absl::StrCat("column '", path->second->field.name,
                                       "' reads a field as a value in which column '",
                                       next->second->field.name, "' looks for a field"));
  }
  return is_good;
}

bool CheckFrom(const RowColumn& column, const FormatSpec& format, Diagnostics* diagnostics) {
  if (column.from == nullptr) return true;
  const std::string& from = column.from->text();
  if (format.kind == FormatKind::kJson && ParseJsonPath(from).empty()) {
    diagnostics->Add(
        ErrorAt(*column.from, codes::kBadValue, absl::StrCat("'", from, "' is not a JSON path"))
            .Help("$.amount.value, or the name of a field; no array subscripts"));
    return false;
  }
  if (format.kind == FormatKind::kCsv && !format.header) {
    diagnostics->Add(ErrorAt(*column.from, codes::kConflictingOptions,
                             absl::StrCat("column '", column.field.name, "' is read from header '",
                                          from, "', but the format has no header line"))
                         .Help("format: {type: csv, header: true}"));
    return false;
  }
  return true;
}

}  // namespace

const OptionTable<ColumnOptions>& ColumnTable() {
  static const OptionTable<ColumnOptions> table = [] {
    using O = ColumnOptions;
    OptionTable<O> t("column", "The long form of a column of `types`.");
    t.Add("type", &O::type, TextOption{.type_text = "a type"},
          "bool, int32, int64, double, string, timestamp, date or decimal(p,s), and `not null` "
          "behind it if the column always has a value.")
        .Required();
    t.Add("from", &O::from, TextOption{},
          "Where a decoder finds the value: a JSON path such as $.amount.value, or a CSV header.")
        .Default("the column's name");
    t.Add("default", &O::default_value, LaterOption("a value of the type"),
          "The value where the input has none.")
        .Default("NULL");
    t.Add("description", &O::description, TextOption{.may_be_empty = true}, "For people.");
    return t;
  }();
  return table;
}

types::SchemaPtr RowType::ToSchema() const {
  std::vector<types::Field> fields;
  fields.reserve(columns.size());
  for (const RowColumn& column : columns) fields.push_back(column.field);
  return std::make_shared<const types::Schema>(std::move(fields));
}

std::vector<RowType> ReadTypes(const Node& node, Diagnostics* diagnostics) {
  std::vector<RowType> row_types;
  if (!config::ExpectMap(node, "a map of schema names to columns", diagnostics)) {
    return row_types;
  }
  for (const config::MapEntry& entry : node.entries()) {
    config::ExpectId(*entry.key, diagnostics);
    row_types.push_back(ReadRowType(*entry.key, *entry.value, diagnostics));
  }
  return row_types;
}

bool ReadColumnType(const Node& node, types::Field* field, Diagnostics* diagnostics) {
  bool nullable = true;
  const std::string text = SplitNotNull(node.text(), &nullable);
  const absl::optional<types::DataType> type = types::ParseDataType(text);
  if (!type.has_value()) {
    ReportBadType(node, text, diagnostics);
    return false;
  }
  field->type = *type;
  field->nullable = nullable;
  return true;
}

bool ExpectColumnName(const Node& key, Diagnostics* diagnostics) {
  const std::string& name = key.text();
  bool is_good = !name.empty() && name.size() <= kColumnNameBytesMax &&
                 absl::ascii_isdigit(static_cast<unsigned char>(name[0])) == 0;
  for (const char c : name) {
    is_good &= absl::ascii_isalnum(static_cast<unsigned char>(c)) != 0 || c == '_';
  }
  if (is_good) return true;
  diagnostics->Add(ErrorAt(key, codes::kBadId, absl::StrCat("bad column name '", name, "'"))
                       .Help("letters, digits and _, at most 63, not beginning with a digit; "
                             "`from:` reads fields of other names"));
  return false;
}

bool ApplyColumns(const RowType& row_type, FormatSpec* format, Diagnostics* diagnostics) {
  bool is_good = true;
  for (const RowColumn& column : row_type.columns) {
    is_good &= CheckFrom(column, *format, diagnostics);
    format->from.push_back(column.from == nullptr ? "" : column.from->text());
    absl::optional<std::string> text;
    if (column.default_value != nullptr) text = column.default_value->text();
    format->defaults.push_back(std::move(text));
  }
  if (is_good && format->kind == FormatKind::kJson) return CheckJsonPaths(row_type, diagnostics);
  return is_good;
}

bool IsValueOf(const types::DataType& type, StringView text) {
  types::Slot slot;
  return types::ParseValueText(text, type, &slot);
}

}  // namespace weir::graph
