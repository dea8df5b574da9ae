#include "common/graph/steps/union_step.h"

#include <utility>

#include <absl/strings/str_cat.h>

#include "common/base/check.h"
#include "common/config/list_kinds.h"

namespace weir::graph {
namespace {

// Same names and types in the same order; a column is nullable if it is in any input.
absl::optional<std::vector<types::Field>> MergeFields(const std::vector<types::Field>& a,
                                                      const std::vector<types::Field>& b) {
  if (a.size() != b.size()) return absl::nullopt;
  std::vector<types::Field> merged = a;
  for (size_t i = 0; i < a.size(); ++i) {
    if (a[i].name != b[i].name || a[i].type != b[i].type) return absl::nullopt;
    merged[i].nullable |= b[i].nullable;
  }
  return merged;
}

// Rows of one stream have an event time, all or none.
bool CheckEventTime(const EdgeRows& first, const EdgeRows& other, const config::Node& place,
                    config::Diagnostics* diagnostics) {
  if (first.has_event_time == other.has_event_time) return true;
  const EdgeRows& timed = first.has_event_time ? first : other;
  const EdgeRows& timeless = first.has_event_time ? other : first;
  diagnostics->Add(config::ErrorAt(place, config::codes::kSchemaMismatch,
                                   absl::StrCat("'", timed.step_id, "' and '", timeless.step_id,
                                                "' cannot be united, because only the rows of '",
                                                timed.step_id, "' have an event time"))
                       .Help("give all their sources an `event_time`, or none")
                       .Help("an aggregate without window drops it, a window sets it"));
  return false;
}

}  // namespace

const config::OptionTable<UnionOptions>& UnionTable() {
  static const config::OptionTable<UnionOptions> table = [] {
    using O = UnionOptions;
    config::OptionTable<O> t("union", "The rows of several inputs that have the same columns.");
    t.Include(&O::common, TransformCommonTable());
    t.Add("inputs", &O::inputs,
          config::TextListOption{.min_count = 1, .type_text = "list of step ids"},
          "The steps whose rows it reads. Their columns must have the same names and types in the "
          "same order.")
        .Required();
    return t;
  }();
  return table;
}

absl::optional<EdgeRows> UniteRows(absl::Span<const EdgeRows> inputs,
                                   absl::Span<const config::Node* const> places,
                                   config::Diagnostics* diagnostics) {
  WEIR_CHECK(!inputs.empty());
  WEIR_CHECK(inputs.size() == places.size());
  EdgeRows rows = inputs.front();
  std::vector<types::Field> fields = rows.schema->fields();
  bool is_good = true;
  for (size_t i = 1; i < inputs.size(); ++i) {
    const EdgeRows& other = inputs[i];
    absl::optional<std::vector<types::Field>> merged = MergeFields(fields, other.schema->fields());
    if (!merged.has_value()) {
      is_good = false;
      diagnostics->Add(
          config::ErrorAt(*places[i], config::codes::kSchemaMismatch,
                          absl::StrCat("'", other.step_id, "' and '", rows.step_id,
                                       "' cannot be united, because their columns differ"))
              .Because(absl::StrCat("'", rows.step_id, "': ", rows.schema->ToString()))
              .Because(absl::StrCat("'", other.step_id, "': ", other.schema->ToString()))
              .Help("a step of type `select` in front gives both the same columns"));
      continue;
    }
    fields = *std::move(merged);
    is_good &= CheckEventTime(rows, other, *places[i], diagnostics);
    if (rows.changelog.IsUpdating() || other.changelog.IsUpdating()) {
      rows.changelog = {.mode = ChangelogMode::kRetract, .key = {}};
    }
    rows.has_watermark &= other.has_watermark;
    rows.is_bounded &= other.is_bounded;
  }
  if (!is_good) return absl::nullopt;
  rows.schema = std::make_shared<const types::Schema>(std::move(fields));
  return rows;
}

}  // namespace weir::graph
