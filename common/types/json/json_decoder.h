// JsonDecoder: JSON lines become rows: each line is one object.
// Values must have their column's type: numbers for int32, int64, double; strings for string, date
// and timestamp (ISO 8601); numbers or strings for decimal, read exactly; a double may also be
// "NaN", "Infinity" or "-Infinity". A missing field takes the default, an explicit null is NULL. A
// wanted field that occurs twice is an error. Blank lines are skipped. Of fields nobody wants only
// the structure is looked at.
#pragma once

#include <memory>
#include <vector>

#include <absl/status/statusor.h>

#include "common/types/row_decoder.h"

namespace weir::types {

enum class UnknownJsonFields : bool { kIgnore, kFail };

struct JsonDecodeOptions {
  UnknownJsonFields unknown_fields = UnknownJsonFields::kIgnore;
  std::vector<ColumnSource> sources;  // one per column; `from` is a path "$.a.b" or a field's name
};

// INVALID_ARGUMENT: a bad path, paths that contradict each other, or a default that is not a value
// of its column.
absl::StatusOr<std::unique_ptr<RowDecoder>> MakeJsonDecoder(const SchemaPtr& schema,
                                                            JsonDecodeOptions options);

}  // namespace weir::types
