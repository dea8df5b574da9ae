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
#include "common/types/json/json_fields.h"
#include "common/types/json/json_number.h"
#include "common/types/row_slots.h"
#include "common/types/text/line_scan.h"
#include "common/types/value_text.h"

namespace weir::types {
namespace {

namespace ondemand = simdjson::ondemand;

static_assert(kDecodePadding >= simdjson::SIMDJSON_PADDING);

// Most bytes of a bad value that an error message quotes.
constexpr size_t kQuotedBytesMax = 60;
// How often one Decode() goes back to the fast way after a bad line. The fast way looks at all that
// is left first, so that without an end many bad lines would cost the square of their number.
constexpr int kFastRestartsMax = 4;
// A parser allocates anew whenever it is asked for another capacity, so capacities come in steps.
constexpr size_t kBlockCapacityMin = 64u << 10;

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
      : fields_(std::move(fields)), slots_(std::move(slots)), unknown_(unknown) {
    block_parser_.threaded = false;
  }

  void Decode(const DecodeInput& input, BatchBuilder* rows, DecodeOutput* output) override {
    output->Clear();
    bytes_ = input.bytes;
    WEIR_CHECK(bytes_.data()[bytes_.size()] == '\0');
    ScanLines(input, output);
    size_t done = 0;
    for (int restarts = 0; done < lines_.size() && restarts < kFastRestartsMax; ++restarts) {
      done = DecodeBlock(done, rows, output);
      if (done < lines_.size()) DecodeLine(lines_[done++], rows, output);
    }
    for (; done < lines_.size(); ++done) DecodeLine(lines_[done], rows, output);
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

  // The fast way: lines from `first` on as one block. Stops at the first line that is not a good
  // row, before it has left anything behind; returns its number. The last line is never taken: a
  // block's parser drops what is incomplete at its end without a word.
  size_t DecodeBlock(size_t first, BatchBuilder* rows, DecodeOutput* output) {
    message_ = nullptr;
    const size_t base = lines_[first].begin;
    const size_t size = lines_.back().end - base;
    while (block_capacity_ < size) block_capacity_ *= 2;
    ondemand::document_stream stream;
    if (block_parser_.iterate_many(bytes_.data() + base, size, block_capacity_).get(stream)) {
      return first;
    }
    size_t line = first;
    for (auto it = stream.begin(); it != stream.end() && line + 1 < lines_.size(); ++it, ++line) {
      ondemand::document_reference document;
      ondemand::object object;
      if ((*it).get(document) || document.get_object().get(object)) break;
      ++row_number_;
      slots_->Begin();
      if (!ReadObject(object, JsonFields::kRoot) || !EndsWithLine(document, line)) break;
      if (slots_->Complete()) break;
      AppendRow(lines_[line], rows, output);
    }
    return line;
  }

  // Whether what follows the document is the next line's first byte: it must not end before its
  // line does, nor reach into the next.
  bool EndsWithLine(ondemand::document_reference& document, size_t line) const {
    const char* next = nullptr;
    if (document.current_location().get(next)) return false;
    return next == bytes_.data() + lines_[line + 1].begin;
  }

  // The careful way: one line by itself, with a message if it is bad.
  void DecodeLine(const Line& line, BatchBuilder* rows, DecodeOutput* output) {
    std::string message;
    message_ = &message;
    ++row_number_;
    slots_->Begin();
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

  // A string without escapes is a view into the input; others go through the parser's buffer. Both
  // live until the row is appended.
  static bool ReadString(ondemand::value& value, StringView* text) {
    const StringView token = Trimmed(value.raw_json_token());
    if (token.size() < 2 || token.front() != '"' || token.back() != '"') return false;
    *text = token.substr(1, token.size() - 2);
    if (std::memchr(text->data(), '\\', text->size()) == nullptr) return true;
    std::string_view unescaped;
    if (value.get_string().get(unescaped)) return false;
    *text = StringView(unescaped.data(), unescaped.size());
    return true;
  }

  static bool ReadNamedDouble(ondemand::value& value, Slot* slot) {
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

  static bool ReadDecimal(ondemand::value& value, const DataType& type, Slot* slot) {
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
  ondemand::parser block_parser_;
  ondemand::parser line_parser_;
  size_t block_capacity_ = kBlockCapacityMin;
  uint64_t row_number_ = 0;

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
