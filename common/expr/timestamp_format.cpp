#include "common/expr/timestamp_format.h"

#include <algorithm>
#include <array>

#include <absl/strings/ascii.h>
#include <absl/strings/match.h>
#include <absl/strings/str_cat.h>

namespace weir::expr {
namespace {

bool IsDigit(char c) {
  return absl::ascii_isdigit(static_cast<unsigned char>(c));
}

bool IsBlank(char c) {
  return absl::ascii_isspace(static_cast<unsigned char>(c));
}

// Reads 1 to `most` digits, or exactly so many. -1: they are not there. `read`: how many there
// were.
int TakeNumber(StringView* text, size_t most, bool is_fixed, size_t* read) {
  size_t count = 0;
  int value = 0;
  while (count < most && count < text->size() && IsDigit((*text)[count])) {
    value = value * 10 + ((*text)[count++] - '0');
  }
  if (count == 0 || (is_fixed && count < most)) return -1;
  text->remove_prefix(count);
  *read = count;
  return value;
}

constexpr const char* kKnownPatterns = "YYYY MM DD HH24 HH12 MI SS MS US AM PM";

}  // namespace

const TimestampFormat::Name TimestampFormat::kNames[] = {
    {"YYYY", Pattern::kYear, 4},      {"MM", Pattern::kMonth, 2},
    {"DD", Pattern::kDay, 2},         {"HH24", Pattern::kHour24, 2},
    {"HH12", Pattern::kHour12, 2},    {"HH", Pattern::kHour12, 2},
    {"MI", Pattern::kMinute, 2},      {"SS", Pattern::kSecond, 2},
    {"MS", Pattern::kMillisecond, 3}, {"US", Pattern::kMicrosecond, 6},
    {"AM", Pattern::kHalfDay, 0},     {"PM", Pattern::kHalfDay, 0}};

bool TimestampFormat::TakePattern(StringView* format) {
  for (const Name& name : kNames) {
    if (!absl::StartsWithIgnoreCase(*format, name.text)) continue;
    format->remove_prefix(StringView(name.text).size());
    items_.push_back({name.pattern, name.digits, false, '\0'});
    return true;
  }
  return false;
}

absl::StatusOr<TimestampFormat> TimestampFormat::Compile(StringView format) {
  TimestampFormat compiled;
  while (!format.empty()) {
    const char c = format.front();
    if (compiled.TakePattern(&format)) continue;
    if (absl::ascii_isalnum(static_cast<unsigned char>(c))) {
      return absl::InvalidArgumentError(absl::StrCat("no pattern at '", format,
                                                     "' of the format; there are ", kKnownPatterns,
                                                     ", and \"text\" in double quotes"));
    }
    format.remove_prefix(1);
    if (c == '"') {
      const size_t end = std::min(format.find('"'), format.size());
      for (const char quoted : format.substr(0, end)) {
        compiled.items_.push_back({Pattern::kLiteral, 0, false, quoted});
      }
      format.remove_prefix(std::min(end + 1, format.size()));
      continue;
    }
    compiled.items_.push_back({IsBlank(c) ? Pattern::kBlanks : Pattern::kLiteral, 0, false, c});
  }
  for (size_t i = 0; i + 1 < compiled.items_.size(); ++i) {
    compiled.items_[i].is_fixed = compiled.items_[i + 1].digits > 0;
  }
  const absl::Status status = compiled.Check();
  if (!status.ok()) return status;
  return compiled;
}

absl::Status TimestampFormat::Check() const {
  std::array<int, static_cast<size_t>(Pattern::kBlanks) + 1> counts{};
  for (const Item& item : items_) ++counts[static_cast<size_t>(item.pattern)];
  const auto count = [&counts](Pattern pattern) { return counts[static_cast<size_t>(pattern)]; };
  for (const Name& name : kNames) {
    if (count(name.pattern) <= 1) continue;
    const char* hint = name.pattern == Pattern::kMonth ? "; minutes are MI" : "";
    return absl::InvalidArgumentError(absl::StrCat("the format has ", name.text, " twice", hint));
  }
  if (count(Pattern::kYear) == 0) {
    return absl::InvalidArgumentError("the format has no year (YYYY)");
  }
  if (count(Pattern::kHour24) > 0 && count(Pattern::kHour12) + count(Pattern::kHalfDay) > 0) {
    return absl::InvalidArgumentError("HH24 does not go with HH12, AM or PM");
  }
  if (count(Pattern::kMillisecond) > 0 && count(Pattern::kMicrosecond) > 0) {
    return absl::InvalidArgumentError("the format has both MS and US");
  }
  return absl::OkStatus();
}

bool TimestampFormat::ParseItem(const Item& item, StringView* text, types::CivilTime* time,
                                int* half_day) const {
  if (item.pattern == Pattern::kLiteral) {
    if (text->empty() || text->front() != item.literal) return false;
    text->remove_prefix(1);
    return true;
  }
  if (item.pattern == Pattern::kBlanks) {
    *text = absl::StripLeadingAsciiWhitespace(*text);
    return true;
  }
  if (item.pattern == Pattern::kHalfDay) {
    const bool is_pm = absl::StartsWithIgnoreCase(*text, "PM");
    if (!is_pm && !absl::StartsWithIgnoreCase(*text, "AM")) return false;
    text->remove_prefix(2);
    *half_day = is_pm ? 1 : 0;
    return true;
  }
  size_t read = 0;
  int value = TakeNumber(text, item.digits, item.is_fixed, &read);
  if (value < 0) return false;
  switch (item.pattern) {
    case Pattern::kYear:
      time->date.year = value;
      return true;
    case Pattern::kMonth:
      time->date.month = value;
      return true;
    case Pattern::kDay:
      time->date.day = value;
      return true;
    case Pattern::kHour24:
      time->hour = value;
      return true;
    case Pattern::kHour12:
      time->hour = value % 12;
      return value >= 1 && value <= 12;
    case Pattern::kMinute:
      time->minute = value;
      return true;
    case Pattern::kSecond:
      time->second = value;
      return true;
    default:
      // Digits behind a point: "5" is five tenths.
      for (; read < 6; ++read) value *= 10;
      time->micros = value;
      return true;
  }
}

absl::optional<int64_t> TimestampFormat::Parse(StringView text) const {
  types::CivilTime time;
  time.date = {1, 1, 1};
  int half_day = 0;
  text = absl::StripAsciiWhitespace(text);
  for (const Item& item : items_) {
    if (!ParseItem(item, &text, &time, &half_day)) return absl::nullopt;
  }
  if (!text.empty()) return absl::nullopt;
  time.hour += half_day * 12;
  if (time.hour > 23) return absl::nullopt;
  return types::TimestampFromCivil(time);
}

}  // namespace weir::expr
