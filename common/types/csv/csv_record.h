// CSV records (RFC 4180): where a record ends, and its fields.
// A record ends at the first line feed outside quotes, and only a quote that begins a field opens
// them: a stray quote spoils its own record and none after it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include <absl/status/status.h>
#include <absl/status/statusor.h>

#include "common/base/string_view.h"

namespace weir::types {

inline constexpr char kCsvQuote = '"';

// Finds the ends of records in bytes that come in pieces.
//
// Thread: confined to one thread.
class CsvRecordScan {
 public:
  explicit CsvRecordScan(char delimiter) : delimiter_(delimiter) {}

  // The offset in `bytes` behind the first record end, from which to go on with what follows; npos:
  // all was taken and the record goes on.
  size_t Take(StringView bytes);

 private:
  enum class Place : uint8_t { kFieldStart, kPlain, kQuoted, kBehindQuote };

  const char delimiter_;
  Place place_ = Place::kFieldStart;
};

// The offset of the line feed that ends the record at `from`, or npos if there is none.
size_t FindCsvRecordEnd(StringView bytes, size_t from, char delimiter);

struct CsvField {
  StringView text;  // without quotes; doubled quotes are single ones
  bool quoted = false;
};

// Takes records apart. The fields it gives are valid until the next call and while the record's
// bytes are.
//
// Thread: confined to one thread.
class CsvRecordParser {
 public:
  explicit CsvRecordParser(char delimiter) : delimiter_(delimiter) {}

  // `record` is without its line end.
  // INVALID_ARGUMENT: a quote inside an unquoted field, text behind a closing quote, or an unclosed
  // quote; the message says in which field.
  absl::Status Parse(StringView record);
  const std::vector<CsvField>& fields() const { return fields_; }

 private:
  absl::Status ParseQuoted(StringView record, size_t* at);
  absl::Status Malformed(StringView what) const;

  const char delimiter_;
  std::vector<CsvField> fields_;
  std::string unescaped_;  // the bytes of fields with doubled quotes
};

// A header's column names. INVALID_ARGUMENT: as Parse().
absl::StatusOr<std::vector<std::string>> ParseCsvHeader(StringView record, char delimiter);

}  // namespace weir::types
