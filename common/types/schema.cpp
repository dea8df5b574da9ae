#include "common/types/schema.h"

#include <utility>

#include <absl/strings/str_cat.h>

#include "common/base/check.h"

namespace weir::types {

Schema::Schema(std::vector<Field> fields) : fields_(std::move(fields)) {
  WEIR_CHECK(fields_.size() <= kColumnCountMax);
}

absl::optional<size_t> Schema::Find(StringView name) const {
  for (size_t i = 0; i < fields_.size(); ++i) {
    if (fields_[i].name == name) return i;
  }
  return absl::nullopt;
}

std::string Schema::ToString() const {
  std::string text;
  for (const Field& field : fields_) {
    absl::StrAppend(&text, text.empty() ? "" : ", ", field.name, " ", field.type.ToString(),
                    field.nullable ? "" : " not null");
  }
  return text;
}

}  // namespace weir::types
