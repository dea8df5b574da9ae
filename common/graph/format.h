// FormatSpec: how rows lie in bytes, for sources and sinks.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include <absl/types/optional.h>

namespace weir::graph {

enum class FormatKind : uint8_t {
  kText,  // one column `line string not null`: a line without its end
  kCsv,   // RFC 4180, UTF-8
  kJson,  // one JSON object a line
};

enum class UnknownFields : uint8_t { kIgnore, kFail };

struct FormatSpec {
  FormatKind kind = FormatKind::kText;
  // csv
  bool header = false;  // reading: the first line names the columns; writing: it is written
  char delimiter = ',';
  std::string null_text;  // an unquoted field with this text is NULL
  // json
  UnknownFields unknown_fields = UnknownFields::kIgnore;

  // Reading: per schema column where its value is: a JSON path "$.a.b" or a CSV header. Empty: the
  // column's name.
  std::vector<std::string> from;
  // Reading: per schema column the text to take when the value is missing; nullopt: NULL.
  std::vector<absl::optional<std::string>> defaults;
};

}  // namespace weir::graph
