#include "common/graph/steps/unnest.h"

#include <utility>

#include <absl/strings/str_cat.h>

#include "common/graph/binding.h"
#include "common/graph/row_type.h"

namespace weir::graph {
namespace {

using config::Diagnostics;
namespace codes = config::codes;

bool AddField(const config::Located<std::string>& name, const types::DataType& type, bool nullable,
              std::vector<types::Field>* fields, Diagnostics* diagnostics) {
  if (!ExpectColumnName(*name.node, diagnostics)) return false;
  for (const types::Field& field : *fields) {
    if (field.name != *name) continue;
    diagnostics->Add(config::ErrorAt(*name.node, codes::kDuplicateColumn,
                                     absl::StrCat("there is a column '", *name, "' already")));
    return false;
  }
  fields->push_back({*name, type, nullable});
  return true;
}

}  // namespace

const config::OptionTable<UnnestOptions>& UnnestTable() {
  static const config::OptionTable<UnnestOptions> table = [] {
    using O = UnnestOptions;
    config::OptionTable<O> t("unnest",
                             "A row per element of an array: the input's columns and the element.");
    t.Include(&O::common, TransformCommonTable());
    t.Add("input", &O::input, SingleInputOption(), kInputDescription).Required();
    t.Add("expr", &O::expr, ExpressionOption(), "The array.").Required();
    t.Add("as", &O::as, config::TextOption{.type_text = "a column name"}, "The element's column.")
        .Required();
    t.Add("outer", &O::outer, config::BoolOption{},
          "Whether a row without elements gives one row, with NULL as the element.");
    t.Add("ordinality", &O::ordinality, config::TextOption{.type_text = "a column name"},
          "A column for the element's number, from 1.")
        .Default("none");
    t.Add("on_error", &O::on_error, OnErrorOption(), kOnErrorDescription);
    return t;
  }();
  return table;
}

absl::optional<BoundUnnest> BindUnnest(const UnnestOptions& options, const EdgeRows& input,
                                       Diagnostics* diagnostics) {
  BoundUnnest bound;
  bound.spec.outer = options.outer;
  bound.spec.has_ordinality = options.ordinality.IsSet();
  bound.spec.on_error = options.on_error;
  expr::BoundExprPtr array = BindNode(*options.expr, input, diagnostics);
  if (array == nullptr) return absl::nullopt;
  if (!array->type().IsArray()) {
    diagnostics->Add(config::ErrorAt(*options.expr, codes::kExpressionType,
                                     absl::StrCat("unnest wants an array, and this is ",
                                                  array->type().ToString()))
                         .Help("regexp_extract_all(text, pattern) makes an array of all matches"));
    return absl::nullopt;
  }
  std::vector<types::Field> fields = input.schema->fields();
  bool is_good =
      AddField(options.as, array->type().ElementType(), /*nullable=*/true, &fields, diagnostics);
  if (options.ordinality.IsSet()) {
    is_good &= AddField(options.ordinality, types::kInt64Type, /*nullable=*/options.outer, &fields,
                        diagnostics);
  }
  if (!is_good) return absl::nullopt;
  bound.spec.expr = std::move(array);
  bound.rows = input;
  bound.rows.schema = std::make_shared<const types::Schema>(std::move(fields));
  if (input.changelog.IsUpdating()) {
    bound.rows.changelog = {.mode = ChangelogMode::kRetract, .key = {}};
  }
  return bound;
}

}  // namespace weir::graph
