// TimestampFormat: a to_timestamp format made ready to read texts.
//
// Patterns: YYYY MM DD HH24 HH12 HH MI SS MS US AM PM (case does not count); text in double quotes
// and all other characters but letters and digits stand for themselves; a blank matches any number
// of blanks. Stricter than PostgreSQL, so that a wrong format is noticed: separators must match,
// nothing may be left over, other letters are not ignored, and YYYY must be there.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include <absl/status/statusor.h>
#include <absl/types/optional.h>

#include "common/base/string_view.h"
#include "common/types/datetime.h"

namespace weir::expr {

// Immutable.
class TimestampFormat {
 public:
  // INVALID_ARGUMENT: an unknown pattern, one given twice or in conflict, no year.
  static absl::StatusOr<TimestampFormat> Compile(StringView format);

  // Microseconds UTC. nullopt: the text does not have the format, or is no time.
  absl::optional<int64_t> Parse(StringView text) const;

 private:
  enum class Pattern : uint8_t {
    kYear,
    kMonth,
    kDay,
    kHour24,
    kHour12,
    kMinute,
    kSecond,
    kMillisecond,
    kMicrosecond,
    kHalfDay,  // AM, PM
    kLiteral,
    kBlanks,
  };
  struct Item {
    Pattern pattern = Pattern::kLiteral;
    size_t digits = 0;      // at most
    bool is_fixed = false;  // exactly: digits follow without a separator
    char literal = '\0';
  };
  struct Name {
    const char* text;
    Pattern pattern;
    size_t digits;
  };
  static const Name kNames[];

  // Takes one pattern from the front of `format`; false: it begins with none.
  bool TakePattern(StringView* format);
  absl::Status Check() const;
  bool ParseItem(const Item& item, StringView* text, types::CivilTime* time, int* half_day) const;

  std::vector<Item> items_;
};

}  // namespace weir::expr
