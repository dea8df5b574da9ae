#include "common/expr/text_values.h"

#include <array>
#include <charconv>
#include <cmath>
#include <limits>

#include <absl/strings/ascii.h>
#include <absl/strings/match.h>
#include <absl/strings/numbers.h>

namespace weir::expr {
namespace {

template <class T>
ParseOutcome ParseInteger(StringView text, T* out) {
  *out = 0;
  text = absl::StripAsciiWhitespace(text);
  const bool negative = absl::StartsWith(text, "-");
  if (negative || absl::StartsWith(text, "+")) text.remove_prefix(1);
  if (text.empty()) return ParseOutcome::kBadSyntax;
  T value = 0;
  bool fits = true;
  for (const char c : text) {
    if (c < '0' || c > '9') return ParseOutcome::kBadSyntax;
    // Counting downwards reaches the least value, too.
    const T digit = static_cast<T>(c - '0');
    fits = fits && !__builtin_mul_overflow(value, T{10}, &value) &&
           !__builtin_sub_overflow(value, digit, &value);
  }
  if (!negative) fits = fits && !__builtin_sub_overflow(T{0}, value, &value);
  if (!fits) return ParseOutcome::kOutOfRange;
  *out = value;
  return ParseOutcome::kOk;
}

// Whether `text` is the start of `word`, `shortest` bytes at least.
bool Begins(StringView text, StringView word, size_t shortest) {
  return text.size() >= shortest && text.size() <= word.size() &&
         absl::EqualsIgnoreCase(text, word.substr(0, text.size()));
}

}  // namespace

ParseOutcome ParseBool(StringView text, uint8_t* out) {
  text = absl::StripAsciiWhitespace(text);
  *out = 1;
  if (Begins(text, "true", 1) || Begins(text, "yes", 1) || Begins(text, "on", 2) || text == "1") {
    return ParseOutcome::kOk;
  }
  *out = 0;
  if (Begins(text, "false", 1) || Begins(text, "no", 1) || Begins(text, "off", 2) || text == "0") {
    return ParseOutcome::kOk;
  }
  return ParseOutcome::kBadSyntax;
}

ParseOutcome ParseInt32(StringView text, int32_t* out) {
  return ParseInteger(text, out);
}

ParseOutcome ParseInt64(StringView text, int64_t* out) {
  return ParseInteger(text, out);
}

ParseOutcome ParseDouble(StringView text, double* out) {
  text = absl::StripAsciiWhitespace(text);
  if (!absl::SimpleAtod(text, out)) {
    *out = 0;
    return ParseOutcome::kBadSyntax;
  }
  const bool spells_infinity = text.find_first_of("iI") != StringView::npos;
  const bool overflow = std::isinf(*out) && !spells_infinity;
  const StringView mantissa = text.substr(0, text.find_first_of("eE"));
  const bool underflow = *out == 0 && mantissa.find_first_of("123456789") != StringView::npos;
  return overflow || underflow ? ParseOutcome::kOutOfRange : ParseOutcome::kOk;
}

void AppendDouble(double value, std::string* out) {
  if (std::isnan(value)) {
    out->append("NaN");
    return;
  }
  if (std::isinf(value)) {
    out->append(value < 0 ? "-Infinity" : "Infinity");
    return;
  }
  std::array<char, 64> text{};
  char* const begin = text.data();
  char* const end = begin + text.size();
  auto done = std::to_chars(begin, end, value, std::chars_format::scientific);
  const StringView scientific(begin, static_cast<size_t>(done.ptr - begin));
  int exponent = 0;
  const bool has_exponent =
      absl::SimpleAtoi(scientific.substr(scientific.find('e') + 1), &exponent);
  // PostgreSQL writes out what a double holds exactly, and small fractions.
  if (has_exponent && exponent >= -4 && exponent < std::numeric_limits<double>::digits10) {
    done = std::to_chars(begin, end, value, std::chars_format::fixed);
  }
  out->append(begin, static_cast<size_t>(done.ptr - begin));
}

}  // namespace weir::expr
