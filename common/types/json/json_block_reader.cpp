#include "common/types/json/json_block_reader.h"

#include <algorithm>
#include <charconv>
#include <cstring>

#include "common/base/check.h"
#include "common/types/json/json_number.h"
#include "common/types/json/json_unescape.h"
#include "common/types/value_text.h"

namespace weir::types {
namespace {

bool IsBlank(char c) {
  return c == ' ' || c == '\n' || c == '\t' || c == '\r';
}

constexpr size_t kDigitsMax = 8;
constexpr uint64_t kTenToDigitsMax = 100'000'000;

// The number that `size` digits write; false: not all are digits. Eight bytes are read.
// REQUIRES: 0 < size <= kDigitsMax.
[[gnu::always_inline]] inline bool ParseDigits(const char* digits, size_t size, uint64_t* number) {
  constexpr uint64_t kZeros = 0x3030303030303030;
  constexpr uint64_t kHighNibbles = 0xF0F0F0F0F0F0F0F0;
  constexpr uint64_t kSix = 0x0606060606060606;
  uint64_t bytes = 0;
  std::memcpy(&bytes, digits, sizeof(bytes));
  // The digits move to the end, behind zeros.
  if (size < kDigitsMax) {
    bytes = (bytes << (8 * (kDigitsMax - size))) | (kZeros >> (8 * size));
  }
  if ((bytes & kHighNibbles) != kZeros || ((bytes + kSix) & kHighNibbles) != kZeros) return false;
  // Pairs of digits, pairs of pairs, and the two halves, each in one multiplication.
  bytes -= kZeros;
  bytes = (bytes * 10 + (bytes >> 8)) & 0x00FF00FF00FF00FF;
  bytes = (bytes * 100 + (bytes >> 16)) & 0x0000FFFF0000FFFF;
  bytes = (bytes * 10000 + (bytes >> 32)) & 0x00000000FFFFFFFF;
  *number = bytes;
  return true;
}

bool IsNumberStart(char c) {
  return c == '-' || (c >= '0' && c <= '9');
}

}  // namespace

bool JsonBlockReader::Start(StringView bytes, size_t begin, size_t end) {
  block_ = bytes.substr(begin, end - begin);
  base_ = begin;
  at_ = 0;
  if (!index_.Build(block_)) return false;
  offsets_ = index_.offsets();
  has_escapes_ = std::memchr(block_.data(), '\\', block_.size()) != nullptr;
  return true;
}

bool JsonBlockReader::ReadRow(uint64_t row_number, size_t begin, size_t next) {
  WEIR_DCHECK(begin >= base_);
  const uint32_t first = static_cast<uint32_t>(begin - base_);
  if (offsets_[at_] != first) {
    // A line was left out, or the one before was given up half way.
    const uint32_t* end = offsets_ + index_.size();
    at_ = static_cast<size_t>(std::lower_bound(offsets_, end, first) - offsets_);
    if (offsets_[at_] != first) return false;
  }
  row_number_ = row_number;
  unescaped_.clear();
  if (has_escapes_) unescaped_.reserve(next - begin);
  // Behind the last token stands the block's size, which is `next` of the last line.
  filled_ = 0;
  if (!ReadObject(JsonFields::kRoot) || offsets_[at_] != next - base_) return false;
  if (!HasAllValues()) MarkMissing();
  return true;
}

void JsonBlockReader::MarkMissing() {
  for (size_t i = 0; i < fields_.field_count(); ++i) {
    const JsonField& field = fields_.field(i);
    if (field.seen_in_row == row_number_) continue;
    for (const size_t column : field.columns) slots_[column].state = Slot::State::kMissing;
  }
}

// All methods below stop at the block's end by themselves: its last byte is not blank, so the byte
// behind it, which a cursor there reads, is a line end or zero and never a token that they expect.

bool JsonBlockReader::ReadAnyInteger(int64_t* value) {
  const char* token = Token();
  const bool is_negative = *token == '-';
  const char* digits = is_negative ? token + 1 : token;
  const char* p = digits;
  uint64_t magnitude = 0;
  for (; *p >= '0' && *p <= '9'; ++p) magnitude = magnitude * 10 + static_cast<uint64_t>(*p - '0');
  // Eighteen digits cannot overflow; longer ones are left to the careful way.
  const ptrdiff_t count = p - digits;
  if (count == 0 || count > 18 || (*digits == '0' && count > 1)) return false;
  const char* next = block_.data() + offsets_[at_ + 1];
  while (p < next && IsBlank(*p)) ++p;
  if (p != next) return false;
  *value = is_negative ? -static_cast<int64_t>(magnitude) : static_cast<int64_t>(magnitude);
  return true;
}

[[gnu::always_inline]] inline bool JsonBlockReader::ReadInteger(int64_t min, int64_t max,
                                                                Slot* slot) {
  if (at_ >= index_.size()) return false;
  const char* token = Token();
  const size_t size = offsets_[at_ + 1] - offsets_[at_];
  uint64_t low = 0;
  uint64_t high = 0;
  // Almost all numbers: digits up to the next token, which ParseDigits() takes without a loop whose
  // end the processor would have to guess.
  const bool is_plain =
      size <= kDigitsMax ? ParseDigits(token, size, &low)
                         : size <= 2 * kDigitsMax && ParseDigits(token, size - kDigitsMax, &high) &&
                               ParseDigits(token + size - kDigitsMax, kDigitsMax, &low);
  if (is_plain && (*token != '0' || size == 1)) {
    slot->integer = static_cast<int64_t>(high * kTenToDigitsMax + low);
  } else if (!ReadAnyInteger(&slot->integer)) {
    return false;
  }
  if (slot->integer < min || slot->integer > max) return false;
  ++at_;
  return true;
}

[[gnu::always_inline]] inline bool JsonBlockReader::ReadString(StringView* text) {
  const char* token = Token();
  if (*token != '"') return false;
  const char* last = block_.data() + offsets_[at_ + 1] - 1;
  while (IsBlank(*last)) --last;
  if (*last != '"' || last == token) return false;
  ++at_;
  *text = StringView(token + 1, static_cast<size_t>(last - token - 1));
  if (!has_escapes_) return true;
  return ReplaceEscapes(text);
}

bool JsonBlockReader::ReplaceEscapes(StringView* text) {
  if (std::memchr(text->data(), '\\', text->size()) == nullptr) return true;
  const size_t begin = unescaped_.size();
  if (!AppendUnescaped(*text, &unescaped_)) return false;
  *text = StringView(unescaped_).substr(begin);
  return true;
}

[[gnu::always_inline]] inline bool JsonBlockReader::ReadExpectedKey(const JsonObject& object,
                                                                    size_t place, size_t* field) {
  if (place >= object.layout.size()) return false;
  const JsonObject::Place& expected = object.layout[place];
  const size_t size = expected.key.size();
  const char* token = Token();
  uint64_t head = 0;
  std::memcpy(&head, token + 1, sizeof(head));
  if ((head & expected.head_mask) != expected.head || *token != '"' || !expected.comparable) {
    return false;
  }
  if (size > sizeof(head) && std::memcmp(token + 1, expected.key.data(), size) != 0) return false;
  // The closing quote and then at once the colon, as programs write it.
  if (token[size + 1] != '"' || token[size + 2] != ':' ||
      offsets_[at_ + 1] != offsets_[at_] + size + 2) {
    return false;
  }
  *field = expected.field;
  at_ += 2;
  return true;
}

bool JsonBlockReader::ReadKey(JsonObject& object, size_t place, size_t* field) {
  StringView key;
  if (!ReadString(&key) || !Take(':')) return false;
  *field = fields_.Find(object, place, key);
  return true;
}

bool JsonBlockReader::ReadObject(size_t object_index) {
  if (!Take('{')) return false;
  if (Take('}')) return true;
  JsonObject& object = fields_.object(object_index);
  for (size_t place = 0;; ++place) {
    size_t field = kNoIndex;
    if (!ReadExpectedKey(object, place, &field) && !ReadKey(object, place, &field)) return false;
    if (field != kNoIndex) {
      if (!ReadField(fields_.field(field))) return false;
    } else if (unknown_fields_fail_ || !SkipValue()) {
      return false;
    }
    if (Take('}')) return true;
    if (!Take(',')) return false;
  }
}

bool JsonBlockReader::ReadField(JsonField& field) {
  if (field.seen_in_row == row_number_) return false;
  field.seen_in_row = row_number_;
  if (field.object != kNoIndex) {
    if (*Token() == '{') return ReadObject(field.object);
    if (TokenText() != "null") return false;
    ++at_;
    return true;
  }
  Slot& slot = slots_[field.columns[0]];
  if (*Token() == 'n') {
    if (TokenText() != "null") return false;
    ++at_;
    slot.state = Slot::State::kNull;
  } else {
    if (!ReadValue(field.type, &slot)) return false;
    slot.state = Slot::State::kValue;
    filled_ += field.columns.size();
  }
  for (size_t i = 1; i < field.columns.size(); ++i) slots_[field.columns[i]] = slot;
  return true;
}

bool JsonBlockReader::ReadValue(const DataType& type, Slot* slot) {
  switch (type.kind) {
    case TypeKind::kInt32:
      return ReadInteger(INT32_MIN, INT32_MAX, slot);
    case TypeKind::kInt64:
      return ReadInteger(INT64_MIN, INT64_MAX, slot);
    case TypeKind::kString:
      return ReadString(&slot->text);
    case TypeKind::kTimestamp:
    case TypeKind::kDate: {
      StringView text;
      return ReadString(&text) && ParseValueText(text, type, slot);
    }
    case TypeKind::kDouble:
      return ReadDouble(slot);
    case TypeKind::kDecimal:
      return ReadDecimal(type, slot);
    case TypeKind::kBool: {
      const StringView text = TokenText();
      slot->integer = text == "true" ? 1 : 0;
      if (text != "true" && text != "false") return false;
      ++at_;
      return true;
    }
    case TypeKind::kNull:
    case TypeKind::kArray:
      break;
  }
  return false;
}

bool JsonBlockReader::ReadDouble(Slot* slot) {
  const StringView text = TokenText();
  if (!IsJsonNumber(text)) return false;
  const char* end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, slot->real);
  if (error != std::errc() || stop != end) return false;
  ++at_;
  return true;
}

bool JsonBlockReader::ReadDecimal(const DataType& type, Slot* slot) {
  StringView text = TokenText();
  if (IsNumberStart(*Token())) {
    ++at_;
  } else if (!ReadString(&text)) {
    return false;
  }
  if (!IsJsonNumber(text)) return false;
  const absl::optional<Int128> decimal = ParseDecimal(text, type.precision, type.scale);
  slot->decimal = decimal.value_or(0);
  return decimal.has_value();
}

bool JsonBlockReader::SkipValue() {
  size_t depth = 0;
  do {
    if (at_ >= index_.size()) return false;
    const char token = *Token();
    ++at_;
    if (token == '{' || token == '[') {
      ++depth;
    } else if (token == '}' || token == ']') {
      if (depth == 0) return false;
      --depth;
    } else if (depth == 0 && (token == ',' || token == ':')) {
      return false;
    }
  } while (depth > 0);
  return true;
}

StringView JsonBlockReader::TokenText() const {
  if (at_ >= index_.size()) return StringView();
  size_t end = offsets_[at_ + 1];
  const size_t begin = offsets_[at_];
  while (end > begin && IsBlank(block_[end - 1])) --end;
  return block_.substr(begin, end - begin);
}

}  // namespace weir::types
