#include "common/types/json/json_fields.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include <absl/strings/str_cat.h>
#include <absl/strings/str_join.h>
#include <absl/strings/str_split.h>

#include "common/base/status_macros.h"

namespace weir::types {

absl::StatusOr<std::vector<std::string>> ParseJsonPath(StringView path) {
  if (path.empty() || path[0] != '$') return std::vector<std::string>{std::string(path)};
  if (path.size() < 2 || path[1] != '.') {
    return absl::InvalidArgumentError(
        absl::StrCat("JSON path '", path, "': write $.field or $.object.field"));
  }
  std::vector<std::string> names = absl::StrSplit(path.substr(2), '.');
  for (const std::string& name : names) {
    if (name.empty()) {
      return absl::InvalidArgumentError(absl::StrCat("JSON path '", path, "' has an empty name"));
    }
    if (name.find('[') != std::string::npos) {
      return absl::InvalidArgumentError(
          absl::StrCat("JSON path '", path, "': array subscripts are not supported"));
    }
  }
  if (names.size() > kJsonPathDepthMax) {
    return absl::InvalidArgumentError(
        absl::StrCat("JSON path '", path, "' has more than ", kJsonPathDepthMax, " names"));
  }
  return names;
}

absl::StatusOr<JsonFields> JsonFields::Make(const Schema& schema,
                                            const std::vector<ColumnSource>& sources) {
  JsonFields fields;
  for (size_t i = 0; i < schema.size(); ++i) {
    std::vector<std::string> names = {schema.field(i).name};
    if (!sources[i].from.empty()) {
      WEIR_ASSIGN_OR_RETURN(names, ParseJsonPath(sources[i].from));
    }
    WEIR_RETURN_IF_ERROR(fields.Add(schema, i, names));
  }
  // The first row is expected to have the wanted fields in the schema's order.
  for (JsonObject& object : fields.objects_) {
    for (const size_t index : object.fields) {
      fields.Find(object, object.layout.size(), fields.fields_[index].key);
    }
  }
  return fields;
}

absl::Status JsonFields::Add(const Schema& schema, size_t column,
                             const std::vector<std::string>& names) {
  size_t object = kRoot;
  for (size_t depth = 0; depth < names.size(); ++depth) {
    size_t index = FindIn(objects_[object], names[depth]);
    if (index == kNoIndex) {
      index = fields_.size();
      JsonField field;
      field.key = names[depth];
      field.path =
          absl::StrJoin(names.begin(), names.begin() + static_cast<ptrdiff_t>(depth) + 1, ".");
      fields_.push_back(std::move(field));
      objects_[object].fields.push_back(index);
    }
    const bool is_last = depth + 1 == names.size();
    if (is_last ? fields_[index].object != kNoIndex : !fields_[index].columns.empty()) {
      return absl::InvalidArgumentError(
          absl::StrCat("column '", schema.field(column).name, "': '", fields_[index].path,
                       "' cannot be both a value and an object with columns in it"));
    }
    if (is_last) {
      std::vector<size_t>& columns = fields_[index].columns;
      if (!columns.empty() && schema.field(columns[0]).type != schema.field(column).type) {
        return absl::InvalidArgumentError(absl::StrCat(
            "columns '", schema.field(columns[0]).name, "' and '", schema.field(column).name,
            "' read '", fields_[index].path, "' as two types"));
      }
      columns.push_back(column);
      fields_[index].type = schema.field(column).type;
    } else {
      if (fields_[index].object == kNoIndex) {
        fields_[index].object = objects_.size();
        objects_.emplace_back();
      }
      object = fields_[index].object;
    }
  }
  return absl::OkStatus();
}

size_t JsonFields::FindIn(const JsonObject& object, StringView key) const {
  for (const size_t index : object.fields) {
    if (fields_[index].key == key) return index;
  }
  return kNoIndex;
}

size_t JsonFields::Find(JsonObject& object, size_t place, StringView key) {
  const size_t index = FindIn(object, key);
  if (place >= kJsonLayoutFieldsMax) return index;
  if (place >= object.layout.size()) object.layout.resize(place + 1);
  JsonObject::Place& remembered = object.layout[place];
  remembered.key = std::string(key);
  // A comparison reads as many bytes as the key has, at worst behind the end of the input.
  remembered.comparable =
      key.size() < kDecodePadding && key.find_first_of("\"\\") == StringView::npos;
  remembered.head = 0;
  const size_t head_size = std::min(key.size(), sizeof(remembered.head));
  if (head_size > 0) std::memcpy(&remembered.head, key.data(), head_size);
  remembered.head_mask =
      head_size == sizeof(remembered.head) ? ~uint64_t{0} : (uint64_t{1} << (8 * head_size)) - 1;
  remembered.field = index;
  return index;
}

}  // namespace weir::types
