#include "common/types/csv/csv_record.h"

#include <algorithm>
#include <cstring>

#include <absl/strings/str_cat.h>

#include "common/base/status_macros.h"
#include "common/types/text/line_scan.h"

namespace weir::types {

size_t CsvRecordScan::Take(StringView bytes) {
  for (size_t at = 0; at < bytes.size(); ++at) {
    const char c = bytes[at];
    if (place_ == Place::kQuoted) {
      if (c == kCsvQuote) place_ = Place::kBehindQuote;
    } else if (c == kCsvQuote && place_ != Place::kPlain) {
      // Opens a field, or is the second of a doubled quote inside one.
      place_ = Place::kQuoted;
    } else if (c == '\n') {
      place_ = Place::kFieldStart;
      return at + 1;
    } else {
      place_ = c == delimiter_ ? Place::kFieldStart : Place::kPlain;
    }
  }
  return StringView::npos;
}

size_t FindCsvRecordEnd(StringView bytes, size_t from, char delimiter) {
  const size_t line_end = FindLineFeed(bytes, from);
  if (line_end == StringView::npos) return line_end;
  const size_t size = line_end - from;
  // Most lines have no quote and are records.
  if (std::memchr(bytes.data() + from, kCsvQuote, size) == nullptr) return line_end;
  CsvRecordScan scan(delimiter);
  const size_t behind = scan.Take(bytes.substr(from));
  return behind == StringView::npos ? behind : from + behind - 1;
}

absl::Status CsvRecordParser::Malformed(StringView what) const {
  return absl::InvalidArgumentError(absl::StrCat("field ", fields_.size() + 1, " has ", what));
}

// `at` is behind the opening quote; afterwards it is behind the closing one.
absl::Status CsvRecordParser::ParseQuoted(StringView record, size_t* at) {
  const size_t begin = *at;
  size_t close = record.find(kCsvQuote, begin);
  const size_t unescaped_begin = unescaped_.size();
  bool has_doubled = false;
  size_t copied = begin;
  while (close != StringView::npos && close + 1 < record.size() && record[close + 1] == kCsvQuote) {
    has_doubled = true;
    unescaped_.append(record.data() + copied, close + 1 - copied);
    copied = close + 2;
    close = record.find(kCsvQuote, copied);
  }
  if (close == StringView::npos) return Malformed("an opening quote without a closing one");
  if (!has_doubled) {
    fields_.push_back({record.substr(begin, close - begin), true});
  } else {
    unescaped_.append(record.data() + copied, close - copied);
    fields_.push_back(
        {StringView(unescaped_.data() + unescaped_begin, unescaped_.size() - unescaped_begin),
         true});
  }
  *at = close + 1;
  return absl::OkStatus();
}

absl::Status CsvRecordParser::Parse(StringView record) {
  fields_.clear();
  unescaped_.clear();
  // Fields point into it: it must not move while it grows.
  unescaped_.reserve(record.size());
  for (size_t at = 0;;) {
    if (at < record.size() && record[at] == kCsvQuote) {
      ++at;
      WEIR_RETURN_IF_ERROR(ParseQuoted(record, &at));
      if (at == record.size()) return absl::OkStatus();
      if (record[at] != delimiter_) {
        fields_.pop_back();
        return Malformed("text behind its closing quote");
      }
    } else {
      const size_t end = std::min(record.find(delimiter_, at), record.size());
      const StringView text = record.substr(at, end - at);
      if (text.find(kCsvQuote) != StringView::npos) {
        return Malformed("a quote but does not begin with one");
      }
      fields_.push_back({text, false});
      if (end == record.size()) return absl::OkStatus();
      at = end;
    }
    ++at;  // the delimiter
  }
}

absl::StatusOr<std::vector<std::string>> ParseCsvHeader(StringView record, char delimiter) {
  CsvRecordParser parser(delimiter);
  const absl::Status status = parser.Parse(record);
  if (!status.ok()) {
    return absl::InvalidArgumentError(
        absl::StrCat("the csv header is malformed: ", status.message()));
  }
  std::vector<std::string> names;
  for (const CsvField& field : parser.fields()) names.emplace_back(field.text);
  return names;
}

}  // namespace weir::types
