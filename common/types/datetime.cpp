#include "common/types/datetime.h"

#include <array>
#include <charconv>

#include <absl/strings/ascii.h>

namespace weir::types {
namespace {

// Reads a text from left to right; every Take returns false (or -1) and stays if it does not fit.
class Reader {
 public:
  explicit Reader(StringView text) : text_(text) {}

  bool AtEnd() const { return at_ == text_.size(); }
  char Peek() const { return AtEnd() ? '\0' : text_[at_]; }

  bool Take(char c) {
    if (Peek() != c || AtEnd()) return false;
    ++at_;
    return true;
  }

  // Exactly `count` digits; -1 if they are not there.
  int TakeDigits(size_t count) {
    if (text_.size() - at_ < count) return -1;
    int value = 0;
    for (size_t i = 0; i < count; ++i) {
      const char c = text_[at_ + i];
      if (c < '0' || c > '9') return -1;
      value = value * 10 + (c - '0');
    }
    at_ += count;
    return value;
  }

  // The digits behind a point as microseconds, rounded half up; -1 if there is none.
  int TakeFraction() {
    int micros = 0;
    size_t digits = 0;
    bool round_up = false;
    for (; absl::ascii_isdigit(static_cast<unsigned char>(Peek())); ++at_, ++digits) {
      const int digit = Peek() - '0';
      if (digits < 6) micros = micros * 10 + digit;
      if (digits == 6) round_up = digit >= 5;
    }
    if (digits == 0) return -1;
    for (; digits < 6; ++digits) micros *= 10;
    return micros + (round_up ? 1 : 0);
  }

 private:
  StringView text_;
  size_t at_ = 0;
};

bool TakeDate(Reader& reader, int32_t* days) {
  const int year = reader.TakeDigits(4);
  if (year < 0 || !reader.Take('-')) return false;
  const int month = reader.TakeDigits(2);
  if (month < 0 || !reader.Take('-')) return false;
  const absl::optional<int32_t> date = DateFromCivil(year, month, reader.TakeDigits(2));
  if (!date) return false;
  *days = *date;
  return true;
}

// "HH:MM[:SS[.f]]". `micros` of a day may be a whole day (24:00).
bool TakeTime(Reader& reader, int64_t* micros) {
  const int hour = reader.TakeDigits(2);
  if (hour < 0 || hour > 24 || !reader.Take(':')) return false;
  const int minute = reader.TakeDigits(2);
  if (minute < 0 || minute > 59) return false;
  int second = 0;
  int fraction = 0;
  if (reader.Take(':')) {
    second = reader.TakeDigits(2);
    if (second < 0 || second > 59) return false;
    if (reader.Take('.')) fraction = reader.TakeFraction();
    if (fraction < 0) return false;
  }
  *micros =
      hour * kMicrosPerHour + minute * kMicrosPerMinute + second * kMicrosPerSecond + fraction;
  return hour < 24 || *micros == kMicrosPerDay;
}

// "Z", "+HH", "+HHMM", "+HH:MM" or nothing.
bool TakeOffset(Reader& reader, int64_t* micros) {
  *micros = 0;
  reader.Take(' ');
  if (reader.AtEnd() || reader.Take('Z') || reader.Take('z')) return true;
  const bool negative = reader.Peek() == '-';
  if (!reader.Take('-') && !reader.Take('+')) return false;
  const int hours = reader.TakeDigits(2);
  if (hours < 0 || hours > 15) return false;
  int minutes = 0;
  if (reader.Take(':') || !reader.AtEnd()) minutes = reader.TakeDigits(2);
  if (minutes < 0 || minutes > 59) return false;
  const int64_t offset = hours * kMicrosPerHour + minutes * kMicrosPerMinute;
  *micros = negative ? -offset : offset;
  return true;
}

// `width` decimal digits of value.
void AppendDigits(int value, size_t width, std::string* out) {
  std::array<char, 8> digits{};
  for (size_t i = width; i > 0; --i) {
    digits[i - 1] = static_cast<char>('0' + value % 10);
    value /= 10;
  }
  out->append(digits.data(), width);
}

void AppendTimeOfDay(const CivilTime& time, std::string* out) {
  AppendDigits(time.hour, 2, out);
  out->push_back(':');
  AppendDigits(time.minute, 2, out);
  out->push_back(':');
  AppendDigits(time.second, 2, out);
  if (time.micros == 0) return;
  out->push_back('.');
  AppendDigits(time.micros, 6, out);
  while (out->back() == '0') out->pop_back();
}

}  // namespace

CivilTime CivilFromTimestamp(int64_t micros) {
  CivilTime time;
  time.date = CivilFromDays(DayOfTimestamp(micros));
  const int64_t rest = TimeOfDay(micros);
  time.hour = static_cast<int>(rest / kMicrosPerHour);
  time.minute = static_cast<int>(rest / kMicrosPerMinute % 60);
  time.second = static_cast<int>(rest / kMicrosPerSecond % 60);
  time.micros = static_cast<int>(rest % kMicrosPerSecond);
  return time;
}

absl::optional<int64_t> TimestampFromCivil(const CivilTime& time) {
  const absl::optional<int32_t> days =
      DateFromCivil(time.date.year, time.date.month, time.date.day);
  if (!days) return absl::nullopt;
  if (time.hour < 0 || time.hour > 24 || time.minute < 0 || time.minute > 59) return absl::nullopt;
  if (time.second < 0 || time.second > 59) return absl::nullopt;
  if (time.micros < 0 || time.micros > 999'999) return absl::nullopt;
  const int64_t of_day = time.hour * kMicrosPerHour + time.minute * kMicrosPerMinute +
                         time.second * kMicrosPerSecond + time.micros;
  if (of_day > kMicrosPerDay) return absl::nullopt;
  const int64_t micros = *days * kMicrosPerDay + of_day;
  if (!IsTimestampInRange(micros)) return absl::nullopt;
  return micros;
}

absl::optional<int32_t> DateFromCivil(int64_t year, int64_t month, int64_t day) {
  if (year < 1 || year > 9999 || month < 1 || month > 12 || day < 1) return absl::nullopt;
  const int civil_month = static_cast<int>(month);
  if (day > DaysInMonth(year, civil_month)) return absl::nullopt;
  return static_cast<int32_t>(DaysFromCivil(year, civil_month, static_cast<int>(day)));
}

absl::optional<int64_t> ParseTimestamp(StringView text) {
  Reader reader(absl::StripAsciiWhitespace(text));
  int32_t days = 0;
  if (!TakeDate(reader, &days)) return absl::nullopt;
  int64_t of_day = 0;
  int64_t offset = 0;
  if (!reader.AtEnd()) {
    const bool separated = reader.Take('T') || reader.Take('t') || reader.Take(' ');
    if (!separated || !TakeTime(reader, &of_day)) return absl::nullopt;
    if (!TakeOffset(reader, &offset) || !reader.AtEnd()) return absl::nullopt;
  }
  const int64_t micros = days * kMicrosPerDay + of_day - offset;
  if (!IsTimestampInRange(micros)) return absl::nullopt;
  return micros;
}

absl::optional<int32_t> ParseDate(StringView text) {
  Reader reader(absl::StripAsciiWhitespace(text));
  int32_t days = 0;
  if (!TakeDate(reader, &days) || !reader.AtEnd()) return absl::nullopt;
  return days;
}

void AppendDate(int64_t days, std::string* out) {
  const CivilDate date = CivilFromDays(days);
  if (date.year >= 0 && date.year <= 9999) {
    AppendDigits(static_cast<int>(date.year), 4, out);
  } else {
    std::array<char, 24> digits{};
    const auto end = std::to_chars(digits.data(), digits.data() + digits.size(), date.year);
    out->append(digits.data(), static_cast<size_t>(end.ptr - digits.data()));
  }
  out->push_back('-');
  AppendDigits(date.month, 2, out);
  out->push_back('-');
  AppendDigits(date.day, 2, out);
}

void AppendTimestamp(int64_t micros, std::string* out) {
  AppendDate(DayOfTimestamp(micros), out);
  out->push_back('T');
  AppendTimeOfDay(CivilFromTimestamp(micros), out);
  out->push_back('Z');
}

void AppendTimestampAsSql(int64_t micros, std::string* out) {
  AppendDate(DayOfTimestamp(micros), out);
  out->push_back(' ');
  AppendTimeOfDay(CivilFromTimestamp(micros), out);
  out->append("+00");
}

std::string FormatTimestamp(int64_t micros) {
  std::string text;
  AppendTimestamp(micros, &text);
  return text;
}

std::string FormatDate(int64_t days) {
  std::string text;
  AppendDate(days, &text);
  return text;
}

}  // namespace weir::types
