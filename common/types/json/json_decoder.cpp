#include "common/types/json/json_decoder.h"

#include <algorithm>
#include <cstring>
#include <limits>
#include <simdjson.h>
#include <string>
#include <utility>

#include <absl/strings/str_cat.h>

#include "common/base/status_macros.h"
#include "common/types/datetime.h"
#include "common/types/json/json_block_reader.h"
#include "common/types/json/json_fields.h"
#include "common/types/json/json_number.h"
#include "common/types/json/json_unescape.h"
#include "common/types/row_slots.h"
#include "common/types/text/line_scan.h"
#include "common/types/value_text.h"

namespace weir::types {
namespace {

namespace ondemand = simdjson::ondemand;

static_assert(kDecodePadding >= simdjson::SIMDJSON_PADDING);

// Most bytes of a bad value that an error message quotes.
constexpr size_t kQuotedBytesMax = 60;
StringView Trimmed(std::string_view token) {
  size_t size = token.size();
  while (size > 0 && (token[size - 1] == ' ' || token[size - 1] == '\t' ||
                      token[size - 1] == '\n' || token[size - 1] == '\r')) {
    --size;
  }
  return StringView(token.data(), size);
}

std::string DescribeFound(StringView token) {
  if (token.empty()) return "nothing";
  switch (token[0]) {
    case '{':
      return "an object";
    case '[':
      return "an array";
    case '"':
      if (token.size() > kQuotedBytesMax) {
        return absl::StrCat("string ", token.substr(0, kQuotedBytesMax), "...");
      }
      return absl::StrCat("string ", token);
    default:
      return std::string(token.substr(0, kQuotedBytesMax));
  }
}

// One line that is not blank: its first byte that is not blank, and its end without the line end.
struct Line {
  uint32_t begin = 0;
  uint32_t end = 0;
};

class JsonDecoder final : public RowDecoder {
 public:
  JsonDecoder(JsonFields fields, std::unique_ptr<RowSlots> slots, UnknownJsonFields unknown)
      : fields_(std::move(fields)),
        slots_(std::move(slots)),
        unknown_(unknown),
        block_(fields_, *slots_, unknown == UnknownJsonFields::kFail) {}

  void Decode(const DecodeInput& input, BatchBuilder* rows, DecodeOutput* output) override {
    output->Clear();
    bytes_ = input.bytes;
    WEIR_CHECK(bytes_.data()[bytes_.size()] == '\0');
    ScanLines(input, output);
    if (lines_.empty()) return;
    for (size_t i = 0; i < slots_->schema().size(); ++i) {
      rows->column(i).Reserve(rows->column(i).size() + lines_.size());
    }
    const bool is_indexed = block_.Start(bytes_, lines_.front().begin, lines_.back().end);
    for (size_t i = 0; i < lines_.size(); ++i) {
      if (!is_indexed || !DecodeFast(i, rows, output)) DecodeLine(lines_[i], rows, output);
    }
  }

 private:
  // Finds the lines to decode and sets `consumed` behind the last one.
  void ScanLines(const DecodeInput& input, DecodeOutput* output) {
    lines_.clear();
    const size_t limit = std::min({input.start_limit, bytes_.size(), kDecodeBytesMax});
    size_t at = 0;
    while (at < limit && lines_.size() < input.rows_max) {
      size_t end = FindLineFeed(bytes_, at);
      size_t next = end + 1;
      if (end == StringView::npos) {
        if (input.is_end == IsEnd::kNo) break;
        end = next = bytes_.size();
      }
      size_t begin = at;
      while (begin < end && IsBlank(bytes_[begin])) ++begin;
      while (end > begin && IsBlank(bytes_[end - 1])) --end;
      if (begin < end) {
        lines_.push_back({static_cast<uint32_t>(begin), static_cast<uint32_t>(end)});
      }
      at = next;
    }
    output->consumed = at;
  }

  static bool IsBlank(char c) { return c == ' ' || c == '\t' || c == '\r'; }

  // The fast way. False: the line is to be decoded by itself; nothing is left behind.
  bool DecodeFast(size_t index, BatchBuilder* rows, DecodeOutput* output) {
    const Line& line = lines_[index];
    const size_t next = index + 1 < lines_.size() ? lines_[index + 1].begin : line.end;
    ++row_number_;
    if (!block_.ReadRow(row_number_, line.begin, next)) return false;
    if (!block_.HasAllValues() && slots_->Complete()) return false;
    AppendRow(line, rows, output);
    return true;
  }

  // The careful way: one line by itself, with a message if it is bad.
  void DecodeLine(const Line& line, BatchBuilder* rows, DecodeOutput* output) {
    std::string message;
    message_ = &message;
    ++row_number_;
    slots_->Begin();
    unescaped_.clear();
    unescaped_.reserve(line.end - line.begin);
    const bool good = ReadLine(line);
    message_ = nullptr;
    if (!good) {
      output->errors.Add(line.begin, std::move(message));
    } else if (const absl::optional<size_t> column = slots_->Complete()) {
      output->errors.Add(line.begin, slots_->NullError(*column));
    } else {
      AppendRow(line, rows, output);
    }
  }

  bool ReadLine(const Line& line) {
    const char* begin = bytes_.data() + line.begin;
    const size_t size = line.end - line.begin;
    ondemand::document document;
    const simdjson::padded_string_view text(begin, size, size + simdjson::SIMDJSON_PADDING);
    if (const auto error = line_parser_.iterate(text).get(document)) return Malformed(error);
    ondemand::object object;
    if (const auto error = document.get_object().get(object)) {
      if (error != simdjson::INCORRECT_TYPE) return Malformed(error);
      return Fail("found ", DescribeFound(StringView(begin, size)), ", expected an object");
    }
    if (!ReadObject(object, JsonFields::kRoot)) return false;
    const char* next = nullptr;
    if (document.current_location().get(next) == simdjson::OUT_OF_BOUNDS) return true;
    return Fail("text behind the end of the object");
  }

  void AppendRow(const Line& line, BatchBuilder* rows, DecodeOutput* output) {
    slots_->AppendTo(rows);
    output->row_starts.push_back(line.begin);
  }

  bool ReadObject(ondemand::object& json, size_t object_index) {
    size_t place = 0;
    for (simdjson::simdjson_result<ondemand::field> result : json) {
      ondemand::field field;
      if (const auto error = std::move(result).get(field)) return Malformed(error);
      JsonObject& object = fields_.object(object_index);
      size_t index = kNoIndex;
      StringView key;
      if (place < object.layout.size() && object.layout[place].comparable &&
          field.key().unsafe_is_equal(AsStd(object.layout[place].key))) {
        index = object.layout[place].field;
        key = object.layout[place].key;
      } else {
        std::string_view unescaped;
        if (const auto error = field.unescaped_key().get(unescaped)) return Malformed(error);
        key = StringView(unescaped.data(), unescaped.size());
        index = fields_.Find(object, place, key);
      }
      ++place;
      if (index != kNoIndex) {
        if (!ReadField(field.value(), fields_.field(index))) return false;
      } else if (unknown_ == UnknownJsonFields::kFail) {
        return Fail("unknown field '", key.substr(0, kQuotedBytesMax), "'");
      }
    }
    return true;
  }

  static std::string_view AsStd(const std::string& text) { return text; }

  bool ReadField(ondemand::value& value, JsonField& field) {
    if (field.seen_in_row == row_number_) return Fail("field '", field.path, "' occurs twice");
    field.seen_in_row = row_number_;
    if (field.object != kNoIndex) return ReadNested(value, field);
    Slot& slot = (*slots_)[field.columns[0]];
    slot.state = Slot::State::kValue;
    const DataType& type = slots_->schema().field(field.columns[0]).type;
    if (!ReadValue(value, type, &slot)) {
      bool is_null = false;
      if (value.is_null().get(is_null) || !is_null) return WrongType(value, field, type);
      slot.state = Slot::State::kNull;
    }
    for (size_t i = 1; i < field.columns.size(); ++i) (*slots_)[field.columns[i]] = slot;
    return true;
  }

  bool ReadNested(ondemand::value& value, const JsonField& field) {
    ondemand::object object;
    const simdjson::error_code error = value.get_object().get(object);
    if (!error) return ReadObject(object, field.object);
    bool is_null = false;
    if (!value.is_null().get(is_null) && is_null) return true;
    if (error != simdjson::INCORRECT_TYPE) return Malformed(error);
    return Fail("field '", field.path, "': found ", DescribeFound(Trimmed(value.raw_json_token())),
                ", expected an object");
  }

  // False: no such value; nothing is known of why.
  bool ReadValue(ondemand::value& value, const DataType& type, Slot* slot) {
    switch (type.kind) {
      case TypeKind::kBool: {
        bool flag = false;
        if (value.get_bool().get(flag)) return false;
        slot->integer = flag ? 1 : 0;
        return true;
      }
      case TypeKind::kInt32:
        return !value.get_int64().get(slot->integer) && slot->integer >= INT32_MIN &&
               slot->integer <= INT32_MAX;
      case TypeKind::kInt64:
        return !value.get_int64().get(slot->integer);
      case TypeKind::kDouble:
        return !value.get_double().get(slot->real) || ReadNamedDouble(value, slot);
      case TypeKind::kString:
        return ReadString(value, &slot->text);
      case TypeKind::kDecimal:
        return ReadDecimal(value, type, slot);
      case TypeKind::kTimestamp:
      case TypeKind::kDate: {
        StringView text;
        return ReadString(value, &text) && ParseValueText(text, type, slot);
      }
      case TypeKind::kNull:
      case TypeKind::kArray:
        break;
    }
    return false;
  }

  // A string without escapes is a view into the input; others are made in unescaped_.
  bool ReadString(ondemand::value& value, StringView* text) {
    const StringView token = Trimmed(value.raw_json_token());
    if (token.size() < 2 || token.front() != '"' || token.back() != '"') return false;
    *text = token.substr(1, token.size() - 2);
    if (std::memchr(text->data(), '\\', text->size()) == nullptr) return true;
    const size_t begin = unescaped_.size();
    if (!AppendUnescaped(*text, &unescaped_)) return false;
    *text = StringView(unescaped_).substr(begin);
    return true;
  }

  bool ReadNamedDouble(ondemand::value& value, Slot* slot) {
    StringView text;
    if (!ReadString(value, &text)) return false;
    constexpr double kInfinity = std::numeric_limits<double>::infinity();
    if (text == "NaN") {
      slot->real = std::numeric_limits<double>::quiet_NaN();
    } else if (text == "Infinity") {
      slot->real = kInfinity;
    } else if (text == "-Infinity") {
      slot->real = -kInfinity;
    } else {
      return false;
    }
    return true;
  }

  bool ReadDecimal(ondemand::value& value, const DataType& type, Slot* slot) {
    StringView text = Trimmed(value.raw_json_token());
    if (!text.empty() && text.front() == '"') {
      if (!ReadString(value, &text)) return false;
    }
    if (!IsJsonNumber(text)) return false;
    const absl::optional<Int128> decimal = ParseDecimal(text, type.precision, type.scale);
    slot->decimal = decimal.value_or(0);
    return decimal.has_value();
  }

  bool WrongType(ondemand::value& value, const JsonField& field, const DataType& type) {
    if (message_ == nullptr) return false;
    return Fail("field '", field.path, "': found ", DescribeFound(Trimmed(value.raw_json_token())),
                ", expected ", DescribeType(type));
  }

  bool Malformed(simdjson::error_code error) {
    return Fail("not valid JSON: ", simdjson::error_message(error));
  }

  // Sets the message if one is wanted; returns false.
  template <class... Parts>
  bool Fail(const Parts&... parts) {
    if (message_ != nullptr) *message_ = absl::StrCat(parts...);
    return false;
  }

  JsonFields fields_;
  const std::unique_ptr<RowSlots> slots_;
  const UnknownJsonFields unknown_;
  JsonBlockReader block_;
  ondemand::parser line_parser_;
  uint64_t row_number_ = 0;
  std::string unescaped_;  // of the line's strings; has room for all of them

  StringView bytes_;         // the input of the current call
  std::vector<Line> lines_;  // the same
  std::string* message_ = nullptr;
};

}  // namespace

absl::StatusOr<std::unique_ptr<RowDecoder>> MakeJsonDecoder(const SchemaPtr& schema,
                                                            JsonDecodeOptions options) {
  WEIR_ASSIGN_OR_RETURN(JsonFields fields, JsonFields::Make(*schema, options.sources));
  WEIR_ASSIGN_OR_RETURN(std::unique_ptr<RowSlots> slots,
                        RowSlots::Make(schema, std::move(options.sources)));
  return std::make_unique<JsonDecoder>(std::move(fields), std::move(slots), options.unknown_fields);
}

}  // namespace weir::types
