#include "common/graph/steps/filter.h"

#include <utility>

#include "common/graph/binding.h"

namespace weir::graph {

const config::OptionTable<FilterOptions>& FilterTable() {
  static const config::OptionTable<FilterOptions> table = [] {
    using O = FilterOptions;
    config::OptionTable<O> t("filter", "Keeps the rows for which a condition is TRUE.");
    t.Include(&O::common, TransformCommonTable());
    t.Add("input", &O::input, SingleInputOption(), kInputDescription).Required();
    t.Add("where", &O::where, ExpressionOption(), "The condition.").Required();
    t.Add("on_error", &O::on_error, OnErrorOption(), kOnErrorDescription);
    return t;
  }();
  return table;
}

absl::optional<FilterSpec> BindFilter(const FilterOptions& options, const EdgeRows& input,
                                      config::Diagnostics* diagnostics) {
  FilterSpec spec;
  spec.on_error = options.on_error;
  spec.where = BindPredicateNode(*options.where, input, diagnostics);
  if (spec.where == nullptr) return absl::nullopt;
  return spec;
}

}  // namespace weir::graph
