#include "common/types/csv/csv_decoder.h"

#include <algorithm>
#include <utility>

#include <absl/strings/str_cat.h>
#include <absl/strings/str_join.h>

#include "common/base/status_macros.h"
#include "common/types/csv/csv_record.h"
#include "common/types/row_slots.h"
#include "common/types/text/line_scan.h"
#include "common/types/utf8.h"
#include "common/types/value_text.h"

namespace weir::types {
namespace {

constexpr size_t kAbsent = SIZE_MAX;
// Most bytes of a bad value that an error message quotes.
constexpr size_t kQuotedBytesMax = 60;

std::string Shortened(StringView text) {
  if (text.size() <= kQuotedBytesMax) return std::string(text);
  return absl::StrCat(text.substr(0, kQuotedBytesMax), "...");
}

class CsvDecoder final : public RowDecoder {
 public:
  // `field_of` gives per column its field's number, or kAbsent.
  CsvDecoder(std::unique_ptr<RowSlots> slots, const CsvDecodeOptions& options,
             std::vector<size_t> field_of, size_t field_count)
      : slots_(std::move(slots)),
        null_text_(options.null_text),
        field_of_(std::move(field_of)),
        field_count_(field_count),
        delimiter_(options.delimiter),
        parser_(options.delimiter) {}

  void Decode(const DecodeInput& input, BatchBuilder* rows, DecodeOutput* output) override {
    output->Clear();
    const size_t limit = std::min({input.start_limit, input.bytes.size(), kDecodeBytesMax});
    size_t at = 0;
    while (at < limit && output->row_starts.size() < input.rows_max) {
      size_t end = FindCsvRecordEnd(input.bytes, at, delimiter_);
      size_t next = end + 1;
      if (end == StringView::npos) {
        if (input.is_end == IsEnd::kNo) break;
        end = next = input.bytes.size();
      }
      const StringView record = WithoutCarriageReturn(input.bytes.substr(at, end - at));
      if (!record.empty() || field_count_ == 1) DecodeRecord(record, at, rows, output);
      at = next;
    }
    output->consumed = at;
  }

 private:
  void DecodeRecord(StringView record, size_t at, BatchBuilder* rows, DecodeOutput* output) {
    const size_t valid = ValidUtf8Prefix(record);
    if (valid != record.size()) {
      output->errors.Add(at, absl::StrCat("byte ", valid, " of the record is not UTF-8 text"));
      return;
    }
    absl::Status status = parser_.Parse(record);
    if (status.ok()) status = FillSlots();
    if (!status.ok()) {
      output->errors.Add(at, std::string(status.message()));
      return;
    }
    if (const absl::optional<size_t> column = slots_->Complete()) {
      output->errors.Add(at, slots_->NullError(*column));
      return;
    }
    slots_->AppendTo(rows);
    output->row_starts.push_back(static_cast<uint32_t>(at));
  }

  absl::Status FillSlots() {
    const std::vector<CsvField>& fields = parser_.fields();
    if (fields.size() != field_count_) {
      return absl::InvalidArgumentError(
          absl::StrCat("the record has ", fields.size(), " fields instead of ", field_count_));
    }
    slots_->Begin();
    for (size_t i = 0; i < field_of_.size(); ++i) {
      if (field_of_[i] == kAbsent) continue;
      const CsvField& field = fields[field_of_[i]];
      if (!field.quoted && field.text == null_text_) continue;
      Slot& slot = (*slots_)[i];
      const Field& column = slots_->schema().field(i);
      if (!ParseValueText(field.text, column.type, &slot)) {
        return absl::InvalidArgumentError(absl::StrCat("column '", column.name, "': found \"",
                                                       Shortened(field.text), "\", expected ",
                                                       DescribeType(column.type)));
      }
      slot.state = Slot::State::kValue;
    }
    return absl::OkStatus();
  }

  const std::unique_ptr<RowSlots> slots_;
  const std::string null_text_;
  const std::vector<size_t> field_of_;
  const size_t field_count_;
  const char delimiter_;
  CsvRecordParser parser_;
};

absl::StatusOr<size_t> FindInHeader(const std::vector<std::string>& header, const std::string& name,
                                    const ColumnSource& source) {
  const auto found = std::find(header.begin(), header.end(), name);
  if (found == header.end()) {
    if (source.default_text) return kAbsent;
    return absl::InvalidArgumentError(absl::StrCat("the csv header has no column '", name,
                                                   "'; it has: ", absl::StrJoin(header, ", "),
                                                   ". Correct the name, or give a default"));
  }
  if (std::find(found + 1, header.end(), name) != header.end()) {
    return absl::InvalidArgumentError(absl::StrCat("the csv header has '", name,
                                                   "' twice, so it is not clear which is meant. "
                                                   "Rename one of the two in the file"));
  }
  return static_cast<size_t>(found - header.begin());
}

}  // namespace

absl::StatusOr<std::unique_ptr<RowDecoder>> MakeCsvDecoder(const SchemaPtr& schema,
                                                           CsvDecodeOptions options) {
  std::vector<size_t> field_of;
  for (size_t i = 0; i < schema->size(); ++i) {
    if (!options.header) {
      field_of.push_back(i);
      continue;
    }
    const ColumnSource& source = options.sources[i];
    const std::string& name = source.from.empty() ? schema->field(i).name : source.from;
    WEIR_ASSIGN_OR_RETURN(const size_t field, FindInHeader(*options.header, name, source));
    field_of.push_back(field);
  }
  const size_t field_count = options.header ? options.header->size() : schema->size();
  WEIR_ASSIGN_OR_RETURN(std::unique_ptr<RowSlots> slots, RowSlots::Make(schema, options.sources));
  return std::make_unique<CsvDecoder>(std::move(slots), options, std::move(field_of), field_count);
}

}  // namespace weir::types
