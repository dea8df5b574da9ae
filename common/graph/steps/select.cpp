#include "common/graph/steps/select.h"

#include <algorithm>
#include <utility>

#include <absl/strings/str_cat.h>

#include "common/config/list_kinds.h"
#include "common/expr/bound_expr.h"

namespace weir::graph {
namespace {

using config::Diagnostics;
using config::ErrorAt;
using config::Node;
namespace codes = config::codes;

// Indexes of the input columns that pass unchanged, in output order. nullopt: reported.
absl::optional<std::vector<size_t>> KeptColumns(const SelectOptions& options, const EdgeRows& input,
                                                Diagnostics* diagnostics) {
  std::vector<size_t> kept;
  bool is_good = true;
  if (options.keep != nullptr && options.keep->IsSequence()) {
    for (const Node* item : options.keep->items()) {
      const absl::optional<size_t> column = FindColumn(*item, input, diagnostics);
      is_good &= column.has_value();
      if (!column.has_value()) continue;
      if (std::find(kept.begin(), kept.end(), *column) != kept.end()) {
        diagnostics->Add(ErrorAt(*item, codes::kDuplicateColumn,
                                 absl::StrCat("column '", item->text(), "' is listed twice")));
        is_good = false;
        continue;
      }
      kept.push_back(*column);
    }
  } else if (options.keep != nullptr || !options.drop.empty()) {
    for (size_t i = 0; i < input.schema->size(); ++i) kept.push_back(i);
  }
  for (const config::Located<std::string>& name : options.drop) {
    const absl::optional<size_t> column = FindColumn(*name.node, input, diagnostics);
    is_good &= column.has_value();
    if (column.has_value()) kept.erase(std::remove(kept.begin(), kept.end(), *column), kept.end());
  }
  if (!is_good) return absl::nullopt;
  return kept;
}

// `columns` take the place of a kept column with the same name, or go to the end.
void PlaceColumn(NamedExpr column, std::vector<NamedExpr>* columns) {
  for (NamedExpr& existing : *columns) {
    if (existing.name != column.name) continue;
    existing.expr = std::move(column.expr);
    return;
  }
  columns->push_back(std::move(column));
}

bool CheckOptions(const SelectOptions& options, Diagnostics* diagnostics) {
  const bool keeps_list = options.keep != nullptr && options.keep->IsSequence();
  if (options.keep != nullptr && !keeps_list &&
      (!options.keep->IsScalar() || options.keep->text() != "all")) {
    diagnostics->Add(ErrorAt(*options.keep, codes::kBadValue,
                             "`keep` wants a list of columns, or the word all"));
    return false;
  }
  if (keeps_list && !options.drop.empty()) {
    diagnostics->Add(ErrorAt(*options.drop.front().node, codes::kConflictingOptions,
                             "a list in `keep` says already which columns stay; `drop` has nothing "
                             "to do"));
    return false;
  }
  if (options.columns.empty() && options.keep == nullptr && options.drop.empty()) {
    diagnostics->Add(config::ErrorAtKey(*options.input.front().node->parent(), codes::kMissingKey,
                                        "a `select` needs `columns`, `keep` or `drop`")
                         .Help("to choose rows alone, use `type: filter`"));
    return false;
  }
  return true;
}

}  // namespace

const config::OptionTable<SelectOptions>& SelectTable() {
  static const config::OptionTable<SelectOptions> table = [] {
    using O = SelectOptions;
    config::OptionTable<O> t("select", "Chooses and computes columns.");
    t.Include(&O::common, TransformCommonTable());
    t.Add("input", &O::input, SingleInputOption(), kInputDescription).Required();
    t.Add("columns", &O::columns,
          config::CustomOption<std::vector<NamedNode>>{.type_text = "a map of names to expressions",
                                                       .read = ReadNamedExpressions},
          "Columns to compute. One with the name of a kept column takes its place; others follow "
          "behind the kept ones.")
        .Default("none");
    t.Add("keep", &O::keep, LaterOption("a list of columns, or all"),
          "Input columns that pass unchanged.")
        .Default("none, or all if drop is set");
    t.Add("drop", &O::drop, config::TextListOption{.type_text = "list of columns"},
          "Input columns that do not pass.")
        .Default("none");
    t.Add("where", &O::where, ExpressionOption(),
          "A condition on the input row; other rows are left out.")
        .Default("none");
    t.Add("on_error", &O::on_error, OnErrorOption(), kOnErrorDescription);
    return t;
  }();
  return table;
}

absl::optional<BoundSelect> BindSelect(const SelectOptions& options, const EdgeRows& input,
                                       Diagnostics* diagnostics) {
  if (!CheckOptions(options, diagnostics)) return absl::nullopt;
  BoundSelect bound;
  bound.spec.on_error = options.on_error;
  const absl::optional<std::vector<size_t>> kept = KeptColumns(options, input, diagnostics);
  bool is_good = kept.has_value();
  if (is_good) {
    for (const size_t column : *kept) {
      bound.spec.columns.push_back(
          {input.schema->field(column).name, ColumnExpr(*input.schema, column)});
    }
  }
  for (const NamedNode& named : options.columns) {
    expr::BoundExprPtr computed = BindNode(*named.expr_node, input, diagnostics);
    is_good &= computed != nullptr &&
               ExpectColumnType(*named.expr_node, named.name, computed->type(), diagnostics);
    if (computed != nullptr) PlaceColumn({named.name, std::move(computed)}, &bound.spec.columns);
  }
  if (options.where != nullptr) {
    bound.spec.where = BindPredicateNode(*options.where, input, diagnostics);
    is_good &= bound.spec.where != nullptr;
  }
  if (!is_good) return absl::nullopt;
  if (bound.spec.columns.empty() || bound.spec.columns.size() > types::kColumnCountMax) {
    diagnostics->Add(
        config::ErrorAtKey(*options.input.front().node->parent(), codes::kLimitExceeded,
                           absl::StrCat("the step makes rows of ", bound.spec.columns.size(),
                                        " columns; a row has 1 to ", types::kColumnCountMax))
            .Help("choose columns with `keep`, `drop` or `columns`"));
    return absl::nullopt;
  }
  bound.rows = input;
  bound.rows.schema = SelectSchema(bound.spec);
  bound.rows.changelog = SelectChangelog(bound.spec, input.changelog);
  return bound;
}

types::SchemaPtr SelectSchema(const SelectSpec& spec) {
  std::vector<types::Field> fields;
  fields.reserve(spec.columns.size());
  for (const NamedExpr& column : spec.columns) {
    fields.push_back({column.name, column.expr->type(), column.expr->nullable()});
  }
  return std::make_shared<const types::Schema>(std::move(fields));
}

Changelog SelectChangelog(const SelectSpec& spec, const Changelog& input) {
  if (input.mode != ChangelogMode::kUpsert) return input;
  Changelog changelog{.mode = ChangelogMode::kUpsert, .key = {}};
  for (const size_t key : input.key) {
    const auto found =
        std::find_if(spec.columns.begin(), spec.columns.end(), [key](const NamedExpr& column) {
          const absl::optional<size_t> source = column.expr->column();
          return source.has_value() && *source == key;
        });
    if (found == spec.columns.end()) return {.mode = ChangelogMode::kRetract, .key = {}};
    changelog.key.push_back(static_cast<size_t>(found - spec.columns.begin()));
  }
  return changelog;
}

}  // namespace weir::graph
