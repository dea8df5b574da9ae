// JsonFields: which fields of an object are wanted, and which column each one fills.
// Paths form a tree: "$.a.b" is field b of the object in field a.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include <absl/status/status.h>
#include <absl/status/statusor.h>

#include "common/base/string_view.h"
#include "common/types/row_decoder.h"
#include "common/types/schema.h"

namespace weir::types {

// Most fields of one object whose order is remembered.
inline constexpr size_t kJsonLayoutFieldsMax = 1024;
// Most names in one path.
inline constexpr size_t kJsonPathDepthMax = 32;

// The names of a path: "$.a.b" -> a, b. A text that does not begin with '$' is one field's name.
// INVALID_ARGUMENT: an empty name, an array subscript, or too many names.
absl::StatusOr<std::vector<std::string>> ParseJsonPath(StringView path);

inline constexpr size_t kNoIndex = SIZE_MAX;

// One wanted field of an object.
struct JsonField {
  std::string key;
  std::string path;             // "a.b", for messages
  std::vector<size_t> columns;  // that it fills, all of one type; empty if it leads to an object
  DataType type;                // of those columns
  size_t object = kNoIndex;     // index of that object
  uint64_t seen_in_row = 0;     // number of the row that had it last
};

// The wanted fields of one object, and the order in which rows brought all their fields so far: a
// field that is where it was in the row before is found by one comparison.
struct JsonObject {
  struct Place {
    std::string key;
    // Its bytes in JSON are the key's, so that they can be compared as they are.
    bool comparable = false;
    uint64_t head = 0;        // the key's first eight bytes, or all of them and zeros
    uint64_t head_mask = 0;   // covers those of its bytes that are the key's
    size_t field = kNoIndex;  // kNoIndex: nobody wants it
  };

  std::vector<size_t> fields;  // indexes of wanted fields
  std::vector<Place> layout;
};

// Thread: confined to one thread.
class JsonFields {
 public:
  // INVALID_ARGUMENT: a bad path; one path with two types; one path that leads to a value for one
  // column and to an object for another.
  static absl::StatusOr<JsonFields> Make(const Schema& schema,
                                         const std::vector<ColumnSource>& sources);

  JsonObject& object(size_t index) { return objects_[index]; }
  JsonField& field(size_t index) { return fields_[index]; }
  size_t field_count() const { return fields_.size(); }
  static constexpr size_t kRoot = 0;

  // Finds a field by its name and remembers its place. kNoIndex: it is not wanted.
  size_t Find(JsonObject& object, size_t place, StringView key);

 private:
  JsonFields() { objects_.emplace_back(); }
  absl::Status Add(const Schema& schema, size_t column, const std::vector<std::string>& names);
  size_t FindIn(const JsonObject& object, StringView key) const;

  std::vector<JsonObject> objects_;
  std::vector<JsonField> fields_;
};

}  // namespace weir::types
