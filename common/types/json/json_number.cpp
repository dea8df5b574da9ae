#include "common/types/json/json_number.h"

#include <cstddef>

namespace weir::types {
namespace {

bool IsDigit(char c) {
  return c >= '0' && c <= '9';
}

// Steps over digits; returns whether there was one.
bool SkipDigits(StringView text, size_t* at) {
  const size_t begin = *at;
  while (*at < text.size() && IsDigit(text[*at])) ++*at;
  return *at > begin;
}

}  // namespace

bool IsJsonNumber(StringView text) {
  size_t at = 0;
  if (at < text.size() && text[at] == '-') ++at;
  const size_t integer = at;
  if (!SkipDigits(text, &at)) return false;
  if (text[integer] == '0' && at > integer + 1) return false;
  if (at < text.size() && text[at] == '.') {
    ++at;
    if (!SkipDigits(text, &at)) return false;
  }
  if (at < text.size() && (text[at] == 'e' || text[at] == 'E')) {
    ++at;
    if (at < text.size() && (text[at] == '+' || text[at] == '-')) ++at;
    if (!SkipDigits(text, &at)) return false;
  }
  return at == text.size();
}

}  // namespace weir::types
