#include "common/graph/binding.h"

#include <utility>

#include <absl/strings/str_cat.h>

#include "common/base/check.h"
#include "common/config/names.h"
#include "common/config/option_kinds.h"
#include "common/graph/row_type.h"

namespace weir::graph {
namespace {

using config::Diagnostics;
using config::ErrorAt;
using config::Node;
namespace codes = config::codes;

// Column names that a message lists at most.
constexpr size_t kListedColumnsMax = 20;

void AddBindErrors(const Node& node, const expr::BindErrors& errors, Diagnostics* diagnostics) {
  for (const expr::BindError& error : errors) {
    config::Diagnostic diagnostic = config::ErrorInText(
        node, error.range.offset, size_t{error.range.offset} + error.range.length, error.code,
        error.message);
    diagnostic.Advise(error.label);
    for (const std::string& line : error.help) diagnostic.Help(line);
    diagnostics->Add(std::move(diagnostic));
  }
}

expr::BindScope ScopeOf(const EdgeRows& rows) {
  return {.schema = *rows.schema, .name = rows.step_id};
}

std::vector<std::string> NamesOf(const types::Schema& schema) {
  std::vector<std::string> names;
  for (const types::Field& field : schema.fields()) names.push_back(field.name);
  return names;
}

}  // namespace

expr::BoundExprPtr BindNode(const Node& node, const EdgeRows& rows, Diagnostics* diagnostics) {
  expr::BindErrors errors;
  expr::BoundExprPtr bound = expr::BindExpression(node.text(), ScopeOf(rows), &errors);
  AddBindErrors(node, errors, diagnostics);
  return bound;
}

expr::BoundExprPtr BindPredicateNode(const Node& node, const EdgeRows& rows,
                                     Diagnostics* diagnostics) {
  expr::BindErrors errors;
  expr::BoundExprPtr bound = expr::BindPredicate(node.text(), ScopeOf(rows), &errors);
  AddBindErrors(node, errors, diagnostics);
  return bound;
}

absl::optional<expr::BoundAggregate> BindAggregateNode(const Node& node, const EdgeRows& rows,
                                                       Diagnostics* diagnostics) {
  expr::BindErrors errors;
  absl::optional<expr::BoundAggregate> bound =
      expr::BindAggregate(node.text(), ScopeOf(rows), &errors);
  AddBindErrors(node, errors, diagnostics);
  return bound;
}

expr::BoundExprPtr ColumnExpr(const types::Schema& schema, size_t index) {
  WEIR_CHECK(index < schema.size());
  expr::BoundExpr::Parts parts;
  parts.kind = expr::ExprKind::kColumn;
  parts.type = schema.field(index).type;
  parts.nullable = schema.field(index).nullable;
  parts.column = index;
  return std::make_shared<const expr::BoundExpr>(std::move(parts));
}

absl::optional<size_t> FindColumn(const Node& node, const EdgeRows& rows,
                                  Diagnostics* diagnostics) {
  const absl::optional<size_t> found = rows.schema->Find(node.text());
  if (found.has_value()) return found;
  diagnostics->Add(
      ErrorAt(node, codes::kUnknownColumn,
              absl::StrCat("'", rows.step_id, "' has no column '", node.text(), "'"))
          .Advise(config::DidYouMean(node.text(), NamesOf(*rows.schema)))
          .Help(absl::StrCat("columns of '", rows.step_id, "': ", ColumnNames(*rows.schema))));
  return absl::nullopt;
}

bool ExpectColumnType(const Node& node, StringView name, const types::DataType& type,
                      Diagnostics* diagnostics) {
  if (type.kind == types::TypeKind::kNull) {
    diagnostics->Add(ErrorAt(node, codes::kExpressionType,
                             absl::StrCat("the type of column '", name, "' is not known"))
                         .Help("say it with a cast: CAST(NULL AS int64)"));
    return false;
  }
  if (type.IsArray()) {
    diagnostics->Add(ErrorAt(node, codes::kUnsupportedColumnType,
                             absl::StrCat("column '", name, "' would be of type ", type.ToString(),
                                          ", and columns cannot be arrays"))
                         .Help("a step of type `unnest` makes a row of each element"));
    return false;
  }
  return true;
}

std::string ColumnNames(const types::Schema& schema) {
  return config::JoinNames(NamesOf(schema), kListedColumnsMax);
}

bool ReadNamedExpressions(const Node& node, std::vector<NamedNode>* named,
                          Diagnostics* diagnostics) {
  if (!config::ExpectMap(node, "a map of column names to expressions", diagnostics)) return false;
  bool is_good = true;
  for (const config::MapEntry& entry : node.entries()) {
    const bool is_name = ExpectColumnName(*entry.key, diagnostics);
    const bool is_expression = config::ExpectScalar(*entry.value, "an expression", diagnostics);
    is_good &= is_name && is_expression;
    if (!is_expression) continue;
    named->push_back({.name = entry.key->text(), .name_node = entry.key, .expr_node = entry.value});
  }
  return is_good;
}

bool ReadKeys(const Node& node, std::vector<NamedNode>* named, Diagnostics* diagnostics) {
  if (node.IsMap()) return ReadNamedExpressions(node, named, diagnostics);
  if (!config::ExpectSequence(node, "a list of columns, or a map of names to expressions",
                              diagnostics)) {
    return false;
  }
  bool is_good = true;
  for (const Node* item : node.items()) {
    if (!config::ExpectScalar(*item, "the name of a column", diagnostics)) {
      is_good = false;
      continue;
    }
    for (const NamedNode& other : *named) {
      if (other.name != item->text()) continue;
      diagnostics->Add(ErrorAt(*item, codes::kDuplicateId,
                               absl::StrCat("column '", item->text(), "' is listed twice"))
                           .Help("remove one of the two"));
      is_good = false;
    }
    named->push_back(
        {.name = item->text(), .name_node = item, .expr_node = item, .is_column = true});
  }
  return is_good;
}

}  // namespace weir::graph
