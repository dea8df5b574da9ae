#include "taskmanager/operators/group_place.h"

#include <algorithm>
#include <vector>

#include <absl/strings/str_cat.h>

#include "common/base/check.h"
#include "common/types/value_text.h"

namespace weir::operators {
namespace {

// Key columns, and bytes of a string among them, that a message shows.
constexpr size_t kShownKeysMax = 8;
constexpr size_t kShownTextBytesMax = 64;

void AppendText(StringView text, std::string* out) {
  size_t size = std::min(text.size(), kShownTextBytesMax);
  // No character is cut in two.
  while (size < text.size() && size > 0 &&
         (static_cast<unsigned char>(text[size]) & 0xC0) == 0x80) {
    --size;
  }
  absl::StrAppend(out, "'", text.substr(0, size), size < text.size() ? "..." : "", "'");
}

void AppendValue(const types::Column& column, size_t row, std::string* out) {
  if (column.IsNull(row)) {
    absl::StrAppend(out, "NULL");
  } else if (column.type().kind == types::TypeKind::kString) {
    AppendText(column.String(row), out);
  } else {
    types::AppendValueText(column, row, out);
  }
}

}  // namespace

std::string PlaceOfResult(const GroupPlan& plan, size_t aggregate,
                          absl::Span<const types::ColumnPtr> keys, size_t row) {
  WEIR_CHECK(keys.size() == plan.key_count && aggregate < plan.layout->size());
  const size_t first_result = plan.schema->size() - plan.layout->size();
  std::string place =
      absl::StrCat("column '", plan.schema->field(first_result + aggregate).name, "'");
  if (keys.empty()) return place;
  absl::StrAppend(&place, ", key (");
  const size_t shown = std::min(keys.size(), kShownKeysMax);
  for (size_t k = 0; k < shown; ++k) {
    absl::StrAppend(&place, k == 0 ? "" : ", ", plan.schema->field(k).name, " = ");
    AppendValue(*keys[k], row, &place);
  }
  absl::StrAppend(&place, shown < keys.size() ? ", ...)" : ")");
  return place;
}

std::string PlaceOfResult(const GroupPlan& plan, size_t aggregate, const types::RecordBatch& batch,
                          size_t row) {
  std::vector<types::ColumnPtr> keys;
  for (size_t k = 0; k < plan.key_count; ++k) keys.push_back(batch.column_ptr(k));
  return PlaceOfResult(plan, aggregate, keys, row);
}

}  // namespace weir::operators
