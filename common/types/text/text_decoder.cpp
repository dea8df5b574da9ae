#include "common/types/text/text_decoder.h"

#include <algorithm>

#include <absl/strings/str_cat.h>

#include "common/types/text/line_scan.h"
#include "common/types/utf8.h"

namespace weir::types {
namespace {

class TextDecoder final : public RowDecoder {
 public:
  void Decode(const DecodeInput& input, BatchBuilder* rows, DecodeOutput* output) override {
    output->Clear();
    const size_t limit = std::min({input.start_limit, input.bytes.size(), kDecodeBytesMax});
    size_t at = 0;
    while (at < limit && output->row_starts.size() < input.rows_max) {
      size_t end = FindLineFeed(input.bytes, at);
      size_t next = end + 1;
      if (end == StringView::npos) {
        if (input.is_end == IsEnd::kNo) break;
        end = next = input.bytes.size();
      }
      AppendLine(input.bytes.substr(at, end - at), at, rows, output);
      at = next;
    }
    output->consumed = at;
  }

 private:
  static void AppendLine(StringView line, size_t at, BatchBuilder* rows, DecodeOutput* output) {
    line = WithoutCarriageReturn(line);
    const size_t valid = ValidUtf8Prefix(line);
    if (valid != line.size()) {
      output->errors.Add(at, absl::StrCat("byte ", valid, " of the line is not UTF-8 text"));
      return;
    }
    rows->column(0).AppendString(line);
    rows->EndRow();
    output->row_starts.push_back(static_cast<uint32_t>(at));
  }
};

}  // namespace

absl::StatusOr<std::unique_ptr<RowDecoder>> MakeTextDecoder(const SchemaPtr& schema) {
  if (schema->size() != 1 || schema->field(0).type != kStringType) {
    return absl::InvalidArgumentError(
        absl::StrCat("format text gives one string column, not (", schema->ToString(), ")"));
  }
  return std::make_unique<TextDecoder>();
}

}  // namespace weir::types
